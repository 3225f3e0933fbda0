/* tape_run.c -- runs a tape: direct threaded code with gcc and its like, a switch elsewhere.
 *
 * Each instruction holds the address of its code and ends with the jump to that of the next one
 * [Bell, Comm. ACM 16 (1973) 370]: no loop, no table, and the processor predicts each jump by itself.
 * Labels as values are an extension; this is the only file that knows of them.
 */
#include "model/tape.h"
#include "model/tape_ops.h"

#include <math.h>

#if defined(__GNUC__) && !defined(KEEL_TAPE_SWITCH)
#pragma GCC diagnostic ignored "-Wpedantic"
#define THREADED 1
#endif

#define AT(offset) (*(double *)(void *)(r + i->offset))
#define R AT(to)
#define A AT(a)
#define B AT(b)
#define C AT(c)
#define D AT(d)

void tape_call(const eval_tape *t, uint32_t which, char *registers)
{
    const tape_call_site *s = &t->site[which];
    const call_function *f = &t->calls->function[s->function];
    double *r = (double *)(void *)registers, *in = r + t->call_at, *out = r + s->to;
    for (int k = 0; k < f->inputs; k++) in[k] = r[t->input[s->first_input + (uint32_t)k]];
    if (calls_evaluate(t->calls, s->function, in, out, in + f->inputs) == 0) return;
    for (int k = 0; k < f->outputs; k++) out[k] = NAN;
}

#ifdef THREADED

static void run(const eval_tape *t, double *registers, const void *const **labels)
{
    static const void *const label[] = {
#define X(name, body) &&LABEL_##name,
        TAPE_OPS(X)
#undef X
        &&LABEL_END};
    char *r = (char *)registers;
    if (labels) {
        *labels = label;
        return;
    }
    const instruction *i = t->code;
    goto *i->what.code;
#define X(name, body) LABEL_##name: body; i++; goto *i->what.code;
    TAPE_OPS(X)
#undef X
LABEL_END:
    return;
}

void tape_thread(eval_tape *t)
{
    const void *const *label;
    run(NULL, NULL, &label);
    for (long k = 0; k < t->count; k++) t->code[k].what.code = label[t->code[k].what.op];
}

void tape_run(const eval_tape *t, double *registers) { run(t, registers, NULL); }

#else

void tape_thread(eval_tape *t) { (void)t; }

void tape_run(const eval_tape *t, double *registers)
{
    char *r = (char *)registers;
    for (const instruction *i = t->code;; i++)
        switch ((enum tape_op)i->what.op) {
#define X(name, body) case TAPE_##name: body; break;
            TAPE_OPS(X)
#undef X
        default: return;
        }
}

#endif
