/* terminal.c -- standard output and error where the locale has no UTF-8: ASCII only.
 *
 * Names and titles of a user's problem, names of files and messages about them may hold any
 * character, so what is printed is rewritten on its way out: "+-" for the sign, "lambda" for the
 * letter, "?" for what has no such spelling.  Streams of one's own are an extension of the GNU C
 * library; with others everything is printed as it is.
 */
#define _GNU_SOURCE                              /* fopencookie */
#include "cli/terminal.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef __GLIBC__

static const char *const greek[] = {
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda",
    "mu", "nu", "xi", "omicron", "pi", "rho", "sigma", "sigma", "tau", "upsilon", "phi", "chi",
    "psi", "omega"};
static const struct spelling {
    const char *character, *ascii;
} spellings[] = {
    {"\u00b1", "+-"}, {"\u2264", "<="}, {"\u2265", ">="}, {"\u00b7", "."}, {"\u00d7", "x"},
    {"\u2212", "-"}, {"\u2013", "-"}, {"\u2014", "--"}, {"\u2032", "'"}, {"\u2019", "'"},
    {"\u00b0", "deg"}, {"\u00b2", "^2"}, {"\u00b3", "^3"}, {"\u00df", "ss"}, {"\u00e4", "ae"},
    {"\u00f6", "oe"}, {"\u00fc", "ue"}, {"\u00c4", "Ae"}, {"\u00d6", "Oe"}, {"\u00dc", "Ue"},
    {"\u00e9", "e"}, {"\u00e8", "e"}};

/* One of the two streams; the bytes of a character may come one by one. */
typedef struct narrow_stream {
    int descriptor;
    char pending[5];
    int length, expected;        /* bytes of the character that has begun              */
} narrow_stream;

static bool put(const narrow_stream *s, const char *text, size_t length)
{
    while (length > 0) {
        const ssize_t done = write(s->descriptor, text, length);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return false;
        text += done;
        length -= (size_t)done;
    }
    return true;
}

static const char *spell(const char *character)
{
    const unsigned char *c = (const unsigned char *)character;
    const int code = (c[0] & 0x1f) << 6 | (c[1] & 0x3f), first = 0x3b1;   /* alpha */
    for (size_t k = 0; k < sizeof spellings / sizeof *spellings; k++)
        if (strcmp(spellings[k].character, character) == 0) return spellings[k].ascii;
    const bool is_greek = c[1] && !c[2] && code >= first && code < first + 25;
    return is_greek ? greek[code - first] : "?";
}

static bool end_character(narrow_stream *s)
{
    s->pending[s->length] = '\0';
    const char *ascii = s->length == 0 ? "" : spell(s->pending);
    s->length = 0;
    return put(s, ascii, strlen(ascii));
}

static bool put_byte(narrow_stream *s, unsigned char c)
{
    const bool continues = (c & 0xC0) == 0x80 && s->length > 0 && s->length < s->expected;
    if (!continues && !end_character(s)) return false;
    if (c < 0x80) return put(s, (const char *)&c, 1);
    if (s->length == 0) s->expected = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;
    s->pending[s->length++] = (char)c;
    return s->length < s->expected || end_character(s);
}

static ssize_t narrow_write(void *cookie, const char *text, size_t length)
{
    narrow_stream *s = cookie;
    for (size_t k = 0; k < length;) {
        size_t run = 0;
        while (s->length == 0 && k + run < length && (unsigned char)text[k + run] < 0x80) run++;
        if (run > 0 ? !put(s, text + k, run) : !put_byte(s, (unsigned char)text[k])) return 0;
        k += run > 0 ? run : 1;
    }
    return (ssize_t)length;
}

static FILE *narrow(narrow_stream *s, int buffering)
{
    FILE *file = fopencookie(s, "w", (cookie_io_functions_t){.write = narrow_write});
    if (file) setvbuf(file, NULL, buffering, BUFSIZ);
    return file;
}

void terminal_begin(void)
{
    static narrow_stream streams[2] = {{.descriptor = STDOUT_FILENO},
                                       {.descriptor = STDERR_FILENO}};
    const locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    const bool wide = locale && strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;
    if (locale) freelocale(locale);
    if (wide) return;
    FILE *out = narrow(&streams[0], isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF);
    FILE *err = narrow(&streams[1], _IONBF);
    if (out) stdout = out;
    if (err) stderr = err;
}

#else

void terminal_begin(void) {}

#endif
