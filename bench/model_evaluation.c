/* model_evaluation.c -- what one evaluation of a model costs: by the tape, compiled, by hand.
 *
 *     model_evaluation FILE.mo rate|jacobian|both|native|hand [NAME VALUE ...]
 *
 * evaluates ten times.  Count instructions of what is asked for alone:
 *
 *     valgrind --tool=callgrind --toggle-collect=tape_run       bench/model_evaluation ladder.mo rate
 *     valgrind --tool=callgrind --toggle-collect=keel_f0        bench/model_evaluation ladder.mo native
 *     valgrind --tool=callgrind --toggle-collect=hand_ladder    bench/model_evaluation ladder.mo hand
 *     valgrind --tool=callgrind --toggle-collect=hand_diffusion bench/model_evaluation diffusion.mo hand n 40
 *     valgrind --tool=callgrind --toggle-collect=andrews_evaluate bench/model_evaluation andrews.mo hand
 *
 * "both": rates and Jacobian in one tape.  Of a mechanical model the rate is what accelerations need, M, f, G
 * and the curvature, which is tape 4 (keel_f4), and the Jacobian that of f.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/object.h"
#include "problems/andrews.h"

enum { TIMES = 10 };

/* bench/models/ladder.mo, unknowns in its order: u, i. */
__attribute__((noinline)) void hand_ladder(double t, const double *y, double *f);
void hand_ladder(double t, const double *y, double *f)
{
    const int n = 500;
    const double *u = y, *i = y + n, R = 1e3, C = 1e-6, L = 1e-3, Is = 1e-12, Vt = 0.026;
    f[n] = (sin(1000 * t) - u[0] - R * i[0]) / L;
    for (int k = 1; k < n; k++) f[n + k] = (u[k - 1] - u[k] - R * i[k]) / L;
    for (int k = 0; k < n - 1; k++) f[k] = (i[k] - i[k + 1] - Is * (exp(u[k] / Vt) - 1)) / C;
    f[n - 1] = (i[n - 1] - Is * (exp(u[n - 1] / Vt) - 1)) / C;
}

static double flux(double a, double b, double h) { return (1 + 0.25 * (a + b) * (a + b)) * (b - a) / h; }

/* bench/models/diffusion.mo with n x n cells; the sources are constant. */
__attribute__((noinline)) void hand_diffusion(int n, const double *T, const double *heat, double *f);
void hand_diffusion(int n, const double *T, const double *heat, double *f)
{
    const double h = 1.0 / n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const double *here = &T[i * n + j];
            const double right = i == n - 1 ? 0 : flux(here[0], here[n], h);
            const double left = i == 0 ? 0 : flux(here[-n], here[0], h);
            const double above = j == n - 1 ? 0 : flux(here[0], here[1], h);
            const double below = j == 0 ? 0 : flux(here[-1], here[0], h);
            f[i * n + j] = (right - left + above - below) / h + heat[i * n + j];
        }
}

enum { BODIES = 7, LOOPS = 6, ACCELERATION_TAPE = 4 };

/* problems/andrews.c, asked for the same parts. */
static void hand_andrews(const double *y)
{
    double mass[BODIES * BODIES] = {0}, force[BODIES], constraint[LOOPS], jacobian[LOOPS * BODIES] = {0};
    double time[LOOPS], curvature[LOOPS];
    const keel_mechanical_parts parts = {mass, force, constraint, jacobian, time, curvature};
    andrews_evaluate(0.1, y, y + BODIES, mechanical_tapes[ACCELERATION_TAPE], &parts, NULL);
}

static void by_hand(const keel_model *m, const double *y, double *f, double *zero)
{
    const int size = m->evaluation.differential;
    if (strstr(m->path, "andrews")) hand_andrews(y);
    else if (strstr(m->path, "ladder")) hand_ladder(0.1, y, f);
    else hand_diffusion((int)lround(sqrt(size)), y, zero, f);
}

static int rate_tape(const keel_model *m)
{
    return m->mechanical.positions ? m->programs.parts[ACCELERATION_TAPE] : m->programs.rate;
}

static int jacobian_tape(const keel_model *m)
{
    return m->mechanical.positions ? m->programs.force_jacobian : m->programs.jacobian;
}

/* Rates and Jacobian together. */
static int add_both(keel_model *m)
{
    evaluation *e = &m->evaluation;
    const int rates = e->outputs[rate_tape(m)], entries = e->outputs[jacobian_tape(m)];
    expr *all = malloc(((size_t)rates + (size_t)entries) * sizeof *all);
    if (!all) return -1;
    memcpy(all, e->output[rate_tape(m)], (size_t)rates * sizeof *all);
    memcpy(all + rates, e->output[jacobian_tape(m)], (size_t)entries * sizeof *all);
    const int tape = evaluation_add(e, all, rates + entries);
    free(all);
    return tape;
}

static int run(keel_model *m, const char *what)
{
    evaluation *e = &m->evaluation;
    const size_t size = (size_t)(e->differential + e->algebraic) + 1;
    double *y = malloc(size * sizeof *y), *f = calloc(size, sizeof *f), *zero = calloc(size, sizeof *zero);
    const int both = strcmp(what, "both") == 0 ? add_both(m) : 0;
    if (!y || !f || !zero || both < 0) return 1;
    const int tape = both ? both : strcmp(what, "jacobian") == 0 ? jacobian_tape(m) : rate_tape(m);
    for (size_t i = 0; i + 1 < size; i++) y[i] = m->plan.y[i] + 0.01 * sin((double)i);
    if (strcmp(what, "native") == 0 && keel_model_compile(m) == KEEL_OK)
        while (keel_model_compiled(m) == 0) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    const model_point at = {0.1, y, y + e->differential, m->mode_start, m->mode_start, m->value_start,
                            m->value_start, 0};
    workspace *w = evaluation_take(&m->evaluation);
    if (both) {                                  /* workspaces were made before this tape */
        free(w->registers);
        free(w->block);
        if (evaluation_complete(e)) return 1;
        w = &e->space[0];
    }
    for (int k = 0; k < TIMES; k++)
        if (strcmp(what, "hand") == 0) by_hand(m, y, f, zero);
        else evaluation_run(e, w, tape, &at);
    printf("%s: %zu unknowns, %ld instructions of the tape, evaluated %d times\n", what, size - 1,
           tape_instructions(e->tape[tape]), TIMES);
    free(y);
    free(f);
    free(zero);
    return 0;
}

int main(int count, char **words)
{
    keel_model *m = NULL;
    if (count < 3 || keel_model_read(&m, words[1], NULL) != KEEL_OK) return 2;
    for (int k = 3; k + 1 < count; k += 2) keel_model_parameter_text(m, words[k], words[k + 1]);
    if (!keel_model_problem(m)) {
        fputs(keel_model_message(m), stderr);
        return 1;
    }
    const int code = run(m, words[2]);
    keel_model_free(m);
    return code;
}
