/* run_ida.c -- one bundled problem at one tolerance: IDA in all its forms, or Keel; lines of CSV.
 *
 *   run_ida IDA|METHOD PROBLEM RTOL [OPTION=VALUE ...]
 *
 * Fields as in peers.csv without instructions: problem, form, solver, rtol, status, scd, steps,
 * rhs, jacobian, lu; then the processor's seconds with the making of the solver (IDA).  rhs leaves
 * difference quotients out, for both.  atol = rtol; the forms daev
 * and daet of robertson have atol_i = rtol scale_i.  Keel solves the equations as they are: form
 * "given", in robertson named after atol.  Steps are IDA's accepted ones and Keel's attempts.
 *
 * In slider-crank IDA finds no first step for ggl and index2 at 1e-7 and below, so it is given one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench/ida_run.h"

enum { MOST_STEPS = 200000 };

/* robertson: tolerances in the ratios of the SUNDIALS examples, and as far as y falls. */
static const double example_scale[] = {1e-4, 1e-10, 1e-2}, tight_scale[] = {1e-8, 1e-13, 1};

static void set_tolerances(setting *s, double rtol, const double *scale)
{
    s->rtol = rtol;
    for (int i = 0; i < s->problem->size; i++) s->atol[i] = rtol * (scale ? scale[i] : 1);
}

static void print_line(const setting *s, const char *form, const char *solver, const char *status,
                       double scd, const long counts[4], double seconds)
{
    printf("%s,%s,%s,%g,%s,", s->problem->name, form, solver, s->rtol, status);
    if (!isnan(scd)) printf("%.2f", scd);
    for (int i = 0; i < 4; i++) printf(",%ld", counts[i]);
    if (!isnan(seconds)) printf(",%.6f", seconds);
    putchar('\n');
    fflush(stdout);
}

static void run_ida(const setting *s, ida_form *form)
{
    ida_run r;
    char status[32] = "ok";
    long counts[4] = {0};
    double t;
    const clock_t begin = clock();
    int flag = ida_run_create(&r, s, form);
    IDASetMaxNumSteps(r.ida, MOST_STEPS);
    if (flag == 0) flag = IDASolve(r.ida, s->problem->t_end, &t, r.y, r.yp, IDA_NORMAL);
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    IDAGetNumSteps(r.ida, &counts[0]);
    IDAGetNumResEvals(r.ida, &counts[1]);
    IDAGetNumJacEvals(r.ida, &counts[2]);
    IDAGetNumLinSolvSetups(r.ida, &counts[3]);
    if (flag < 0) snprintf(status, sizeof status, "failed:%d", flag);
    print_line(s, form->name, "IDA", status, flag < 0 ? NAN : ida_scd(&r, s, form), counts,
               seconds);
    ida_run_free(&r);
}

/* A problem with one choice of atol. */
typedef struct subject {
    const bundled_problem *problem;
    const char *form;                        /* as Keel solves it */
    const double *scale;                     /* atol_i / rtol; NULL: 1 */
    keel_mechanical_spec (*mechanical)(const double *parameters);
    double initial_step;                     /* for IDA; 0: its choice */
    ida_form given;                          /* unless mechanical */
} subject;

#define ROBERTSON(label) {.name = label, .residual = residual_given, .jacobian = jacobian_given, \
                         .size = 3, .semi_explicit = &problem_robertson_spec}
static const subject subjects[] = {
    {.problem = &problem_robertson, .form = "dae", .given = ROBERTSON("dae")},
    {.problem = &problem_robertson, .form = "daev", .scale = example_scale,
     .given = ROBERTSON("daev")},
    {.problem = &problem_robertson, .form = "daet", .scale = tight_scale,
     .given = ROBERTSON("daet")},
    {.problem = &problem_chemical_akzo_nobel, .form = "given",
     .given = {.name = "dae", .residual = residual_given, .jacobian = jacobian_given, .size = 6,
               .semi_explicit = &problem_chemical_akzo_nobel_spec}},
    {.problem = &problem_transistor_amplifier, .form = "given",
     .given = {.name = "semi", .residual = residual_coupled, .size = 8,
               .quasilinear = &problem_transistor_amplifier_spec}},
    {.problem = &problem_slider_crank, .form = "given", .mechanical = problem_slider_crank_spec,
     .initial_step = 1e-9},
    {.problem = &problem_car_axis, .form = "given", .mechanical = problem_car_axis_spec},
    {.problem = &problem_andrews, .form = "given", .mechanical = problem_andrews_spec},
    {.problem = &problem_pendulum, .form = "given", .mechanical = problem_pendulum_spec},
};

static void run_mechanical(const setting *s, const subject *of)
{
    const keel_mechanical_spec spec = of->mechanical(s->parameters);
    const int n = spec.positions, m = spec.constraints;
    for (size_t k = 0; k < sizeof mechanical_forms / sizeof *mechanical_forms; k++) {
        const mechanical_form *f = &mechanical_forms[k];
        ida_form form = {.name = f->name, .residual = f->residual, .mechanical = &spec,
                         .size = (2 + f->more_positions) * n + (1 + f->more_constraints) * m,
                         .baumgarte = f->baumgarte, .test_all = f->test_all,
                         .initial_step = of->initial_step};
        run_ida(s, &form);
    }
}

/* As given; and with the algebraic unknowns in the error test. */
static int run_given(const setting *s, const ida_form *given)
{
    ida_form form = *given;
    char name[32];
    if (form.quasilinear && coupled_capacitance(form.quasilinear, form.capacitance)) return 1;
    run_ida(s, &form);
    snprintf(name, sizeof name, "%s-all", given->name);
    form.name = name;
    form.test_all = 1;
    run_ida(s, &form);
    return 0;
}

static int run_keel(const setting *s, keel_problem *problem, const char *form,
                    const keel_options *asked)
{
    keel_options options = *asked;
    keel_solver *solver;
    long counts[4] = {0};
    double scd = NAN;
    const double t_end = s->problem->t_end;
    options.rtol = s->rtol;
    options.atol_each = s->atol;
    int status = keel_solver_create(&solver, problem, &options);
    if (status == KEEL_OK) status = keel_start(solver, s->problem->t_start, s->y0);
    if (status == KEEL_OK) status = keel_set_stop_time(solver, t_end);
    if (status == KEEL_OK) status = keel_advance_to(solver, t_end);
    const keel_stats *stats = solver ? keel_solver_stats(solver) : NULL;
    if (stats) {
        counts[0] = stats->steps;
        counts[1] = stats->rhs;
        counts[2] = stats->jacobian;
        counts[3] = stats->factorizations;
    }
    if (status == KEEL_OK)
        scd = bundled_scd(s->problem, s->parameters, t_end, keel_state(solver), 0);
    else fprintf(stderr, "%s: %s\n", s->problem->name,
                 solver ? keel_message(solver) : keel_status_text(status));
    print_line(s, form, options.method, status == KEEL_OK ? "ok" : keel_status_name(status), scd,
               counts, NAN);
    keel_solver_free(solver);
    return status != KEEL_OK;
}

/* options NULL: IDA. */
static int run(const subject *of, double rtol, const keel_options *options)
{
    const bundled_problem *p = of->problem;
    setting s = {.problem = p};
    keel_problem *problem = NULL;
    int failed = 0;
    for (int i = 0; i < p->parameter_count; i++) s.parameters[i] = p->parameters[i].value;
    set_tolerances(&s, rtol, of->scale);
    int status = p->create(&problem, s.parameters);
    if (status == KEEL_OK) status = find_start(&s, problem);
    if (status != KEEL_OK) fprintf(stderr, "%s: %s\n", p->name, keel_status_text(status));
    else if (options) failed = run_keel(&s, problem, of->form, options);
    else if (of->mechanical) run_mechanical(&s, of);
    else failed = run_given(&s, &of->given);
    keel_problem_free(problem);
    return failed || status != KEEL_OK;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: %s IDA|METHOD PROBLEM RTOL [OPTION=VALUE ...]\n", argv[0]);
        return 2;
    }
    keel_options options = {.method = argv[1], .max_steps = MOST_STEPS};
    for (int i = 4; i < argc; i++) {
        char message[200], *value = strchr(argv[i], '=');
        if (value) *value++ = '\0';
        if (keel_option_set(&options, argv[i], value ? value : "", message, sizeof message)) {
            fprintf(stderr, "%s\n", message);
            return 2;
        }
    }
    const int ida = strcmp(argv[1], "IDA") == 0;
    int found = 0, failed = 0;
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        if (strcmp(subjects[i].problem->name, argv[2]) != 0) continue;
        found = 1;
        failed |= run(&subjects[i], atof(argv[3]), ida ? NULL : &options);
    }
    if (!found) fprintf(stderr, "no forms for IDA of the problem '%s'\n", argv[2]);
    return found ? failed : 2;
}
