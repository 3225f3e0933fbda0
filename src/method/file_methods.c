/* file_methods.c -- the method that a file describes: a tableau, or with alpha and beta a multistep
 * formula, or with U, B and V a general linear method. */
#include "method/file.h"

typedef enum file_kind { TABLEAU = 1, MULTISTEP = 2, GENERAL = 4 } file_kind;

static const char *kind_text(file_kind kind)
{
    return kind == TABLEAU ? "a Runge-Kutta method (A, b)"
         : kind == MULTISTEP ? "a multistep method (alpha, beta)"
                             : "a general linear method (A, U, B, V, c)";
}

/* The kinds of methods that a key belongs to. */
static int belongs(key k)
{
    switch (k) {
    case NAME: case FAMILY: case SUMMARY: case CITATION: case ORDER:
        return TABLEAU | MULTISTEP | GENERAL;
    case MATRIX_A: case NODES: return TABLEAU | GENERAL;
    case ALPHA: case BETA: case GAMMA: case BLOCKING: return MULTISTEP;
    case STAGE_ORDER: case MATRIX_U: case MATRIX_B: case MATRIX_V: case MATRIX_W: return GENERAL;
    default: return TABLEAU;
    }
}

/* A tableau unless there is a key of one of the others; the first such line decides. */
static file_kind kind_of(const reader *r)
{
    file_kind kind = TABLEAU;
    int first = 0;
    for (int k = 0; k < KEYS; k++) {
        int line = r->entries[k].line, of = belongs((key)k);
        if (!line || (first && line > first) || (of != MULTISTEP && of != GENERAL)) continue;
        first = line;
        kind = (file_kind)of;
    }
    return kind;
}

/* ---- shapes -------------------------------------------------------------------------------- */

static int check_keys(const reader *r, file_kind kind)
{
    for (int k = 0; k < KEYS; k++)
        if (r->entries[k].line && !(belongs((key)k) & (int)kind))
            return COMPLAIN(r, r->entries[k].line, "'%s:' does not belong to %s", key_names[k],
                            kind_text(kind));
    return KEEL_OK;
}

static int check_given(const reader *r, const key *needed, int count)
{
    for (int i = 0; i < count; i++)
        if (!r->entries[needed[i]].line)
            return fail(r->message, KEEL_BAD_ARGUMENT, "%s: '%s:' is missing", r->file,
                        key_names[needed[i]]);
    return KEEL_OK;
}

/* The key, if given, must have that many rows and columns. */
static int check_shape(const reader *r, key k, int rows, int columns)
{
    const entry *e = &r->entries[k];
    if (!e->line) return KEEL_OK;
    if (!is_matrix(k) && e->count != rows)
        return COMPLAIN(r, e->line, "%s has %d numbers instead of %d", key_names[k], e->count,
                        rows);
    if (is_matrix(k) && (e->rows != rows || e->columns != columns))
        return COMPLAIN(r, e->line, "%s has %d rows of %d numbers instead of %d of %d",
                        key_names[k], e->rows, e->columns, rows, columns);
    return KEEL_OK;
}

static const double *values_of(const reader *r, key k)
{
    return r->entries[k].line ? r->entries[k].values : NULL;
}

/* ---- tableaux ------------------------------------------------------------------------------ */

static int tableau_shapes(const reader *r)
{
    static const key vectors[] = {WEIGHTS, NODES, B_HAT, B_SECOND, C_CONSTRAINT};
    const entry *A = &r->entries[MATRIX_A];
    int s = A->rows, extra = r->entries[A_EXTRA].rows, rc;
    if ((rc = check_given(r, (key[]){MATRIX_A, WEIGHTS}, 2))) return rc;
    if (s == 0 || s > KEEL_STAGES_MOST || A->columns != s)
        return COMPLAIN(r, A->line, "A has %d rows of %d numbers; it must be square, 1 to %d rows",
                        s, A->columns, KEEL_STAGES_MOST);
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        if ((rc = check_shape(r, vectors[i], s, 1))) return rc;
    if ((rc = check_shape(r, A_EXPLICIT, s, s))) return rc;
    if ((rc = check_shape(r, A_CONSTRAINT, s, s))) return rc;
    if ((rc = check_shape(r, CORNER, 2, s))) return rc;
    if (r->entries[A_EXTRA].line && (extra == 0 || extra > KEEL_STAGES_MOST))
        return COMPLAIN(r, r->entries[A_EXTRA].line, "A_extra has %d rows: 1 to %d are possible",
                        extra, KEEL_STAGES_MOST);
    if ((rc = check_shape(r, A_EXTRA, extra, s + extra))) return rc;
    if ((rc = check_shape(r, C_EXTRA, extra, 1))) return rc;
    int degree = r->entries[DENSE].columns;
    degree = degree > KEEL_STAGES_MOST ? KEEL_STAGES_MOST : degree;
    if ((rc = check_shape(r, DENSE, s + extra, degree))) return rc;
    return check_shape(r, DENSE_REST, s + extra, degree);
}

static keel_tableau tableau_of(const reader *r)
{
    const entry *e = r->entries;
    return (keel_tableau){
        .name = e[NAME].text ? e[NAME].text : r->file, .family = e[FAMILY].text,
        .summary = e[SUMMARY].text, .citation = e[CITATION].text,
        .stages = e[MATRIX_A].rows, .order = e[ORDER].number,
        .A = values_of(r, MATRIX_A), .b = values_of(r, WEIGHTS), .c = values_of(r, NODES),
        .b_hat = values_of(r, B_HAT), .order_hat = e[ORDER_HAT].number,
        .b_second = values_of(r, B_SECOND),
        .extra = e[A_EXTRA].rows, .A_extra = values_of(r, A_EXTRA),
        .c_extra = values_of(r, C_EXTRA),
        .dense_degree = e[DENSE].columns, .dense_order = e[DENSE_ORDER].number,
        .dense = values_of(r, DENSE), .dense_rest = values_of(r, DENSE_REST),
        .half_explicit = e[HALF_EXPLICIT].number, .order_index2 = e[ORDER_INDEX2].number,
        .A_constraint = values_of(r, A_CONSTRAINT), .c_constraint = values_of(r, C_CONSTRAINT),
        .A_explicit = values_of(r, A_EXPLICIT), .corner = values_of(r, CORNER),
    };
}

/* ---- multistep methods --------------------------------------------------------------------- */

static int multistep_shapes(const reader *r)
{
    int count = r->entries[ALPHA].count, rc = check_given(r, (key[]){ALPHA, BETA}, 2);
    if (rc) return rc;
    if (count < 2 || count > KEEL_STEPS_MOST + 1)
        return COMPLAIN(r, r->entries[ALPHA].line, "alpha has %d numbers; 2 to %d are possible, "
                        "for 1 to %d steps", count, KEEL_STEPS_MOST + 1, KEEL_STEPS_MOST);
    rc = check_shape(r, BETA, count, 1);
    return rc ? rc : check_shape(r, GAMMA, count, 1);
}

/* With gamma it is blocked unless the file says otherwise. */
static keel_multistep multistep_of(const reader *r)
{
    const entry *e = r->entries;
    return (keel_multistep){
        .name = e[NAME].text ? e[NAME].text : r->file, .family = e[FAMILY].text,
        .summary = e[SUMMARY].text, .citation = e[CITATION].text,
        .steps = e[ALPHA].count - 1, .order = e[ORDER].number,
        .alpha = values_of(r, ALPHA), .beta = values_of(r, BETA), .gamma = values_of(r, GAMMA),
        .blocking = e[BLOCKING].line ? (keel_blocking)e[BLOCKING].number
                  : e[GAMMA].line ? KEEL_BLOCKED : KEEL_CONSTRAIN_FIRST,
    };
}

/* ---- general linear methods ---------------------------------------------------------------- */

static int general_shapes(const reader *r)
{
    static const key needed[] = {MATRIX_A, MATRIX_U, MATRIX_B, MATRIX_V, NODES};
    const entry *e = r->entries;
    int s = e[MATRIX_A].rows, values = e[MATRIX_V].rows, rc = check_given(r, needed, 5);
    if (rc) return rc;
    if (s == 0 || s > STAGES_MAX)
        return COMPLAIN(r, e[MATRIX_A].line, "A has %d rows: 1 to %d are possible", s, STAGES_MAX);
    if (values == 0 || values > KEEL_VALUES_MOST)
        return COMPLAIN(r, e[MATRIX_V].line, "V has %d rows: 1 to %d are possible", values,
                        KEEL_VALUES_MOST);
    if (e[MATRIX_W].line && !e[ORDER].line)
        return COMPLAIN(r, e[MATRIX_W].line, "W has one column more than the order: '%s:' is "
                        "missing", key_names[ORDER]);
    if ((rc = check_shape(r, MATRIX_A, s, s))) return rc;
    if ((rc = check_shape(r, MATRIX_U, s, values))) return rc;
    if ((rc = check_shape(r, MATRIX_B, values, s))) return rc;
    if ((rc = check_shape(r, MATRIX_V, values, values))) return rc;
    if ((rc = check_shape(r, NODES, s, 1))) return rc;
    return check_shape(r, MATRIX_W, values, e[ORDER].number + 1);
}

static keel_general_linear general_of(const reader *r)
{
    const entry *e = r->entries;
    return (keel_general_linear){
        .name = e[NAME].text ? e[NAME].text : r->file, .family = e[FAMILY].text,
        .summary = e[SUMMARY].text, .citation = e[CITATION].text,
        .stages = e[MATRIX_A].rows, .values = e[MATRIX_V].rows,
        .order = e[ORDER].number, .stage_order = e[STAGE_ORDER].number,
        .A = values_of(r, MATRIX_A), .U = values_of(r, MATRIX_U), .B = values_of(r, MATRIX_B),
        .V = values_of(r, MATRIX_V), .c = values_of(r, NODES), .W = values_of(r, MATRIX_W),
    };
}

/* ---- all ----------------------------------------------------------------------------------- */

static int check_shapes(const reader *r, file_kind kind)
{
    int rc = check_keys(r, kind);
    if (rc) return rc;
    return kind == TABLEAU ? tableau_shapes(r)
         : kind == MULTISTEP ? multistep_shapes(r) : general_shapes(r);
}

static int create(const reader *r, file_kind kind, keel_method **made)
{
    keel_tableau t = tableau_of(r);
    keel_multistep f = multistep_of(r);
    keel_general_linear g = general_of(r);
    return kind == TABLEAU ? keel_method_create(made, &t)
         : kind == MULTISTEP ? keel_multistep_create(made, &f)
                             : keel_general_linear_create(made, &g);
}

int file_make(const reader *r, keel_method **method)
{
    file_kind kind = kind_of(r);
    keel_method *made;
    int rc = check_shapes(r, kind);
    if (rc) return rc;
    rc = create(r, kind, &made);
    if (!made) return fail(r->message, KEEL_NO_MEMORY, "no memory for the method of %s", r->file);
    if (rc) {
        fail(r->message, rc, "%s: %s", r->file, keel_method_message(made));
        keel_method_free(made);
        return rc;
    }
    keel_method_free(*method);
    *method = made;
    return KEEL_OK;
}
