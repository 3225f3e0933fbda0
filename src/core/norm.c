#include "core/norm.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "keel/status.h"

/* ---- messages -------------------------------------------------------------------------------- */

/* The worst failure and the first rank that has it, as one number. */
static const double ranks_most = 1 << 24;

static double culprit(const reducer *r)
{
    return r->here.severity ? r->here.severity * ranks_most - r->rank : 0;
}

static int exchange(reducer *r, int sums, double *sum, int maxima, double *most)
{
    r->messages++;
    return r->reduce ? r->reduce(r->context, sums, sum, maxima, most) : 0;
}

/* Letters as maxima: ranks without a say send none. */
static void send_text(reducer *r, int mine, char *text, int size)
{
    double letter[REDUCE_TEXT];
    int count = size < REDUCE_TEXT ? size : REDUCE_TEXT, length = (int)strlen(text);
    for (int i = 0; i < count; i++) letter[i] = mine && i < length ? (unsigned char)text[i] : 0;
    if (exchange(r, 0, NULL, count, letter)) return;
    for (int i = 0; i < count; i++) text[i] = (char)(unsigned char)letter[i];
    text[count - 1] = 0;
}

/* The failure of the rank that `worst` stands for becomes that of all. */
static void share_failure(reducer *r, double worst)
{
    int severity = worst > ranks_most ? 2 : 1;
    int mine = culprit(r) == worst;
    double number[2] = {mine ? r->here.t : 0, mine ? r->here.code : 0};
    r->met = mine ? r->here : (rank_failure){0};
    exchange(r, 2, number, 0, NULL);
    send_text(r, mine, r->met.text, REDUCE_TEXT);
    r->met.t = number[0];
    r->met.code = (int)number[1];
    r->met.severity = severity;
}

static void broken(reducer *r, int code)
{
    r->met = (rank_failure){.severity = 2, .code = code,
                            .text = "the engine's function `reduce` has failed"};
}

void ranks_reduce(reducer *r, int sums, double *sum, int maxima, double *most)
{
    double all[REDUCE_MOST + 1];
    for (int i = 0; i < maxima; i++) all[i] = fabs(most[i]) <= DBL_MAX ? most[i] : DBL_MAX;
    all[maxima] = culprit(r);
    r->met = (rank_failure){0};
    int rc = exchange(r, sums, sum, maxima + 1, all);
    if (rc) broken(r, rc);
    else if (all[maxima] > 0) share_failure(r, all[maxima]);
    r->here = (rank_failure){0};
    for (int i = 0; i < sums && r->met.severity; i++) sum[i] = NAN;
    for (int i = 0; i < maxima; i++) most[i] = r->met.severity || all[i] == DBL_MAX ? NAN : all[i];
}

void ranks_text(reducer *r, double has, char *text, int size)
{
    double best = has;
    ranks_reduce(r, 0, NULL, 1, &best);
    double first = has == best ? ranks_most - r->rank : 0, mine = first;
    ranks_reduce(r, 0, NULL, 1, &first);
    send_text(r, mine == first, text, size);
}

int ranks_status(reducer *r, int status, char *text, int size)
{
    if (!r) return status;
    const double own = fabs((double)status), worst = norm_most(r, own);
    if (worst == 0) return status;
    if (r->met.severity) {
        snprintf(text, (size_t)size, "%s", r->met.text);
        return KEEL_CALLBACK_FAILED;
    }
    ranks_text(r, own, text, size);
    return -(int)worst;
}

/* ---- parts ----------------------------------------------------------------------------------- */

double norm_sum(int n, const double *x, const double *w)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double scaled = x[i] * w[i];
        sum += scaled * scaled;
    }
    return sum;
}

double norm_max(int n, const double *x)
{
    double largest = 0, poison = 0;     /* 0 * x is 0 for finite x and NaN otherwise */
    for (int i = 0; i < n; i++) {
        if (fabs(x[i]) > largest) largest = fabs(x[i]);
        poison += 0 * x[i];
    }
    return largest + poison;
}

double norm_relative(int n, const double *x, const double *reference)
{
    double largest = 0, poison = 0;
    for (int i = 0; i < n; i++) {
        double share = fabs(x[i]) / (1 + fabs(reference[i]));
        if (share > largest) largest = share;
        poison += 0 * share;
    }
    return largest + poison;
}

double norm_rows(int rows, int n, const double *A, const double *x, const double *y)
{
    double largest = 0;
    for (int i = 0; i < rows; i++, A += n) {
        double moved = 0, whole = DBL_MIN;
        for (int j = 0; j < n; j++) {
            moved += fabs(A[j] * x[j]);
            whole += fabs(A[j] * y[j]);
        }
        largest = fmax(largest, moved / whole);
    }
    return largest;
}

int norm_worst(int n, const double *x, const double *w)
{
    int worst = 0;
    for (int i = 1; i < n; i++)
        if (fabs(x[i]) * w[i] > fabs(x[worst]) * w[worst]) worst = i;
    return worst;
}

int first_not_finite(int n, const double *x)
{
    typedef double loose2 __attribute__((vector_size(16), may_alias, aligned(8)));
    sum2 low = {0}, high = {0};
    int at = 0;
    for (; at + 3 < n; at += 4) {
        low += *(const loose2 *)(const void *)(x + at);
        high += *(const loose2 *)(const void *)(x + at + 2);
    }
    for (; at < n; at++) low[0] += x[at];
    if (sum_finite(low + high)) return -1;
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return i;
    return -1;
}
