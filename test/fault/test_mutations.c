/* test_mutations.c -- mutated method files and random tableaux: a message, or a method that can be
 * analysed and tried on every form without harm.
 *
 * Deterministic: the same xorshift sequence [Marsaglia 2003] each time.
 */
#include "test/support/run.h"

static unsigned long long sequence;

static unsigned draw(unsigned below)
{
    sequence ^= sequence << 13;
    sequence ^= sequence >> 7;
    sequence ^= sequence << 17;
    return (unsigned)(sequence >> 33) % below;
}

/* ---- whatever is accepted can be used -------------------------------------------------------- */

static void try_form(const keel_method *m, const form *f)
{
    probe context = {0};
    double y[LARGEST_FORM];
    keel_options o = {.tableau = m, .rtol = 1e-3, .atol = 1e-3, .max_steps = 20};
    keel_problem *p = new_problem(f, GIVEN, &context);
    keel_solver *s = NULL;
    f->exact(0, y);
    int rc = keel_solver_create(&s, p, &o);
    if (!rc) rc = keel_start(s, 0, y);
    if (!rc) rc = keel_advance(s, 0.3);
    if (!rc) rc = keel_interpolate(s, 0.5 * (keel_previous_time(s) + keel_time(s)), y);
    if (rc) assert_true(strlen(keel_message(s)) > 10);
    keel_solver_free(s);
    keel_problem_free(p);
}

static void try_method(int rc, keel_method *m)
{
    keel_analysis analysis;
    int order[3];
    if (rc) assert_true(strlen(keel_method_message(m)) > 10);
    else {
        assert_int_equal(keel_method_analyse(m, &analysis), KEEL_OK);
        for (int index = 0; index <= 3; index++)
            keel_method_orders(m, &(keel_order_case){.index = index}, order);
        for (int k = 0; k < FORMS; k++) try_form(m, &forms[k]);
    }
    keel_method_free(m);
}

/* ---- files ----------------------------------------------------------------------------------- */

enum { TEXT_MOST = 20000 };

static const char *const pieces[] = {"A:", "b:", "c:", "b_hat:", "dense:", "half_explicit: yes",
    "order: 3", "order: 99", "0", "1", "1/2", "-1", "1e308", "1e-308", "sqrt(2)", "1/0", "\n", "#"};

static void print_numbers(FILE *file, const char *name, const double *x, int rows, int columns)
{
    if (!x || rows == 0) return;
    fprintf(file, "%s:\n", name);
    for (int i = 0; i < rows * columns; i++)
        fprintf(file, "%.17g%s", x[i], (i + 1) % columns ? " " : "\n");
}

/* The text of a named method, in memory. */
static void write_method(char *text, const char *name)
{
    keel_method *m = NULL;
    FILE *file = fopen("mutation.method", "w");
    assert_non_null(file);
    assert_int_equal(keel_method_named(&m, name), KEEL_OK);
    const keel_tableau *t = keel_method_tableau(m);
    int s = t->stages;
    if (t->half_explicit) fprintf(file, "half_explicit: yes\n");
    print_numbers(file, "A", t->A, s, s);
    print_numbers(file, "b", t->b, 1, s);
    print_numbers(file, "b_hat", t->b_hat, 1, s);
    print_numbers(file, "A_extra", t->A_extra, t->extra, s + t->extra);
    print_numbers(file, "dense", t->dense, s + t->extra, t->dense_degree);
    print_numbers(file, "A_constraint", t->A_constraint, s, s);
    fclose(file);
    keel_method_free(m);
    file = fopen("mutation.method", "r");
    assert_non_null(file);
    text[fread(text, 1, TEXT_MOST / 2, file)] = '\0';
    fclose(file);
}

/* One letter changed or lost, a piece put in, or a line lost. */
static void mutate(char *text)
{
    size_t length = strlen(text), at = draw((unsigned)length + 1);
    const char *piece = pieces[draw(sizeof pieces / sizeof *pieces)];
    size_t size = strlen(piece);
    char *end;
    switch (draw(4)) {
    case 0: if (at < length) text[at] = "0123456789./-+*()e \n:"[draw(21)]; break;
    case 1: if (at < length) memmove(text + at, text + at + 1, length - at); break;
    case 2:
        memmove(text + at + size, text + at, length - at + 1);
        memcpy(text + at, piece, size);
        break;
    default:
        while (at > 0 && text[at - 1] != '\n') at--;
        end = strchr(text + at, '\n');
        if (end) memmove(text + at, end + 1, strlen(end));
    }
}

static void files(void **state)
{
    static const char *const names[] = {"rk4", "dopri5", "gauss-2", "lobatto-iiia-3", "sdirk-4",
                                        "esdirk-4", "hem-4", "phem56", "dop853"};
    static char text[TEXT_MOST];
    (void)state;
    sequence = 88172645463325252ull;
    for (int k = 0; k < 1500; k++) {
        keel_method *m = NULL;
        write_method(text, names[draw(sizeof names / sizeof *names)]);
        for (unsigned times = draw(4); times > 0; times--) mutate(text);
        FILE *file = fopen("mutation.method", "w");
        assert_non_null(file);
        fputs(text, file);
        fclose(file);
        int rc = keel_method_read(&m, "mutation.method");
        try_method(rc, m);
    }
    remove("mutation.method");
}

/* ---- tableaux -------------------------------------------------------------------------------- */

enum { STAGES = 5, DEGREE = 3 };

/* May stage i use stage j?  Explicit, diagonal, full, first stage explicit. */
static int allowed(unsigned shape, int i, int j)
{
    return shape == 0 ? j < i : shape == 1 ? j <= i : shape == 2 || i > 0;
}

static void tableaux(void **state)
{
    static const double values[] = {0, 0, 0, 0.5, 1, -1, 1 / 3.0, 0.25, 2, 0.1, 1e-9, 1e9};
    enum { VALUES = sizeof values / sizeof *values };
    (void)state;
    sequence = 2463534242ull;
    for (int k = 0; k < 800; k++) {
        double A[STAGES * STAGES], b[STAGES] = {0}, dense[STAGES * DEGREE];
        int s = 1 + (int)draw(STAGES);
        unsigned shape = draw(4);
        double sum = 0;
        for (int i = 0; i < s * s; i++)
            A[i] = allowed(shape, i / s, i % s) ? values[draw(VALUES)] : 0;
        for (int i = 0; i < s * DEGREE; i++) dense[i] = values[draw(VALUES)];
        for (int i = 0; i < s - 1; i++) sum += b[i] = values[draw(VALUES)];
        b[s - 1] = 1 - sum;
        keel_tableau t = {.name = "random", .stages = s, .A = A, .b = b,
                          .b_hat = draw(2) ? b : NULL, .half_explicit = draw(3) == 0,
                          .A_constraint = draw(5) ? NULL : A, .dense = draw(3) ? NULL : dense,
                          .dense_degree = DEGREE};
        keel_method *m = NULL;
        int rc = keel_method_create(&m, &t);
        try_method(rc, m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(files), cmocka_unit_test(tableaux)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
