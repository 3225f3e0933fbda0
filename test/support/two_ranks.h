/* two_ranks.h -- an engine for tests: each vector is split over two threads.
 *
 * What one thread needs of the other, it gets in meetings (team_meet), to which both must come with the
 * same call, number and size; else, or when one does not come in time, every meeting fails from then on,
 * and the test with it.  Each thread gathers whatever is asked of the engine and solves the whole of it
 * by elimination, so that a run is the serial one but for rounding.
 */
#ifndef KEEL_TEST_SUPPORT_TWO_RANKS_H
#define KEEL_TEST_SUPPORT_TWO_RANKS_H

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "keel/keel.h"
#include "linear/linear.h"

enum { RANKS = 2, SLOTS = 4, PATIENCE = 60 };    /* seconds */

/* ---- meetings -------------------------------------------------------------------------------- */

typedef struct team {
    pthread_mutex_t lock;
    pthread_cond_t all_here;
    int here;                    /* who have come to this meeting                          */
    long meeting;
    int broken;
    char complaint[200];
    const char *call[RANKS];
    int size[RANKS][2];
    const double *part[RANKS][2];/* what each rank shows the others, until it comes again  */
} team;

static inline void team_open(team *m)
{
    *m = (team){.here = 0};
    pthread_mutex_init(&m->lock, NULL);
    pthread_cond_init(&m->all_here, NULL);
}

static inline void team_close(team *m)
{
    pthread_mutex_destroy(&m->lock);
    pthread_cond_destroy(&m->all_here);
}

static inline int team_complain(team *m, const char *text)
{
    if (!m->broken) snprintf(m->complaint, sizeof m->complaint, "%s", text);
    m->broken = 1;
    pthread_cond_broadcast(&m->all_here);
    return -99;
}

static inline int team_wait(team *m)
{
    long meeting = m->meeting;
    struct timespec until;
    timespec_get(&until, TIME_UTC);
    until.tv_sec += PATIENCE;
    if (++m->here == RANKS) {
        m->here = 0;
        m->meeting++;
        pthread_cond_broadcast(&m->all_here);
    }
    while (m->meeting == meeting && !m->broken)
        if (pthread_cond_timedwait(&m->all_here, &m->lock, &until)) return team_complain(m, "one rank waits alone");
    return m->broken ? -99 : 0;
}

static inline int team_agree(team *m)
{
    char text[200];
    for (int r = 1; r < RANKS; r++) {
        int same = strcmp(m->call[0], m->call[r]) == 0;
        if (same && strcmp(m->call[0], "reduce") == 0)
            same = m->size[0][0] == m->size[r][0] && m->size[0][1] == m->size[r][1];
        snprintf(text, sizeof text, "rank 0 calls %s (%d, %d), rank %d %s (%d, %d)", m->call[0],
                 m->size[0][0], m->size[0][1], r, m->call[r], m->size[r][0], m->size[r][1]);
        if (!same) return team_complain(m, text);
    }
    return 0;
}

/* Both come, see what the others show, and leave together. */
typedef void team_look(void *context, const team *m);

static inline int team_meet(team *m, int rank, const char *call, int n, const double *x, int k,
                            const double *z, team_look *look, void *context)
{
    pthread_mutex_lock(&m->lock);
    m->call[rank] = call;
    m->size[rank][0] = n, m->size[rank][1] = k;
    m->part[rank][0] = x, m->part[rank][1] = z;
    int rc = m->broken ? -99 : team_wait(m);
    if (!rc) rc = team_agree(m);
    if (!rc) look(context, m);
    if (!rc) rc = team_wait(m);                  /* nobody changes what another still looks at */
    pthread_mutex_unlock(&m->lock);
    return rc;
}

/* ---- whole problems and their parts ------------------------------------------------------------ */

/* y' = f(t,y,z), 0 = g(t,y,z); or with M: M y' = f, m = 0.  J of all, dense.  Hessenberg 3: y are the
 * positions of rank 0, its velocities, the positions of rank 1, its velocities, as many of each. */
typedef struct whole {
    keel_form form;
    int N, m;
    int (*f)(double t, const double *y, const double *z, double *f, void *context);
    int (*g)(double t, const double *y, const double *z, double *g, void *context);
    int (*g_t)(double t, const double *y, double *g_t, void *context);
    int (*jacobian)(double t, const double *y, const double *z, keel_matrix *J, void *context);
    void (*mass)(double *M, void *context);      /* by rows; NULL: 1 and 0                 */
    void *context;
    int inexact;                                 /* solves are not said to be direct        */
    int cut[2];                                  /* of y and z that rank 0 has; 0: by default */
    const int *serial;                           /* [N + m] places in the serial problem; NULL: the same */
} whole;

/* What shall fail: the call of this number on this rank, by a code or a NaN (0). */
typedef struct sabotage { int rank, code; long at; } sabotage;

typedef struct factored { double *a; int *pivot; int complex_; } factored;

typedef struct rank {
    int number;
    team *team;
    const whole *w;
    sabotage wanted;
    long calls;                  /* of callbacks                                           */
    int first[2], count[2];      /* of y and z in the whole                                */
    double *y, *out;             /* [N + m] the whole point, what was computed of it       */
    double *J, *M;               /* [n n] by rows                                          */
    factored real[SLOTS], pair[SLOTS], saddle;
    double *b;                   /* [2 n]                                                  */
    keel_engine *engine;
    keel_problem *problem;
} rank;

static inline void gather(void *context, const team *m)
{
    rank *r = context;
    double *y = r->y, *z = r->y + r->w->N;
    for (int k = 0; k < RANKS; k++) {
        memcpy(y, m->part[k][0], (size_t)m->size[k][0] * sizeof *y);
        y += m->size[k][0];
        if (m->part[k][1]) memcpy(z, m->part[k][1], (size_t)m->size[k][1] * sizeof *z);
        z += m->size[k][1];
    }
}

/* The whole point in r->y. */
static inline int collect(rank *r, const char *call, const double *y, const double *z)
{
    return team_meet(r->team, r->number, call, r->count[0], y, r->count[1], z, gather, r);
}

static inline int spoil(rank *r, double *value)
{
    int due = ++r->calls == r->wanted.at && r->number == r->wanted.rank;
    if (due && r->wanted.code == 0) value[0] = NAN;
    return due ? r->wanted.code : 0;
}

static inline int part_rhs(double t, const double *y, const double *z, double *f, void *context)
{
    rank *r = context;
    int rc = collect(r, "rhs", y, z);
    if (rc) return rc;
    r->w->f(t, r->y, r->y + r->w->N, r->out, r->w->context);
    memcpy(f, r->out + r->first[0], (size_t)r->count[0] * sizeof *f);
    return spoil(r, f);
}

static inline int part_rhs_alone(double t, const double *y, double *f, void *context)
{
    return part_rhs(t, y, NULL, f, context);
}

static inline int part_algebraic(double t, const double *y, const double *z, double *g, void *context)
{
    rank *r = context;
    int rc = collect(r, "constraint", y, z);
    if (rc) return rc;
    r->w->g(t, r->y, r->y + r->w->N, r->out, r->w->context);
    memcpy(g, r->out + r->first[1], (size_t)r->count[1] * sizeof *g);
    return spoil(r, g);
}

static inline int part_constraint(double t, const double *y, double *g, void *context)
{
    return part_algebraic(t, y, NULL, g, context);
}

/* Positions and velocities of a rank, of Hessenberg 3: their rates are two callbacks. */
static inline int part_rates(rank *r, const char *call, const double *u, const double *v, const double *l,
                             double t, int first, double *value)
{
    int half = r->count[0] / 2;
    double *y = malloc((size_t)r->count[0] * sizeof *y);
    memcpy(y, u, (size_t)half * sizeof *y);
    memcpy(y + half, v, (size_t)half * sizeof *y);
    int rc = collect(r, call, y, l);
    free(y);
    if (rc) return rc;
    r->w->f(t, r->y, r->y + r->w->N, r->out, r->w->context);
    memcpy(value, r->out + r->first[0] + first, (size_t)half * sizeof *value);
    return spoil(r, value);
}

static inline int part_position_rate(double t, const double *u, const double *v, double *f, void *context)
{
    return part_rates(context, "position_rate", u, v, NULL, t, 0, f);
}

static inline int part_velocity_rate(double t, const double *u, const double *v, const double *l, double *k,
                                     void *context)
{
    rank *r = context;
    return part_rates(r, "velocity_rate", u, v, l, t, r->count[0] / 2, k);
}

/* g depends on positions alone; the place of velocities is filled with what must not matter. */
static inline int part_position_constraint(double t, const double *u, double *g, void *context)
{
    rank *r = context;
    int half = r->count[0] / 2;
    double *y = calloc((size_t)r->count[0], sizeof *y);
    memcpy(y, u, (size_t)half * sizeof *y);
    int rc = part_algebraic(t, y, NULL, g, context);
    free(y);
    return rc;
}

static inline int part_time(double t, const double *y, double *g_t, void *context)
{
    rank *r = context;
    int rc = collect(r, "constraint_time", y, NULL);
    if (rc) return rc;
    r->w->g_t(t, r->y, r->out, r->w->context);
    memcpy(g_t, r->out + r->first[1], (size_t)r->count[1] * sizeof *g_t);
    return spoil(r, g_t);
}

static inline int part_position_time(double t, const double *u, double *g_t, void *context)
{
    rank *r = context;
    int half = r->count[0] / 2;
    double *y = calloc((size_t)r->count[0], sizeof *y);
    memcpy(y, u, (size_t)half * sizeof *y);
    int rc = part_time(t, y, g_t, context);
    free(y);
    return rc;
}

/* ---- the engine ---------------------------------------------------------------------------------- */

typedef struct sums { int sums, maxima; double sum[1000], most[1000]; } sums;

static inline void add_up(void *context, const team *m)
{
    sums *s = context;
    for (int i = 0; i < s->sums; i++) {
        s->sum[i] = 0;
        for (int r = 0; r < RANKS; r++) s->sum[i] += m->part[r][0][i];
    }
    for (int i = 0; i < s->maxima; i++) {
        s->most[i] = m->part[0][1][i];
        for (int r = 1; r < RANKS; r++) s->most[i] = fmax(s->most[i], m->part[r][1][i]);
    }
}

static inline int part_reduce(void *context, int count, double *sum, int maxima, double *most)
{
    rank *r = context;
    sums s = {.sums = count, .maxima = maxima};
    int rc = team_meet(r->team, r->number, "reduce", count, sum, maxima, most, add_up, &s);
    for (int i = 0; i < count && !rc; i++) sum[i] = s.sum[i];
    for (int i = 0; i < maxima && !rc; i++) most[i] = s.most[i];
    return rc;
}

static inline int whole_size(const rank *r) { return r->w->N + r->w->m; }

static inline int part_linearize(void *context, double t, const double *y, const double *yp)
{
    rank *r = context;
    int n = whole_size(r), rc = collect(r, "linearize", y, y + r->count[0]);
    (void)yp;
    if (rc) return rc;
    double *columns = calloc((size_t)n * (size_t)n, sizeof *columns);
    keel_matrix J = {.rows = n, .columns = n, .values = columns, .stray_row = -1, .stray_column = -1};
    r->w->jacobian(t, r->y, r->y + r->w->N, &J, r->w->context);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) r->J[i * n + j] = columns[j * n + i];
    free(columns);
    return 0;
}

static inline int part_multiply_mass(void *context, double alpha, const double *x, double *y)
{
    rank *r = context;
    int n = whole_size(r), rc = collect(r, "multiply_mass", x, x + r->count[0]);
    for (int i = 0; i < r->count[0] && !rc; i++)
        for (int j = 0; j < n; j++) y[i] += alpha * r->M[(r->first[0] + i) * n + j] * r->y[j];
    return rc;
}

static inline int has_nan(int n, const double *x)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return 1;
    return 0;
}

static inline int part_prepare(void *context, int slot, double re, double im)
{
    rank *r = context;
    int n = whole_size(r), two = im != 0;
    factored *f = two ? &r->pair[slot] : &r->real[slot];
    int rc = collect(r, "prepare", r->b, r->b);
    if (rc) return rc;
    for (int k = 0; k < n * n; k++) {
        f->a[two ? 2 * k : k] = re * r->M[k] - r->J[k];
        if (two) f->a[2 * k + 1] = im * r->M[k];
    }
    if (has_nan(n * n, r->J)) return 1;
    return two ? dense_factor_complex(n, f->a, f->pivot) : dense_factor(n, f->a, f->pivot);
}

static inline void scatter(const rank *r, const double *x, int stride, double *y, double *z)
{
    for (int i = 0; i < r->count[0]; i++) y[i] = x[stride * (r->first[0] + i)];
    for (int i = 0; i < r->count[1]; i++) z[i] = x[stride * (r->w->N + r->first[1] + i)];
}

static inline int part_solve(void *context, int slot, double tolerance, double *b_re, double *b_im)
{
    rank *r = context;
    int n = whole_size(r), rc = collect(r, "solve", b_re, b_re + r->count[0]), two = b_im != NULL;
    (void)tolerance;
    for (int i = 0; i < n; i++) r->b[two ? 2 * i : i] = r->y[i];
    if (two && !rc) rc = collect(r, "solve", b_im, b_im + r->count[0]);
    for (int i = 0; i < n && two; i++) r->b[2 * i + 1] = r->y[i];
    if (rc) return rc;
    if (two) dense_solve_complex(n, r->pair[slot].a, r->pair[slot].pivot, r->b);
    else dense_solve(n, r->real[slot].a, r->real[slot].pivot, r->b);
    scatter(r, r->b, two ? 2 : 1, b_re, b_re + r->count[0]);
    if (two) scatter(r, r->b + 1, 2, b_im, b_im + r->count[0]);
    return 0;
}

/* J at another point than the last; to be freed. */
static inline double *jacobian_at(rank *r, double t, const double *y, int *rc)
{
    int n = whole_size(r);
    double *kept = r->J, *J = r->J = malloc((size_t)n * (size_t)n * sizeof *J);
    *rc = part_linearize(r, t, y, y);
    r->J = kept;
    return J;
}

/* 0: y or positions, 1: velocities, 2: z */
static inline int group_of(const rank *r, int i)
{
    int third = r->w->form == KEEL_FORM_HESSENBERG3, at = i, cut = r->w->cut[0];
    if (i >= r->w->N) return 2;
    if (third && i >= cut) at -= cut;
    return third && at >= (i >= cut ? r->w->N - cut : cut) / 2;
}

static inline int part_prepare_saddle(void *context, double t, const double *y)
{
    rank *r = context;
    int n = whole_size(r), N = r->w->N, rc, third = r->w->form == KEEL_FORM_HESSENBERG3;
    double *J = jacobian_at(r, t, y, &rc);
    for (int i = 0; i < n && !rc; i++)
        for (int j = 0; j < n; j++) {
            int row = group_of(r, i), column = group_of(r, j);
            int block = third ? (row == 2 ? column == 0 : column == row + 1) : (i < N) != (j < N);
            r->saddle.a[i * n + j] = block ? -J[i * n + j] : i == j && i < N;
        }
    free(J);
    return rc ? rc : dense_factor(n, r->saddle.a, r->saddle.pivot);
}

static inline int part_solve_saddle(void *context, double tolerance, double *y, double *z)
{
    rank *r = context;
    int n = whole_size(r), rc = collect(r, "solve_saddle", y, z);
    (void)tolerance;
    if (rc) return rc;
    memcpy(r->b, r->y, (size_t)n * sizeof *r->b);
    dense_solve(n, r->saddle.a, r->saddle.pivot, r->b);
    scatter(r, r->b, 1, y, z);
    return 0;
}

static inline int part_constraint_times(void *context, double t, const double *y, const double *v,
                                        double *w)
{
    rank *r = context;
    int n = whole_size(r), N = r->w->N, rc;
    double *J = jacobian_at(r, t, y, &rc);
    if (!rc) rc = collect(r, "constraint_times", v, NULL);
    for (int i = 0; i < r->count[1] && !rc; i++) {
        w[i] = 0;
        for (int j = 0; j < N; j++) w[i] += J[(N + r->first[1] + i) * n + j] * r->y[j];
    }
    free(J);
    return rc;
}

/* ---- ranks ----------------------------------------------------------------------------------- */

static inline int unused_mass(double t, const double *y, keel_matrix *M, void *context)
{
    (void)t, (void)y, (void)M, (void)context;
    return -7;
}

static inline int make_problem(rank *r)
{
    int N = r->count[0], m = r->count[1];
    switch (r->w->form) {
    case KEEL_FORM_HESSENBERG2:
        return keel_hessenberg2(&r->problem, &(keel_hessenberg2_spec){
            .differential = N, .multipliers = m, .rhs = part_rhs, .constraint = part_constraint,
            .constraint_time = r->w->g_t ? part_time : NULL, .pattern = {.storage = KEEL_UNFORMED},
            .context = r});
    case KEEL_FORM_HESSENBERG3:
        return keel_hessenberg3(&r->problem, &(keel_hessenberg3_spec){
            .positions = N / 2, .velocities = N / 2, .multipliers = m, .position_rate = part_position_rate,
            .velocity_rate = part_velocity_rate, .constraint = part_position_constraint,
            .constraint_time = r->w->g_t ? part_position_time : NULL,
            .pattern = {.storage = KEEL_UNFORMED}, .context = r});
    case KEEL_FORM_SEMI_EXPLICIT:
        return keel_semi_explicit(&r->problem, &(keel_semi_explicit_spec){
            .differential = N, .algebraic = m, .rhs = part_rhs, .constraint = part_algebraic, .context = r});
    case KEEL_FORM_QUASILINEAR:
        return keel_quasilinear(&r->problem, &(keel_quasilinear_spec){
            .size = N, .rhs = part_rhs_alone, .mass = unused_mass, .constant_mass = 1, .context = r});
    default:
        return keel_ode(&r->problem, &(keel_ode_spec){.size = N, .rhs = part_rhs_alone, .context = r});
    }
}

static inline void rank_open(rank *r, int number, team *m, const whole *w, sabotage wanted)
{
    int n = w->N + w->m;
    size_t all = (size_t)n * (size_t)n;
    *r = (rank){.number = number, .team = m, .w = w, .wanted = wanted};
    int cut[2] = {w->N / 3 + 1, w->m / 2};       /* of different lengths */
    for (int k = 0; k < 2; k++) {
        int size = k == 0 ? w->N : w->m;
        if (w->cut[k] > 0) cut[k] = w->cut[k];
        r->first[k] = number == 0 ? 0 : cut[k];
        r->count[k] = number == 0 ? cut[k] : size - cut[k];
    }
    double **vectors[] = {&r->y, &r->out, &r->b};
    for (int k = 0; k < 3; k++) *vectors[k] = calloc(2 * (size_t)n, sizeof(double));
    r->J = calloc(all, sizeof *r->J);
    r->M = calloc(all, sizeof *r->M);
    for (int i = 0; i < w->N && !w->mass; i++) r->M[i * n + i] = 1;
    if (w->mass) w->mass(r->M, w->context);
    for (int k = 0; k < 2 * SLOTS + 1; k++) {
        factored *f = k < SLOTS ? &r->real[k] : k < 2 * SLOTS ? &r->pair[k - SLOTS] : &r->saddle;
        f->a = calloc(2 * all, sizeof *f->a);
        f->pivot = calloc((size_t)n, sizeof *f->pivot);
    }
    keel_engine_spec spec = {
        .context = r, .rank = number, .exact = !w->inexact, .reduce = part_reduce, .linearize = part_linearize,
        .multiply_mass = part_multiply_mass, .prepare = part_prepare, .solve = part_solve,
        .prepare_saddle = part_prepare_saddle, .solve_saddle = part_solve_saddle,
        .constraint_times = part_constraint_times, .saddle_index = 3};
    if (keel_engine_create(&r->engine, &spec)) team_complain(m, keel_engine_message(r->engine));
    if (make_problem(r)) team_complain(m, keel_problem_message(r->problem));
}

static inline void rank_close(rank *r)
{
    keel_problem_free(r->problem);
    keel_engine_free(r->engine);
    for (int k = 0; k < 2 * SLOTS + 1; k++) {
        factored *f = k < SLOTS ? &r->real[k] : k < 2 * SLOTS ? &r->pair[k - SLOTS] : &r->saddle;
        free(f->a);
        free(f->pivot);
    }
    free(r->y), free(r->out), free(r->b), free(r->J), free(r->M);
}

/* ---- runs ------------------------------------------------------------------------------------ */

typedef struct split_run {
    const whole *w;
    keel_options options;
    const double *start;         /* [N + m]                                                */
    const keel_mark *marks;      /* [N + m], or NULL: the usual ones                       */
    keel_start_spec further;     /* of rank 1: what else its start is to meet              */
    double t1;
    sabotage wanted;
    double *end;                 /* [N + m]                                                */
    int status[RANKS];
    char message[RANKS][700];
    keel_stats stats[RANKS];
    long messages;               /* of the run, without its start                          */
    long calls[RANKS];
    team team;
} split_run;

typedef struct split_job { split_run *run; int rank; } split_job;

static inline void *split_work(void *context)
{
    split_job *job = context;
    split_run *run = job->run;
    rank r;
    keel_solver *s = NULL;
    rank_open(&r, job->rank, &run->team, run->w, run->wanted);
    double *y = malloc((size_t)(r.count[0] + r.count[1]) * sizeof *y);
    memcpy(y, run->start + r.first[0], (size_t)r.count[0] * sizeof *y);
    memcpy(y + r.count[0], run->start + run->w->N + r.first[1], (size_t)r.count[1] * sizeof *y);
    keel_options options = run->options;
    options.engine = r.engine;
    int rc = keel_solver_create(&s, r.problem, &options);
    keel_start_spec start = job->rank == 1 ? run->further : (keel_start_spec){.t = 0};
    keel_mark *marks = malloc((size_t)(r.count[0] + r.count[1]) * sizeof *marks);
    for (int i = 0; i < r.count[0] + r.count[1] && run->marks; i++)
        marks[i] = run->marks[i < r.count[0] ? r.first[0] + i : run->w->N + r.first[1] + i - r.count[0]];
    start.y = y;
    start.marks = run->marks ? marks : NULL;
    if (!rc) rc = keel_start_with(s, &start);
    free(marks);
    long before = keel_engine_messages(r.engine);
    if (!rc) rc = keel_advance_to(s, run->t1);
    if (job->rank == 0) run->messages = keel_engine_messages(r.engine) - before;
    run->status[job->rank] = rc;
    run->stats[job->rank] = *keel_solver_stats(s);
    run->calls[job->rank] = r.calls;
    snprintf(run->message[job->rank], sizeof run->message[0], "%s", keel_message(s));
    if (!rc) {
        memcpy(run->end + r.first[0], keel_state(s), (size_t)r.count[0] * sizeof *y);
        memcpy(run->end + run->w->N + r.first[1], keel_state(s) + r.count[0], (size_t)r.count[1] * sizeof *y);
    }
    keel_solver_free(s);
    rank_close(&r);
    free(y);
    return NULL;
}

static inline void split_go(split_run *run)
{
    pthread_t thread[RANKS];
    split_job job[RANKS];
    team_open(&run->team);
    for (int k = 0; k < RANKS; k++) {
        job[k] = (split_job){run, k};
        pthread_create(&thread[k], NULL, split_work, &job[k]);
    }
    for (int k = 0; k < RANKS; k++) pthread_join(thread[k], NULL);
    team_close(&run->team);
}

#endif
