/* run_sundials.c -- one bundled problem at some tolerances: a code of SUNDIALS, or Keel; lines of CSV.
 *
 *   run_sundials IDA|CVODE-Adams|CVODE-BDF|ARKODE-DP5|ARKODE-ERK8 PROBLEM RTOL[,RTOL...] [FORM]
 *   run_sundials METHOD PROBLEM RTOL[,RTOL...] [OPTION=VALUE ...]
 *
 * Fields as in peers.csv without instructions: problem, form, solver, rtol, status, scd, steps,
 * rhs, jacobian, lu; then the processor's seconds with the making of the solver (SUNDIALS).  rhs leaves
 * difference quotients out.  A code of SUNDIALS solves all forms that it can, or FORM.  atol = rtol; the
 * forms daev and daet (odev, odet) of robertson have atol_i = rtol scale_i.  Keel solves the equations as
 * they are: form "given", in robertson named after atol.  Steps are the accepted ones of SUNDIALS and
 * Keel's attempts.
 *
 * In slider-crank IDA finds no first step for ggl and index2 at 1e-7 and below, so it is given one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench/ode_run.h"

/* A code of SUNDIALS with what it solves. */
typedef struct peer {
    const ode_code *code;                    /* NULL: IDA */
    ida_form *implicit;                      /* for IDA */
    ode_form *explicit;                      /* for the others */
    ida_run ida;
    ode_run ode;
} peer;

/* External functions of their own, for callgrind's --toggle-collect: same_flags.sh. */
__attribute__((noinline)) int make_peer(peer *p, const setting *s);
__attribute__((noinline)) int integrate_peer(peer *p, const setting *s);

int make_peer(peer *p, const setting *s)
{
    return p->code ? ode_run_create(&p->ode, s, p->explicit, p->code)
                   : ida_run_create(&p->ida, s, p->implicit);
}

int integrate_peer(peer *p, const setting *s)
{
    double t;
    return p->code ? ode_run_integrate(&p->ode, s->t_end)
                   : IDASolve(p->ida.ida, s->t_end, &t, p->ida.y, p->ida.yp, IDA_NORMAL);
}

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
    printf("%s,%s,%s,%g,%s,", s->name, form, solver, s->rtol, status);
    if (!isnan(scd)) printf("%.2f", scd);
    for (int i = 0; i < 4; i++) printf(",%ld", counts[i]);
    if (!isnan(seconds)) printf(",%.6f", seconds);
    putchar('\n');
    fflush(stdout);
}

static void run_peer(peer *p, const setting *s)
{
    const char *form = p->code ? p->explicit->name : p->implicit->name;
    char status[32] = "ok";
    long counts[4] = {0};
    if (s->form && strcmp(s->form, form) != 0) return;
    const clock_t begin = clock();
    int flag = make_peer(p, s);
    if (flag == 0) flag = integrate_peer(p, s);
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    if (p->code) ode_run_counts(&p->ode, counts);
    else ida_run_counts(&p->ida, counts);
    double scd = NAN;
    if (flag < 0) snprintf(status, sizeof status, "failed:%d", flag);
    else scd = p->code ? ode_scd(&p->ode, s, p->explicit) : ida_scd(&p->ida, s, p->implicit);
    print_line(s, form, p->code ? p->code->name : "IDA", status, scd, counts, seconds);
    if (p->code) ode_run_free(&p->ode);
    else ida_run_free(&p->ida);
}

/* A problem with one choice of end and atol. */
typedef struct subject {
    const bundled_problem *problem;
    const char *name;                        /* NULL: that of the problem */
    const char *form;                        /* as Keel solves it */
    const double *scale;                     /* atol_i / rtol; NULL: 1 */
    keel_mechanical_spec (*mechanical)(const double *parameters);
    double t_end;                            /* 0: that of the problem */
    double initial_step;                     /* for IDA; 0: its choice */
    CVRhsFn by_hand;                         /* mechanical, as an ODE; NULL: accelerations */
    ida_form given;                          /* unless mechanical */
    ode_form ode;                            /* the same as an ODE, if it has a name */
} subject;

#define ROBERTSON(label, ode_label) \
    .given = {.name = label, .residual = residual_given, .jacobian = jacobian_given, .size = 3, \
              .semi_explicit = &problem_robertson_spec}, \
    .ode = {.name = ode_label, .rhs = rates, .size = 2, .semi_explicit = &problem_robertson_spec, \
            .slope = 1}
static const subject subjects[] = {
    {.problem = &problem_robertson, .form = "dae", ROBERTSON("dae", "ode")},
    {.problem = &problem_robertson, .form = "daev", .scale = example_scale, ROBERTSON("daev", "odev")},
    {.problem = &problem_robertson, .form = "daet", .scale = tight_scale, ROBERTSON("daet", "odet")},
    {.problem = &problem_chemical_akzo_nobel, .form = "given",
     .given = {.name = "dae", .residual = residual_given, .jacobian = jacobian_given, .size = 6,
               .semi_explicit = &problem_chemical_akzo_nobel_spec},
     .ode = {.name = "ode", .rhs = rates, .size = 5, .semi_explicit = &problem_chemical_akzo_nobel_spec,
             .slope = -1}},
    {.problem = &problem_transistor_amplifier, .form = "given",
     .given = {.name = "semi", .residual = residual_coupled, .size = 8,
               .quasilinear = &problem_transistor_amplifier_spec}},
    {.problem = &problem_slider_crank, .form = "given", .mechanical = problem_slider_crank_spec,
     .initial_step = 1e-9},
    {.problem = &problem_car_axis, .form = "given", .mechanical = problem_car_axis_spec},
    {.problem = &problem_andrews, .form = "given", .mechanical = problem_andrews_spec},
    {.problem = &problem_andrews, .name = "andrews-05", .form = "given",
     .mechanical = problem_andrews_spec, .t_end = 0.05},
    {.problem = &problem_pendulum, .form = "given", .mechanical = problem_pendulum_spec,
     .by_hand = pendulum_by_hand},
    {.problem = &problem_pendulum, .name = "pendulum-1000", .form = "given",
     .mechanical = problem_pendulum_spec, .t_end = 1000, .by_hand = pendulum_by_hand},
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
        run_peer(&(peer){.implicit = &form}, s);
    }
}

/* As given; and with the algebraic unknowns in the error test. */
static int run_given(const setting *s, const ida_form *given)
{
    ida_form form = *given;
    char name[32];
    if (form.quasilinear && coupled_capacitance(form.quasilinear, form.capacitance)) return 1;
    run_peer(&(peer){.implicit = &form}, s);
    snprintf(name, sizeof name, "%s-all", given->name);
    form.name = name;
    form.test_all = 1;
    run_peer(&(peer){.implicit = &form}, s);
    return 0;
}

/* As an ODE; and projected, where there is something to project onto and the code can. */
static int run_as_ode(const setting *s, const subject *of, const ode_code *code)
{
    keel_mechanical_spec spec;
    ode_form form = of->ode;
    peer by = {.code = code, .explicit = &form};
    if (of->mechanical) {
        spec = of->mechanical(s->parameters);
        form = (ode_form){.name = "ode", .mechanical = &spec, .size = 2 * spec.positions,
                          .rhs = of->by_hand ? of->by_hand : accelerations};
    }
    if (!form.name) return 1;
    run_peer(&by, s);
    if (!of->mechanical || code->multistep == CV_ADAMS) return 0;
    form.name = "ode+proj";
    form.projected = 1;
    run_peer(&by, s);
    return 0;
}

static int run_keel(const setting *s, keel_problem *problem, const char *form,
                    const keel_options *asked)
{
    keel_options options = *asked;
    keel_solver *solver;
    long counts[4] = {0};
    double scd = NAN;
    options.rtol = s->rtol;
    options.atol_each = s->atol;
    int status = keel_solver_create(&solver, problem, &options);
    if (status == KEEL_OK) status = keel_start(solver, s->problem->t_start, s->y0);
    if (status == KEEL_OK) status = keel_set_stop_time(solver, s->t_end);
    if (status == KEEL_OK) status = keel_advance_to(solver, s->t_end);
    const keel_stats *stats = solver ? keel_solver_stats(solver) : NULL;
    if (stats) {
        counts[0] = stats->steps;
        counts[1] = stats->rhs;
        counts[2] = stats->jacobian;
        counts[3] = stats->factorizations;
    }
    if (status == KEEL_OK)
        scd = bundled_scd(s->problem, s->parameters, s->t_end, keel_state(solver), 0);
    else fprintf(stderr, "%s: %s\n", s->problem->name,
                 solver ? keel_message(solver) : keel_status_text(status));
    print_line(s, form, options.method, status == KEEL_OK ? "ok" : keel_status_name(status), scd,
               counts, NAN);
    keel_solver_free(solver);
    return status != KEEL_OK;
}

/* Who solves: Keel with options, or a code of SUNDIALS, IDA if it is none for ODEs. */
typedef struct runner {
    const keel_options *options;
    const ode_code *code;
    const char *form;                        /* NULL: all */
} runner;

static int run(const subject *of, double rtol, const runner *by)
{
    const bundled_problem *p = of->problem;
    setting s = {.problem = p, .name = of->name ? of->name : p->name, .form = by->form,
                 .t_end = of->t_end > 0 ? of->t_end : p->t_end};
    keel_problem *problem = NULL;
    int failed = 0;
    for (int i = 0; i < p->parameter_count; i++) s.parameters[i] = p->parameters[i].value;
    set_tolerances(&s, rtol, of->scale);
    int status = p->create(&problem, s.parameters);
    if (status == KEEL_OK) status = find_start(&s, problem);
    if (status != KEEL_OK) fprintf(stderr, "%s: %s\n", p->name, keel_status_text(status));
    else if (by->options) failed = run_keel(&s, problem, of->form, by->options);
    else if (by->code) failed = run_as_ode(&s, of, by->code);
    else if (of->mechanical) run_mechanical(&s, of);
    else failed = run_given(&s, &of->given);
    keel_problem_free(problem);
    return failed || status != KEEL_OK;
}

static int read_options(keel_options *options, int count, char **words)
{
    for (int i = 0; i < count; i++) {
        char message[200], *value = strchr(words[i], '=');
        if (value) *value++ = '\0';
        if (keel_option_set(options, words[i], value ? value : "", message, sizeof message)) {
            fprintf(stderr, "%s\n", message);
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: %s CODE|METHOD PROBLEM RTOL[,RTOL...] [FORM|OPTION=VALUE ...]\n", argv[0]);
        return 2;
    }
    keel_options options = {.method = argv[1], .max_steps = MOST_STEPS};
    runner by = {0};
    for (size_t i = 0; i < sizeof ode_codes / sizeof *ode_codes; i++)
        if (strcmp(argv[1], ode_codes[i].name) == 0) by.code = &ode_codes[i];
    if (by.code || strcmp(argv[1], "IDA") == 0) by.form = argv[4];
    else if (read_options(&options, argc - 4, argv + 4)) return 2;
    else by.options = &options;
    int found = 0, failed = 0;
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        const char *name = subjects[i].name ? subjects[i].name : subjects[i].problem->name;
        if (strcmp(name, argv[2]) != 0) continue;
        found = 1;
        for (const char *rtol = argv[3]; rtol; rtol = strchr(rtol, ',')) {
            rtol += *rtol == ',';
            failed |= run(&subjects[i], atof(rtol), &by);
        }
    }
    if (!found) fprintf(stderr, "no forms for SUNDIALS of the problem '%s'\n", argv[2]);
    return found ? failed : 2;
}
