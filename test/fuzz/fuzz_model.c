/* fuzz_model.c -- flat_read: any bytes are a flat model whose parts are in range, or there is a message
 * that can be shown.  Bounds are small, so that an input that asks for much is refused soon.  What can be read is
 * analysed as well: there is a problem, or a message. */
#include "keel/model.h"
#include "model/read.h"
#include "test/fuzz/fuzz.h"

static void check_expression(const flat_model *m, expr e)
{
    PROMISE(e < m->pool.count);
}

static void check_pool(const flat_model *m)
{
    for (uint32_t i = 1; i < m->pool.count; i++) {
        const expr_node *n = pool_at(&m->pool, i);
        PROMISE(n->op > EXPR_NONE && n->op < EXPR_OPS);
        if (n->op == EXPR_VARIABLE || n->op == EXPR_PRE) PROMISE(n->a < (uint32_t)m->variables);
        if (expr_operands((expr_op)n->op) >= 1) PROMISE(n->a && n->a < i);
        if (expr_operands((expr_op)n->op) == 2 && n->op != EXPR_ARGUMENT) PROMISE(n->b && n->b < i);
        if (n->op == EXPR_CALL) PROMISE(n->a < i && n->b < (uint32_t)m->calls);
    }
}

static void check_model(const flat_model *m)
{
    check_pool(m);
    for (int i = 0; i < m->variables; i++) {
        const flat_variable *v = &m->variable[i];
        PROMISE(v->name && v->comment && v->unit && v->quantity && v->display_unit);
        check_expression(m, v->start);
        check_expression(m, v->binding);
        if (v->variability <= FLAT_PARAMETER && v->fixed != 0) PROMISE(v->binding || v->start);
    }
    for (int i = 0; i < m->equations; i++) {
        PROMISE(m->equation[i].left && m->equation[i].right && m->equation[i].indices && m->equation[i].from);
        check_expression(m, m->equation[i].left);
        check_expression(m, m->equation[i].right);
    }
    for (int i = 0; i < m->initials; i++) PROMISE(m->initial[i].left && m->initial[i].right);
    for (int i = 0; i < m->whens; i++) PROMISE(m->when[i].branch + m->when[i].branches <= m->branches);
    for (int i = 0; i < m->branches; i++) PROMISE(m->branch[i].fires && m->branch[i].action + m->branch[i].actions <= m->actions);
    for (int i = 0; i < m->actions; i++)
        if (m->action[i].kind <= ACTION_REINIT) PROMISE(m->action[i].variable < (uint32_t)m->variables && m->action[i].value);
    for (int i = 0; i < m->assertions; i++) PROMISE(m->assertion[i].condition && m->assertion[i].text);
}

static void call_functions(const flat_model *m)
{
    for (int i = 0; i < m->functions; i++) {
        const flat_function *f = &m->function[i];
        double *in = calloc((size_t)f->inputs + 1, sizeof *in), *out = calloc((size_t)f->outputs + 1, sizeof *out);
        PROMISE(in && out);
        for (int k = 0; k < f->inputs; k++) in[k] = 1 + k;
        f->evaluate(f->self, in, out);
        free(in);
        free(out);
    }
}

static void check_words(const char *said)
{
    for (const char *c = said; *c; c++) PROMISE((unsigned char)*c >= ' ' || *c == '\n');
}

/* To the start of a run, which may be refused, with a message. */
static void analyse(const uint8_t *data, size_t size)
{
    keel_model *m = NULL;
    keel_start_spec start;
    keel_solver *solver = NULL;
    int rc = keel_model_read_text(&m, "fuzz.mo", (const char *)data, size, NULL);
    PROMISE(m != NULL);
    const keel_problem *problem = rc == KEEL_OK ? keel_model_problem(m) : NULL;
    check_words(keel_model_message(m));
    if (!problem) PROMISE(*keel_model_message(m));
    else if (keel_solver_create(&solver, problem, NULL) == KEEL_OK &&
             keel_model_start(m, &start) == KEEL_OK) {
        rc = keel_start_with(solver, &start);
        if (rc != KEEL_OK) PROMISE(*keel_message(solver));
        check_words(keel_message(solver));
    }
    keel_solver_free(solver);
    keel_model_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const limits small = {.scalars = 500, .work = 20000, .memory = (size_t)64 << 20};
    source *s = source_create();
    flat_model *m;
    PROMISE(s != NULL);
    int text = source_add(s, "fuzz.mo", (const char *)data, size);
    PROMISE(text == 0);
    int rc = flat_read_within(&m, s, text, NULL, NULL, 0, &small);
    const char *said = source_messages(s);
    check_words(said);
    if (rc) PROMISE(rc == KEEL_BAD_ARGUMENT && !m && *said);
    else {
        PROMISE(m && !source_errors(s));
        check_model(m);
        call_functions(m);
    }
    flat_free(m);
    source_free(s);
    if (rc == KEEL_OK) analyse(data, size);
    return 0;
}
