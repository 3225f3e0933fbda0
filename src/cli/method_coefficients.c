/* method_coefficients.c -- the coefficients of a method: tableau, formula, or matrices. */
#include "cli/method_coefficients.h"

#include <string.h>

#include "report/number.h"
#include "report/table.h"

enum { WIDEST = 8 };                             /* numbers in a line for people */

const char *blocking_text(keel_blocking blocking)
{
    static const char *const text[] = {
        "as in f", "blocked, h f_z sum gamma_j z_n+j is subtracted", "of the new point only"};
    return text[blocking];
}

static void number_cells(table *list, const double *x, int count)
{
    for (int j = 0; j < count; j++) {
        char text[NUMBER_LENGTH];
        table_cell(list, "%s", number_fraction(text, x[j]));
    }
}

static void named_row(table *list, const char *name, const double *x, int count)
{
    table_cell(list, "%s", name);
    number_cells(list, x, count);
}

static void finish(table *list, FILE *file)
{
    table_print(list, file);
    table_free(list);
}

/* ---- for people ---------------------------------------------------------------------------- */

/* c | A over b. */
static void print_tableau(const keel_tableau *t, FILE *file)
{
    char align[WIDEST + 2];
    const int s = t->stages;
    if (s > WIDEST) {
        fprintf(file, "\nThe tableau has %d stages; --json shows it.\n", s);
        return;
    }
    memset(align, 'r', sizeof align);
    table list = {.columns = s + 1, .align = align, .indent = "  "};
    fprintf(file, "\ntableau: c, A, b%s\n", t->b_hat ? ", embedded b" : "");
    for (int i = 0; i < s; i++) {
        number_cells(&list, t->c + i, 1);
        number_cells(&list, t->A + i * s, s);
    }
    named_row(&list, "b", t->b, s);
    if (t->b_hat) named_row(&list, "b^", t->b_hat, s);
    finish(&list, file);
    if (!t->A_explicit) return;
    table arguments = {.columns = s, .align = align, .indent = "  "};
    fprintf(file, "\nalpha, where f is evaluated; A = alpha + gamma\n");
    number_cells(&arguments, t->A_explicit, s * s);
    finish(&arguments, file);
}

static void print_formula(const keel_multistep *f, FILE *file)
{
    char align[KEEL_STEPS_MOST + 2];
    memset(align, 'r', sizeof align);
    table list = {.columns = f->steps + 2, .align = align, .indent = "  "};
    fprintf(file, "\nformula: sum alpha_j y_n+j = h sum beta_j f_n+j, j = 0..%d\n", f->steps);
    named_row(&list, "alpha", f->alpha, f->steps + 1);
    named_row(&list, "beta", f->beta, f->steps + 1);
    if (f->gamma) named_row(&list, "gamma", f->gamma, f->steps + 1);
    finish(&list, file);
}

/* c | A | U over B | V, with W beside it where it is not the identity. */
static void print_matrices(const keel_general_linear *g, FILE *file)
{
    char align[3 * WIDEST + 5];
    const int s = g->stages, r = g->values, carried = g->W ? g->order + 1 : 0;
    if (s + r > WIDEST + 2 || carried > WIDEST) {
        fprintf(file, "\nThe method has %d stages and %d values; --json shows its matrices.\n", s,
                r);
        return;
    }
    memset(align, 'r', sizeof align);
    table list = {.columns = s + r + 2, .align = align, .indent = "  "};
    fprintf(file, "\nmatrices: c, A, U over B, V\n");
    for (int i = 0; i < s + r; i++) {
        if (i < s) number_cells(&list, g->c + i, 1);
        else table_cell(&list, "%s", "");
        number_cells(&list, i < s ? g->A + i * s : g->B + (i - s) * s, s);
        table_cell(&list, "|");
        number_cells(&list, i < s ? g->U + i * r : g->V + (i - s) * r, r);
    }
    finish(&list, file);
    if (!carried) return;
    table values = {.columns = carried, .align = align, .indent = "  "};
    fprintf(file, "\ncarried: rows of W, factors of y, h y', h^2 y'', ...\n");
    number_cells(&values, g->W, r * carried);
    finish(&values, file);
}

void coefficients_print(const method_report *r, FILE *file)
{
    if (r->tableau) print_tableau(r->tableau, file);
    else if (r->formula) print_formula(r->formula, file);
    if (!r->tableau) print_matrices(r->matrices, file);
}

/* ---- for programs -------------------------------------------------------------------------- */

static void json_matrix(json_writer *w, const char *key, const double *x, int rows, int columns)
{
    json_begin_array(w, key);
    for (int i = 0; i < rows; i++) json_numbers(w, NULL, x + i * columns, columns);
    json_end_array(w);
}

static void json_tableau(json_writer *w, const keel_tableau *t)
{
    json_begin_object(w, "tableau");
    json_matrix(w, "A", t->A, t->stages, t->stages);
    if (t->A_explicit) json_matrix(w, "A_explicit", t->A_explicit, t->stages, t->stages);
    json_numbers(w, "b", t->b, t->stages);
    json_numbers(w, "c", t->c, t->stages);
    if (t->b_hat) json_numbers(w, "b_embedded", t->b_hat, t->stages);
    json_end_object(w);
}

static void json_formula(json_writer *w, const keel_multistep *f)
{
    static const char *const word[] = {"constrain-first", "blocked", "constrain-last"};
    json_begin_object(w, "formula");
    json_integer(w, "steps", f->steps);
    json_string(w, "multipliers", word[f->blocking]);
    json_numbers(w, "alpha", f->alpha, f->steps + 1);
    json_numbers(w, "beta", f->beta, f->steps + 1);
    if (f->gamma) json_numbers(w, "gamma", f->gamma, f->steps + 1);
    json_end_object(w);
}

static void json_matrices(json_writer *w, const method_report *r)
{
    const keel_general_linear *g = r->matrices;
    json_begin_object(w, "matrices");
    json_matrix(w, "A", g->A, g->stages, g->stages);
    json_matrix(w, "U", g->U, g->stages, g->values);
    json_matrix(w, "B", g->B, g->values, g->stages);
    json_matrix(w, "V", g->V, g->values, g->values);
    json_numbers(w, "c", g->c, g->stages);
    if (g->W) json_matrix(w, "W", g->W, g->values, g->order + 1);
    json_numbers(w, "preconsistency", r->general.preconsistency, g->values);
    json_matrix(w, "M_infinity", r->general.M_infinity, g->values, g->values);
    json_end_object(w);
}

void coefficients_json(json_writer *w, const method_report *r)
{
    if (r->tableau) json_tableau(w, r->tableau);
    if (r->formula) json_formula(w, r->formula);
    if (!r->tableau) json_matrices(w, r);
}
