/* check_report.c -- keel_check: all comparisons of a problem, and what is said of them. */
#include "problem/check.h"

#include "core/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct keel_check_report {
    check check;
    /* One per claim and time column, two of the mass, one per level, two more for links. */
    keel_check_item items[2 * CLAIMS_MOST + KEEL_LEVELS_MOST + 4];
    int count;
};

/* ---- sentences ------------------------------------------------------------------------------ */

int check_is_full(const check *k, const char *callback)
{
    int same = 0;
    for (int i = 0; i < k->found; i++) same += strcmp(k->findings[i].callback, callback) == 0;
    return same >= KEEL_CHECK_FINDINGS_MOST;
}

static int is_known(const check *k, const keel_finding *f)
{
    for (int i = 0; i < k->found; i++) {
        const keel_finding *other = &k->findings[i];
        if (strcmp(other->callback, f->callback) == 0 && other->row == f->row
            && other->column == f->column && other->kind == f->kind) return 1;
    }
    return 0;
}

/* "row 2 (rod)" */
static void row_text(const keel_problem *p, const claim *c, int row, char *text, size_t size)
{
    int differential = p->n - p->constraints;
    const char *name = NULL;
    if (c->row_names == ROWS_RATES)
        name = row < differential ? keel_variable_name(p, row)
                                  : keel_row_name(p, 0, row - differential);
    else if (c->row_names == ROWS_CONSTRAINTS) name = keel_row_name(p, 0, row);
    else if (c->row_names == ROWS_FORCES) name = keel_variable_name(p, p->group[0] + row);
    else if (c->row_names == ROWS_ATTACHED) name = keel_row_name(p, p->levels, row);
    if (name) snprintf(text, size, "row %d (%s)", row, name);
    else snprintf(text, size, "row %d", row);
}

static void column_text(const keel_problem *p, const claim *c, int column, char *text, size_t size)
{
    const char *prime = c->argument == ALONG_DERIVATIVES ? "'" : "";
    if (column < 0) text[0] = 0;
    else snprintf(text, size, ", column %d (%s%s)", column, keel_variable_name(p, column), prime);
}

static void describe(const check *k, const claim *c, keel_finding *f)
{
    char row[96], column[96];
    const char *where = k->displaced ? " beside the point" : "";
    size_t size = sizeof f->text;
    row_text(k->problem, c, f->row, row, sizeof row);
    column_text(k->problem, c, f->column, column, sizeof column);
    if (f->kind == KEEL_FINDING_SYMMETRY)
        number_print(f->text, size, "%s: %s%s is %.10g, but the entry across the diagonal is %.10g: M "
                 "must be symmetric", f->callback, row, column, f->given, f->expected);
    else if (f->kind == KEEL_FINDING_CONSTANCY)
        number_print(f->text, size, "%s: %s%s changes from %.10g to %.10g beside the point, but "
                 "constant_mass is set", f->callback, row, column, f->given, f->expected);
    else if (f->kind == KEEL_FINDING_PATTERN && isnan(f->given))
        number_print(f->text, size, "%s: %s%s was written, but lies outside the declared pattern",
                 f->callback, row, column);
    else if (f->kind == KEEL_FINDING_PATTERN)
        number_print(f->text, size, "%s: %s%s is outside the declared pattern, but differences of %s "
                 "give %.10g there%s", f->callback, row, column, c->function, f->expected, where);
    else if (f->kind == KEEL_FINDING_LINK && !c->function)
        number_print(f->text, size, "%s: %s changes at the rate %.10g along the solution, which should "
                 "keep it", f->callback, row, f->expected);
    else if (f->kind == KEEL_FINDING_LINK)
        number_print(f->text, size, "%s: %s%s is %.10g, but %s gives %.10g%s", f->callback, row, column,
                 f->given, c->function, f->expected, where);
    else
        number_print(f->text, size, "%s: %s%s is %.10g, but %sdifferences of %s%s give %.10g%s",
                 f->callback, row, column, f->given, c->argument == ALONG_PATH ? "second " : "",
                 c->function, c->argument == ALONG_PATH ? " along (1, v)" : "", f->expected, where);
}

int check_add(check *k, const claim *c, keel_finding f)
{
    if (is_known(k, &f) || check_is_full(k, f.callback)) return 0;
    if (k->found == k->room) {
        int room = k->room ? 2 * k->room : 8;
        keel_finding *more = realloc(k->findings, (size_t)room * sizeof *more);
        k->no_memory = !more;
        if (!more) return -1;
        k->findings = more;
        k->room = room;
    }
    describe(k, c, &f);
    k->findings[k->found++] = f;
    return 0;
}

/* ---- items ---------------------------------------------------------------------------------- */

static int has_findings(const check *k, const char *callback, int from)
{
    for (int i = from; i < k->found; i++)
        if (strcmp(k->findings[i].callback, callback) == 0) return 1;
    return 0;
}

static void add_item(keel_check_report *r, const claim *c, const char *callback, long entries,
                     int from, int undecided)
{
    int wrong = has_findings(&r->check, callback, from);
    r->items[r->count++] = (keel_check_item){
        .callback = callback, .with = c->function, .entries = entries,
        .deviation = r->check.deviation,
        .outcome = wrong ? KEEL_CHECK_WRONG : undecided ? KEEL_CHECK_UNDECIDED : KEEL_CHECK_FITS};
}

static int check_claims(keel_check_report *r)
{
    check *k = &r->check;
    for (int i = 0; i < k->count; i++) {
        const claim *c = &k->claims[i];
        int from = k->found;
        k->deviation = 0;
        int rc = check_claim(k, c);
        if (rc < 0) return rc;
        if (c->columns)
            add_item(r, c, c->callback, (long)matrix_storage(c->rows, c->columns, &c->pattern),
                     from, rc);
        if (c->rate_callback) add_item(r, c, c->rate_callback, c->rows, from, rc);
    }
    return 0;
}

static int is_finite_point(const keel_problem *p, double t, const double *y, const double *yp)
{
    int finite = isfinite(t);
    for (int i = 0; i < p->n && finite; i++)
        finite = isfinite(y[i]) && (!yp || isfinite(yp[i]));
    return finite;
}

int keel_check(const keel_problem *p, double t, const double *y, const double *yp,
               keel_check_report **report)
{
    if (report) *report = NULL;
    if (!p || !p->names || !y || !is_finite_point(p, t, y, yp)) return KEEL_BAD_ARGUMENT;
    keel_check_report *r = malloc(sizeof *r);
    if (!r) return KEEL_NO_MEMORY;
    r->count = 0;
    int rc = check_create(&r->check, p, t, y, yp), status = rc;
    if (!rc) rc = check_claims(r);
    if (!rc) rc = check_mass(&r->check, r->items, &r->count);
    if (!rc) rc = check_links(&r->check, r->items, &r->count);
    if (!status && rc) status = r->check.no_memory ? KEEL_NO_MEMORY : KEEL_CALLBACK_FAILED;
    if (!status && r->check.found > 0) status = KEEL_WRONG_DERIVATIVE;
    if (report && status != KEEL_NO_MEMORY) *report = r;
    else keel_check_free(r);
    return status;
}

void keel_check_free(keel_check_report *r)
{
    if (r) check_release(&r->check);
    free(r);
}

int keel_check_finding_count(const keel_check_report *r) { return r ? r->check.found : 0; }

const keel_finding *keel_check_finding(const keel_check_report *r, int i)
{
    return r && i >= 0 && i < r->check.found ? &r->check.findings[i] : NULL;
}

int keel_check_item_count(const keel_check_report *r) { return r ? r->count : 0; }

const keel_check_item *keel_check_item_at(const keel_check_report *r, int i)
{
    return r && i >= 0 && i < r->count ? &r->items[i] : NULL;
}
