/* suggest.c -- edit distance: the least number of letters to insert, delete or replace
 *
 *   d(i,j) = min( d(i-1,j) + 1,  d(i,j-1) + 1,  d(i-1,j-1) + [a_i != b_j] )     [Levenshtein 1966]
 */
#include "method/suggest.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

enum { LENGTH_MAX = 64 };        /* letters beyond it do not count */

static int letter(char c)
{
    return c == '_' ? '-' : tolower((unsigned char)c);
}

static int length(const char *name)
{
    size_t n = strlen(name);
    return n < LENGTH_MAX ? (int)n : LENGTH_MAX;
}

/* 0 when `known` starts with `name`: people shorten more often than they mistype. */
static int distance(const char *name, const char *known)
{
    int row[LENGTH_MAX + 1], m = length(name), n = length(known), same = 0;
    while (same < m && same < n && letter(name[same]) == letter(known[same])) same++;
    if (m > 0 && same == m) return 0;
    for (int j = 0; j <= n; j++) row[j] = j;
    for (int i = 1; i <= m; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int best = diagonal + (letter(name[i - 1]) != letter(known[j - 1]));
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[n];
}

const char *closest_name(const char *name, const char *const *known, int count)
{
    const char *closest = NULL;
    int least = 0;
    for (int i = 0; i < count; i++) {
        int d = distance(name ? name : "", known[i]);
        if (!closest || d < least) {
            closest = known[i];
            least = d;
        }
    }
    return closest;
}
