/* beside_ida.c -- Keel and IDA (SUNDIALS) on the same equations, in one process.
 *
 *   beside_ida [PROBLEM ...]
 *
 * Both get the same tolerances, start from the same consistent values and end at the same time;
 * IDA leaves algebraic unknowns out of its error test.  cpu is the least of several runs,
 * creation of the solvers left out; only the ratio means something on another machine.
 * Drift: largest |g| and |G v + g_t| over all accepted steps.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench/ida_run.h"

enum { MOST_RUNS = 50 };
static const double enough_seconds = 0.2;

typedef struct outcome {
    long steps, rhs;
    double scd, drift[2], cpu;               /* drift NAN: no such constraint; cpu NAN: failed */
} outcome;

static double seconds_since(clock_t begin) { return (double)(clock() - begin) / CLOCKS_PER_SEC; }

static int integrate_keel(keel_solver *solver, const setting *s)
{
    const double t_end = s->problem->t_end;
    int status = keel_start(solver, s->problem->t_start, s->y0);
    if (status == KEEL_OK) status = keel_set_stop_time(solver, t_end);
    while (status == KEEL_OK && keel_time(solver) != t_end) status = keel_step(solver);
    return status;
}

static outcome run_keel(const setting *s, keel_problem *problem)
{
    const keel_options options = {.rtol = s->rtol, .atol_each = s->atol};
    outcome o = {.scd = NAN, .drift = {NAN, NAN}, .cpu = NAN};
    double total = 0;
    for (int k = 0; k < MOST_RUNS && total < enough_seconds; k++) {
        keel_solver *solver;
        int status = keel_solver_create(&solver, problem, &options);
        const clock_t begin = clock();
        if (status == KEEL_OK) status = integrate_keel(solver, s);
        const double cpu = seconds_since(begin);
        total += cpu;
        if (status != KEEL_OK) {
            fprintf(stderr, "Keel, %s: %s\n", s->problem->name, keel_message(solver));
            keel_solver_free(solver);
            return (outcome){.scd = NAN, .drift = {NAN, NAN}, .cpu = NAN};
        }
        const keel_stats *stats = keel_solver_stats(solver);
        o.steps = stats->steps;
        o.rhs = stats->rhs;
        o.scd = bundled_scd(s->problem, s->parameters, s->problem->t_end, keel_state(solver), 0);
        for (int i = 0; i < 2; i++) o.drift[i] = stats->residual[i] >= 0 ? stats->residual[i] : NAN;
        o.cpu = fmin(o.cpu, cpu);
        keel_solver_free(solver);
    }
    return o;
}

/* Raises drift[] to the largest constraint residuals at y. */
static void ida_drift(const ida_form *form, double t, const double *y, double drift[2])
{
    if (form->mechanical) {
        const keel_mechanical_spec *spec = form->mechanical;
        mechanical_values at;
        double velocity[MAX_M];
        mechanical_evaluate(spec, t, y, y + spec->positions, KEEL_CONSTRAINT
                            | KEEL_CONSTRAINT_JACOBIAN | KEEL_CONSTRAINT_TIME, &at);
        constraint_rows(spec, at.G, y + spec->positions, at.g_t, velocity);
        for (int k = 0; k < spec->constraints; k++) {
            drift[0] = fmax(drift[0], fabs(at.g[k]));
            drift[1] = fmax(drift[1], fabs(velocity[k]));
        }
    } else if (form->semi_explicit) {
        const keel_semi_explicit_spec *spec = form->semi_explicit;
        double g[MAX_SIZE];
        spec->constraint(t, y, y + spec->differential, g, spec->context);
        for (int k = 0; k < spec->algebraic; k++) drift[0] = fmax(drift[0], fabs(g[k]));
    }
}

/* The integration, with a look at the constraints after each step when drift is wanted. */
static int integrate_ida(ida_run *r, const setting *s, const ida_form *form, double *drift)
{
    double t = s->problem->t_start;
    int flag = 0;
    if (!drift) return IDASolve(r->ida, s->problem->t_end, &t, r->y, r->yp, IDA_NORMAL);
    while (flag >= 0 && t < s->problem->t_end) {
        flag = IDASolve(r->ida, s->problem->t_end, &t, r->y, r->yp, IDA_ONE_STEP);
        if (flag >= 0) ida_drift(form, t, N_VGetArrayPointer(r->y), drift);
    }
    return flag;
}

static void ida_outcome(const ida_run *r, const setting *s, const ida_form *form, outcome *o)
{
    long counts[4], for_jacobian = 0;
    ida_run_counts(r, counts);
    IDAGetNumLinResEvals(r->ida, &for_jacobian);
    o->steps = counts[0];
    o->rhs = counts[1] + for_jacobian;
    o->scd = ida_scd(r, s, form);
}

static outcome run_ida(const setting *s, ida_form *form)
{
    outcome o = {.scd = NAN, .drift = {NAN, NAN}, .cpu = NAN};
    double total = 0;
    for (int k = 0; k < MOST_RUNS && total < enough_seconds; k++) {
        ida_run r;
        int flag = ida_run_create(&r, s, form);
        const clock_t begin = clock();
        if (flag == 0) flag = integrate_ida(&r, s, form, k == 0 ? o.drift : NULL);
        const double cpu = seconds_since(begin);
        if (flag >= 0 && k == 0) {           /* this run looked at the constraints */
            ida_outcome(&r, s, form, &o);
        } else if (flag >= 0) {
            total += cpu;
            o.cpu = fmin(o.cpu, cpu);
        }
        ida_run_free(&r);
        if (flag < 0) break;
    }
    return o;
}

static void print_number(const char *format, int width, double x)
{
    if (isnan(x)) printf("%*s", width, "-");
    else printf(format, x);
}

static void print_line(const char *problem, const char *form, double rtol, const outcome *keel,
                       const outcome *ida)
{
    printf("%-21s%-8s%6.0e |%6ld %6ld |%7ld %7ld |", problem, form, rtol, keel->steps, ida->steps,
           keel->rhs, ida->rhs);
    print_number("%7.2f", 7, keel->scd);
    print_number("%7.2f", 7, ida->scd);
    printf(" |");
    print_number("%9.0e", 9, keel->drift[0]);
    print_number("%7.0e", 7, ida->drift[0]);
    printf(" |");
    print_number("%9.0e", 9, keel->drift[1]);
    print_number("%7.0e", 7, ida->drift[1]);
    printf(" |");
    print_number("%6.2f", 6, keel->cpu / ida->cpu);
    putchar('\n');
    fflush(stdout);
}

/* One problem in one form at three tolerances; atol = rtol scale_i. */
static int compare(const bundled_problem *p, ida_form *form, const double *parameters,
                   const double *scale)
{
    setting s = {.problem = p, .t_end = p->t_end};
    keel_problem *problem;
    memcpy(s.parameters, parameters, sizeof s.parameters);
    int status = p->create(&problem, s.parameters);
    if (form->quasilinear && coupled_capacitance(form->quasilinear, form->capacitance))
        status = KEEL_CALLBACK_FAILED;
    if (status == KEEL_OK) status = find_start(&s, problem);
    for (int k = 4; k <= 8 && status == KEEL_OK; k += 2) {
        s.rtol = pow(10, -k);
        for (int i = 0; i < p->size; i++) s.atol[i] = s.rtol * (scale ? scale[i] : 1);
        const outcome keel = run_keel(&s, problem), ida = run_ida(&s, form);
        print_line(k == 4 ? p->name : "", k == 4 ? form->name : "", s.rtol, &keel, &ida);
    }
    keel_problem_free(problem);
    return status;
}

static void print_head(void)
{
    printf("IDA (SUNDIALS) beside Keel, rtol = atol (robertson: atol per unknown)\n\n");
    printf("%-35s |%13s |%15s |%14s |%16s |%16s |%6s\n", "", "steps", "evaluations", "scd",
           "position drift", "velocity drift", "cpu");
    printf("%-21s%-8s%6s |%6s %6s |%7s %7s |%7s%7s |%9s%7s |%9s%7s |%6s\n", "problem", "form",
           "rtol", "Keel", "IDA", "Keel", "IDA", "Keel", "IDA", "Keel", "IDA", "Keel", "IDA",
           "K/IDA");
}

static int wanted(const bundled_problem *p, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], p->name) == 0) return 1;
    return argc == 1;
}

int main(int argc, char **argv)
{
    static const double robertson_scale[] = {1e-8, 1e-13, 1};       /* y falls that far */
    const double parameters[4] = {problem_pendulum.parameters[0].value};
    const double car_parameters[4] = {problem_car_axis.parameters[0].value};
    const keel_mechanical_spec pendulum = problem_pendulum_spec(parameters);
    const keel_mechanical_spec andrews = problem_andrews_spec(NULL);
    const keel_mechanical_spec car = problem_car_axis_spec(car_parameters);
    const struct {
        const bundled_problem *problem;
        ida_form form;
        const double *parameters, *scale;
    } cases[] = {
        {&problem_pendulum, {"index 1", residual_index1, NULL, 5, .mechanical = &pendulum},
         parameters, NULL},
        {&problem_pendulum, {"GGL", residual_ggl, NULL, 6, .mechanical = &pendulum},
         parameters, NULL},
        {&problem_andrews, {"index 1", residual_index1, NULL, 20, .mechanical = &andrews},
         parameters, NULL},
        {&problem_car_axis, {"index 1", residual_index1, NULL, 10, .mechanical = &car},
         car_parameters, NULL},
        {&problem_car_axis, {"GGL", residual_ggl, NULL, 12, .mechanical = &car},
         car_parameters, NULL},
        {&problem_robertson, {"given", residual_given, jacobian_given, 3,
         .semi_explicit = &problem_robertson_spec}, parameters, robertson_scale},
        {&problem_chemical_akzo_nobel, {"given", residual_given, jacobian_given, 6,
         .semi_explicit = &problem_chemical_akzo_nobel_spec}, parameters, NULL},
        {&problem_transistor_amplifier, {"coupled", residual_coupled, NULL, 8,
         .quasilinear = &problem_transistor_amplifier_spec}, parameters, NULL},
    };
    int failed = 0;

    print_head();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ida_form form = cases[i].form;
        if (wanted(cases[i].problem, argc, argv))
            failed |= compare(cases[i].problem, &form, cases[i].parameters, cases[i].scale) != 0;
    }
    return failed;
}
