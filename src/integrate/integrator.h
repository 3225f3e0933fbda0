/* integrator.h -- the solver object, and what an integrator (one way of advancing) fills in.
 *
 * The time loop (loop.c) owns step sizes, stop times, rejections and messages; an integrator
 * computes steps.  An attempt never changes the accepted state, so rejecting a step is
 * forgetting it.
 */
#ifndef KEEL_INTEGRATE_INTEGRATOR_H
#define KEEL_INTEGRATE_INTEGRATOR_H

#include "core/arena.h"
#include "core/message.h"
#include "method/method.h"
#include "problem/dependence.h"
#include "problem/gauge.h"
#include "singular/impasse.h"
#include "singular/passage.h"
#include "step/control.h"
#include "step/interpolation.h"
#include "step/newton.h"
#include "step/projection.h"

typedef enum attempt_result {
    ATTEMPT_DONE,                /* candidate computed; report.error says whether to keep it */
    ATTEMPT_NOT_CONVERGED,       /* Newton's method; report.factor is the step factor to try */
    ATTEMPT_CANNOT_EVALUATE,     /* a callback returned > 0 or something not finite          */
    ATTEMPT_SINGULAR,            /* iteration matrix; report.variable names the column       */
    ATTEMPT_BRANCH,              /* the sign of det g_z would change: see impasse.h          */
    ATTEMPT_NOT_FINITE,          /* the new point, in report.variable                        */
    ATTEMPT_FAR,                 /* projection moved it by report.moved                      */
    ATTEMPT_STOP                 /* a callback returned < 0, or no memory: report.status     */
} attempt_result;

typedef struct attempt_report {
    double error;                /* weighted norm of the local error; accept if < 1          */
    double factor;               /* h_new / h for the next attempt                           */
    int variable;                /* unknown with the largest share of error or update, or -1, */
    double share;                /* and that                                                */
    double moved;                /* by projection, in units of what the error test allows    */
    int status;                  /* with ATTEMPT_STOP                                        */
    int again;                   /* the same step may be tried again: the integrator changed */
} attempt_report;

typedef struct integrator {
    const char *name;
    double safety, growth, beta; /* of its controller: the standard safety factor, ...     */
    double first_share;          /* largest first step, in units of the interval; 0: any   */
    int fixed_lag;               /* levelled problems: what its stages solve; -1: see lag.c */
    size_t state_size;           /* of s->state                                            */
    /* Takes the buffers of its state from the arena. */
    void (*layout)(arena *a, keel_solver *s);
    /* Once after layout: coefficients, factorizations; may allocate. */
    int (*create)(keel_solver *s);
    /* Consistent y at t is in place: derivatives, matrices, s->h_next. */
    attempt_result (*start)(keel_solver *s);
    /* From (s->t, s->y) over h. */
    attempt_result (*attempt)(keel_solver *s, double h);
    /* Project the candidate and make it the accepted state at t_new.  If it cannot be done the
     * accepted state is as before. */
    attempt_result (*accept)(keel_solver *s, double h, double t_new);
    /* After an error test of a step h: s->h_next and the method for it.  After a failure, with h = 0:
     * h_next is already set. */
    void (*next)(keel_solver *s, double h);
    /* The others are optional. */
    void (*release)(keel_solver *s);
    /* Can it advance this form?  A status, with a message that says what can. */
    int (*check)(keel_solver *s);
    /* Fills s->dense of the last step when s->dense_due says that it is not; NULL: it always is. */
    attempt_result (*dense)(keel_solver *s);
    /* The multipliers of the accepted point, where s->multipliers_due says that they are yet to come. */
    attempt_result (*complete)(keel_solver *s);
    /* Does stability, rather than accuracy, limit the steps?  After an accepted step. */
    int (*stiff)(const keel_solver *s);
    /* The point of a mechanical problem that the consistent values may be found with, before `start`. */
    struct mechanical_point *(*place)(keel_solver *s);
} integrator;

/* Attempts since time last advanced noticeably (acceptance.c). */
typedef struct headway {
    double t[2], first;          /* when it did, and when before; the start                */
    double *y[2], *start;        /* [n] accepted at these                                  */
    long attempts, by_error, by_newton, by_evaluation;   /* since t[0], and why they failed */
    int far;                     /* attempts that projection moved too far count, others against */
} headway;

/* One way of advancing that a solver may use; the method `auto` has two of them. */
typedef struct solver_mode {
    const integrator *integrator;
    keel_method *method;         /* the tableau, owned; NULL for variable order            */
    void *state;                 /* the integrator's                                       */
    double *values;              /* for dense output                                       */
    projection *projection;      /* of new points and of keel_project,                     */
    const keel_matrix *J;        /* with this matrix, or NULL: it is evaluated             */
    struct iteration *iteration; /* iteration.h: its systems, or NULL                      */
    size_t end;                  /* of its part of the solver's block                      */
} solver_mode;

extern const integrator mechanical_integrator, implicit_integrator, explicit_integrator,
                        half_explicit_integrator, multivalue_integrator, rosenbrock_integrator;

/* Why a Rosenbrock method cannot advance this problem, or NULL. */
const char *rosenbrock_obstacle(const keel_problem *p);

/* Explicit methods solve for at most so many algebraic unknowns, by a dense g_z. */
enum { ALGEBRAIC_MOST = 500 };

/* A step cut short by a stop time says too little about one that is longer by this factor. */
enum { EXTRAPOLATE_MOST = 10 };

struct keel_solver {
    const keel_problem *face;    /* given to keel_solver_create; below: its present structure */
    struct event_state *events;  /* event/event.h; NULL: neither events nor a frame        */
    const keel_problem *problem;
    const keel_problem *given;   /* to keel_solver_create: `problem` may be a formulation  */
    keel_options options;        /* resolved                                               */
    keel_engine *own_engine;     /* of linear = krylov, owned, or NULL                     */
    method_range range;          /* what the name of the method stands for                 */
    solver_mode mode[2];
    int modes, active;
    message choice;              /* what `auto` does, or another formulation, and why      */
    keel_problem *formulated;    /* what the integrator solves instead, owned, or NULL     */
    /* of the active mode: */
    int stages;                  /* of the method; 0: variable order                       */
    const keel_method *method;   /* the tableau; NULL for variable order                   */
    message message;
    keel_stats stats;
    evaluator eval;
    void *block;                 /* all buffers                                            */
    size_t block_bytes;
    double factor_bytes;         /* that sparse factors may take: keel_factor_bytes        */
    tape_part *parts;            /* [part_count] what a checkpoint saves of it             */
    int part_count;
    void *note;                  /* [note_size] of the checkpoint that was loaded, owned   */
    size_t note_size;
    int n;
    int levels, attached;        /* of the problem: its constraint levels; are there further rows? */
    double *rtol, *atol;         /* [n] as given                                           */
    double least_tolerance;      /* the smallest asked for any unknown, on any rank        */
    double unknowns;             /* n, of all ranks together                               */
    double *weight;              /* [n] 1 / (atol + rtol |y|) at the start                 */
    int ready;                   /* created without error                                  */
    int busy;                    /* in a call of the user's, callbacks of which must not call */
    int started;
    int fresh;                   /* no step since the start, or restart                    */
    int placed;                  /* the integrator's point is that of the consistent values */
    int blind;                   /* the last step found no error at all                    */
    headway headway;
    impasse impasse;
    passage passage;
    double *unprojected;         /* [n] the new point as the method gave it                */
    double *interpolated;        /* [n] of a question                                      */
    double *violation;           /* [rows of a level]                                      */
    struct check *checker;       /* of derivatives at the start, owned; NULL: made each time */
    dependence dependence;       /* of constraints on each other                           */
    gauge gauge;                 /* ... of forms other than mechanical                     */
    keel_mark *marks;            /* [n] of keel_start                                      */
    keel_move *moved;            /* [n], the first `moves` of which count                  */
    int moves;
    double t, t_previous;
    double *y;                   /* [n] accepted                                           */
    double *yp;                  /* [n] derivative at t, where known                       */
    double direction, h_next;
    double t_begin;              /* where the run began                                    */
    double t_origin;             /* constant steps: t = t_origin + count step             */
    long count;
    int has_stop;
    double t_stop;
    interpolant dense;           /* of the last step                                       */
    int dense_due;               /* its values have yet to be computed: see solver_dense   */
    int multipliers_due;         /* those of y are the method's own: see `show` in loop.c  */
    const integrator *integrator;
    void *state;                 /* the integrator's                                       */
    attempt_report report;
    controller control;
    int lag_wanted, lag_raised;  /* see lag.c                                              */
    int choice_length;           /* of what was chosen before the lag was                  */
    double residual[KEEL_LEVELS_MOST];           /* at t                                   */
    double left[KEEL_LEVELS_MOST];               /* at the point that was measured last    */
};

/* Are there constraints that a step leaves: of index 2 or 3, of the original, or invariants? */
static inline int has_manifold(const keel_problem *p)
{
    const keel_problem *root = problem_root(p);
    return root->levels > 1 || root->attached.rows > 0 || (p->original && root->levels > 0);
}

/* Are linear systems solved to a tolerance, by an engine? */
static inline int solves_inexactly(const keel_solver *s)
{
    return s->eval.engine && !s->eval.engine->spec.exact;
}

static inline void swap_vectors(double **x, double **y)
{
    double *kept = *x;
    *x = *y;
    *y = kept;
}

/* ---- shared by the integrators ---------------------------------------------------------- */

/* Stage counts first..last (valid ones: see method_choose) with their nodes for dense output. */
typedef struct method_set {
    int first, last;
    const keel_method *own;                         /* the tableau; NULL: Radau IIA        */
    char *memory[STAGES_MAX + 1];                   /* for the coefficients, ...           */
    int known[STAGES_MAX + 1];                      /* ... computed when they are needed   */
    stage_method method[STAGES_MAX + 1];            /* by the number of implicit stages    */
    int points[STAGES_MAX + 1];                     /* nodes: 0, the c_i inside, 1         */
    double *nodes[STAGES_MAX + 1];
    double *barycentric[STAGES_MAX + 1];
    double *resolving[STAGES_MAX + 1];              /* see resolution_weights         */
    int *source[STAGES_MAX + 1];                    /* stage with the value at each inner node */
} method_set;

/* Of the solver's method; else Radau IIA with so many stages. */
enum { FEWEST_STAGES = 3, MOST_STAGES = 7 };
void method_set_layout(arena *a, method_set *set, const keel_solver *s);
/* Computes the coefficients for so many implicit stages unless that is done; see stage_method_of. */
int method_set_need(method_set *set, int stages);
/* All of them when the solver is made, unless the method `auto` may never come to need them. */
int method_set_create(const keel_solver *s, method_set *set);

/* resolution.c: what stages at these nodes weigh in the difference of a polynomial through some of them, at
 * t_n, to z_n, in units of what is allowed. */
void resolution_weights(int stages, const double *nodes, double *weights);
/* Raises s->report.error, O(h^power), where the last `count` unknowns, Z[stages count] at the stages, are
 * not resolved. */
void resolution_of_values(keel_solver *s, int count, int stages, const double *weights, const double *Z,
                          double power);

/* How far the last step went, in the norm of the error test; INFINITY where there was none. */
double last_move(keel_solver *s, const double *weight);
/* The sum of squares of a move, this rank's part. */
double move_squares(const keel_solver *s, const double *from, const double *to, const double *weight);
/* s->h_next at the start, from all unknowns whose index is 1; see control_first. */
void first_step(keel_solver *s, const double *slope, double tolerance, double exponent);
/* Dense output of a step h from s->t on: all but the values; ... */
void dense_span(keel_solver *s, double h, int points, const double *nodes, const double *barycentric);
/* ... from (s->t, s->y) to y_end: all but those inside. */
void dense_ends(keel_solver *s, double h, int points, const double *nodes, const double *barycentric,
                const double *y_end);

/* The tolerance rtol_s(rtol) of the error estimate, which is of lower order than the method. */
typedef double error_tolerance(const keel_solver *s, double rtol);
/* That of an estimate O(h^(p+1)) of a method of order p, whose global error is O(h^p): c rtol^(1+1/p),
 * so that h ~ rtol^(1/p) and the global error follows rtol.  c is such that it is rtol itself at 0.1:
 * tuned on the bundled order problems alone, and judged on others (test/integrate/test_tolerance.c). */
double error_per_unit(double rtol, int order);
/* weight_i = 1 / (atol_s + rtol_s |y_i|), atol_s = rtol_s atol / rtol. */
void error_weights(const keel_solver *s, error_tolerance *rule, const double *y, double *weight);
/* The tolerance for Newton updates measured with those weights, before the method's constant:
 * rtol / rtol_s at the smallest rtol. */
double newton_scale(const keel_solver *s, error_tolerance *rule);
/* The relative tolerance of unknown i; its absolute one where there is no other. */
static inline double relative_tolerance(const keel_solver *s, int i)
{
    return s->rtol[i] > 0 ? s->rtol[i] : s->atol[i];
}
/* How to factor: by the problem's pattern unless an option says otherwise. */
keel_storage choose_storage(const keel_solver *s);
/* Newton iterations per attempt.  A constant step cannot shrink: it gets all it may need. */
int newton_limit(const keel_solver *s, int stages);
/* converging.c: moves the solver to a form of the problem on which its method converges, or says why
 * there is none. */
int converging_form(keel_solver *s);
/* The order of the differential unknowns where the stages see this index, at least 1; does the method
 * fail to converge there?  KEEL_OK or KEEL_NO_MEMORY. */
int converging_order(const keel_solver *s, int index, int *order, int *lost);
/* Those measured last are those of an accepted point. */
void record_residuals(keel_solver *s);
/* Records the stage count of an accepted step. */
void record_stages(keel_solver *s, int stages);
/* The order of an accepted step of a method that carries several values. */
void record_order(keel_solver *s, int order);
/* The projection that the options ask for; `multipliers`: recompute them, too. */
projection_plan projection_plan_of(const keel_solver *s, int multipliers);
/* That of the present mode. */
static inline projection *projection_of(keel_solver *s) { return s->mode[s->active].projection; }
/* start_check.c: KEEL_WRONG_DERIVATIVE if a given derivative is not one, unless option `check` is
 * none. */
int start_check(keel_solver *s, const keel_start_spec *spec);
/* Its memory, where that is little: runs may be short, and many. */
int start_check_prepare(keel_solver *s);
void start_check_release(keel_solver *s);
/* The same of levels and attached rows at the consistent point that was found. */
int start_check_links(keel_solver *s);
/* Moves y at t to all levels there are, z of index 1 included; a status, with a message. */
int solver_project(keel_solver *s, double t, double *y);
/* Makes s->dense ready; a status, with a message. */
int solver_dense(keel_solver *s);
/* keel_interpolate, or keel_interpolate_projected, within another call. */
int solver_interpolate(keel_solver *s, double t, int projected, double *y);
/* Every public call that may change a solver begins with one of the first two and ends with the
 * third: it is refused, with a message, inside another one, that is from a callback; the message of
 * the call before is cleared.  solver_enter also wants a run that has begun. */
int solver_open(keel_solver *s);
int solver_enter(keel_solver *s);
int solver_leave(keel_solver *s, int rc);
/* The active integrator begins at the accepted point: no past, no dense output; statistics stay. */
attempt_result solver_restart(keel_solver *s);
/* Moves the accepted point, or spec->y, to a consistent one at s->t; see keel_restart_with. */
int solver_consistent(keel_solver *s, const keel_start_spec *spec);
/* The integrator begins at the accepted point, as at a start; a status, with a message. */
int solver_begin(keel_solver *s, const char *where);
/* One accepted step, without events; *limit counts down over attempts. */
int solver_step(keel_solver *s, long *limit);
/* No step, nor a callback, goes beyond t (has_stop 0: any t). */
void solver_limit(keel_solver *s, int has_stop, double t);
/* The polynomial of the last step, also where an event ended it; NULL: there was none. */
const interpolant *solver_polynomial(const keel_solver *s);
/* Unknowns in the order of s->face, NAN for those that the present structure does not have; and
 * the values of those that it has. */
void solver_face(const keel_solver *s, const double *y, double *face_y);
/* All for this problem but what was allocated for events; a status, with a message. */
int solver_build(keel_solver *s, const keel_problem *problem);
/* Frees what that made. */
void solver_dismantle(keel_solver *s);
/* Status and message for what went wrong at a single point. */
int point_failure(keel_solver *s, attempt_result result, const char *where);
/* Translates the result of a projection; row: the constraint that depends on others. */
attempt_result projection_attempt(keel_solver *s, projection_result result, int row);
/* Translates the result of a step of mechanical_point.h. */
attempt_result point_attempt(keel_solver *s, const struct mechanical_point *p,
                             projection_result result);
/* Moves y at t as planned and measures what is left, which becomes s->left. */
attempt_result project_and_measure(keel_solver *s, const projection_plan *plan, double t, double *y);
/* To the manifold, for keel_project. */
attempt_result project_on_request(keel_solver *s, double t, double *y);
/* A new point, as the options say; `multipliers`: these, too. */
attempt_result project_new(keel_solver *s, double t, double *y, int multipliers);
/* Norms of all levels, of the hidden one but if `brief`, become s->left. */
attempt_result measure_levels(keel_solver *s, double t, const double *y, int brief);
/* What an iteration of Newton's method on the stages of an attempt is about. */
typedef struct stage_system {
    keel_solver *s;
    double h;
} stage_system;
/* newton_iterate; its verdict, as an attempt's result. */
attempt_result newton_attempt(keel_solver *s, newton_monitor *m, double tolerance, double floor,
                              newton_step *step, void *context);
/* The unknown with the largest |x_i| w_i, into s->report. */
void report_worst(keel_solver *s, int n, const double *x, const double *w);
/* acceptance.c: before a new point is projected; */
void acceptance_begin(keel_solver *s, const double *y);
/* and before it is accepted: is it finite, and not too far from there?  `weight` [n] is that of the
 * error test; NULL: of the tolerances. */
attempt_result acceptance_check(keel_solver *s, double h, const double *y, const double *weight);
/* The same over ranks: a rank's parts of two sums and a maximum, and what all of them amount to. */
void acceptance_parts(keel_solver *s, double h, const double *y, const double *weight, double *sum,
                      double *most);
attempt_result acceptance_judge(keel_solver *s, const double *sum, double most);
/* A run begins. */
void headway_begin(keel_solver *s);
/* After an attempt: have too many got nowhere? */
int headway_is_lost(keel_solver *s, attempt_result result, int accepted);
/* Has projection moved new points too far again and again? */
int headway_is_far(const keel_solver *s);
void headway_text(const keel_solver *s, char *text, size_t size);
/* What counts as |t|. */
double headway_size(const keel_solver *s);
/* automatic.c decides how the method `auto` begins: sets s->modes, the method of mode 0 and s->choice. */
int automatic_choose(keel_solver *s);
/* Every start is one in mode 0, whatever the last run came to. */
void automatic_begin(keel_solver *s);
/* Makes mode k the one in use. */
void mode_enter(keel_solver *s, int k);
/* From the explicit to the implicit mode, at the accepted point; if that fails nothing changes. */
attempt_result automatic_switch(keel_solver *s, const char *why);
/* lag.c: the lag that a run of a levelled problem begins with, */
void lag_begin(keel_solver *s);
/* and, after Newton's method failed for a step h with this J, or stability limited explicit steps,
 * which one to go on with: s->lag_wanted. */
void lag_suspect(keel_solver *s, const keel_matrix *J, double h, int diagonal);
void lag_expect_stiff(keel_solver *s);
/* Changes to it and begins anew at the accepted point. */
attempt_result lag_change(keel_solver *s);
/* ranks.c: can the engine, if there is one, serve this problem with these options, and this method?
 * A status, with a message. */
int engine_check(keel_solver *s);
/* The engine that the option linear = krylov asks for; a status, with a message. */
int engine_make(keel_solver *s);
int engine_check_method(keel_solver *s, const keel_method *method);
/* Has the method been moved to a formulation of the problem? */
int engine_check_formulation(keel_solver *s);
/* At the end of creation: a failure on one rank is one on all; what depends on all of them. */
int engine_agree(keel_solver *s, int rc);
/* The same of what a rank finds out by itself in other calls; without an engine it is rc. */
int engine_share(keel_solver *s, int rc);
/* singular/passage.c, where no step succeeds: KEEL_OK if g_z is not the reason; RUN_GOES_ON, at a new
 * point where the run has begun anew; or KEEL_SINGULAR or another status with its message. */
enum { RUN_GOES_ON = 100 };
int impasse_pass(keel_solver *s, attempt_result result, double h);
int far_verdict(keel_solver *s, double h);
/* The name of the unknown that the report blames; of all ranks together. */
void blamed_variable(keel_solver *s, char *text, size_t size);
/* Translates an eval_* return code. */
attempt_result evaluation_result(keel_solver *s, int rc);
/* Translates a linear_factor return code. */
attempt_result factoring_result(keel_solver *s, int rc);

#endif
