/* solver.h -- integrate a problem.
 *
 * Life cycle:  keel_solver_create -> keel_start -> keel_step* or keel_advance* -> keel_solver_free;
 *              keel_start again for another run, keel_restart to go on without the past.
 * Questions:   whatever is asked between two steps (keel_interpolate, keel_project, keel_residuals,
 *              keel_solution_append, ...), run and statistics stay as they are, bit for bit.
 * Ownership:   options are copied; the problem is borrowed and must outlive the solver;
 *              pointers that keel_* return stay owned by the solver.
 * Callbacks:   may ask what costs nothing (keel_time, keel_solver_stats, ...) of the solver that
 *              calls them; calls that change it or evaluate are refused (KEEL_BAD_ARGUMENT), nor
 *              does keel_solver_free free it.  One thread at a time may use a solver.
 * NULL:        for a solver is KEEL_BAD_ARGUMENT, NAN for a time, "" for a text, NULL for a
 *              pointer, statistics of 0, residuals of -1.
 * Memory:      everything is allocated in keel_solver_create, keel_start and keel_restart, nothing
 *              after that (except by KLU, when a sparse matrix needs other pivots, and UMFPACK).  Without memory
 *              every call returns KEEL_NO_MEMORY; OpenBLAS with several threads ends the process.
 */
#ifndef KEEL_SOLVER_H
#define KEEL_SOLVER_H

#include "keel/engine.h"
#include "keel/method.h"
#include "keel/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct keel_solver keel_solver;

/* Projection onto the constraints after each accepted step: along which directions, which
 * levels. */
typedef enum keel_projection {
    KEEL_PROJECT_OBLIQUE = 0,        /* f_z, or f_v k_l and k_l, at the new point              */
    KEEL_PROJECT_NONE = 1,
    KEEL_PROJECT_EXPLICIT = 2,       /* the same at the point before projection               */
    KEEL_PROJECT_ORTHOGONAL = 3,     /* nearest point in the inner product of `metric`        */
    KEEL_PROJECT_VELOCITY = 4,       /* oblique, velocity level only                          */
    KEEL_PROJECT_POSITION = 5        /* oblique, position level only                          */
} keel_projection;

/* Inner product of the orthogonal projection. */
typedef enum keel_metric {
    KEEL_METRIC_EUCLIDEAN = 0,
    KEEL_METRIC_TOLERANCE = 1,       /* unknowns measured in units of their tolerances        */
    KEEL_METRIC_MASS = 2             /* mechanical: M                                         */
} keel_metric;

/* Where multipliers at the new point come from. */
typedef enum keel_multipliers {
    KEEL_MULTIPLIERS_AUTO = 0,       /* hidden; recursion for multistep and general linear */
                                     /* methods with constant steps, unless the problem is */
                                     /* levelled */
    KEEL_MULTIPLIERS_HIDDEN = 1,     /* the hidden constraint at the projected point (full */
                                     /* order); index 1: z from g(t,y,z) = 0, the state-space */
                                     /* form method */
    KEEL_MULTIPLIERS_RECURSION = 2,  /* the method's own, Schropp (2.5), Weiss (3.6); index 1: */
                                     /* the eps-embedding method; half-explicit: of the last */
                                     /* stage */
    KEEL_MULTIPLIERS_POLYNOMIAL = 3  /* the polynomial through the stages, Ascher & Petzold 1991 */
} keel_multipliers;

typedef enum keel_linear {
    KEEL_LINEAR_AUTO = 0, KEEL_LINEAR_DENSE = 1, KEEL_LINEAR_BAND = 2,
    KEEL_LINEAR_SPARSE = 3,          /* by KLU                                                */
    KEEL_LINEAR_MECHANICAL = 4,
    KEEL_LINEAR_UMFPACK = 5,         /* sparse by UMFPACK, an option of the build: it is GPL.  */
                                     /* auto takes it for large systems                       */
    KEEL_LINEAR_KRYLOV = 6           /* by GMRES and ILU(0): see krylov.h                     */
} keel_linear;

/* Newton matrix of mechanical problems. */
typedef enum keel_iteration {
    KEEL_ITERATION_AUTO = 0,         /* saddle, then full when the forces turn out to be stiff */
    KEEL_ITERATION_SADDLE = 1,       /* [M G^T; G 0] for all stages and step sizes             */
    KEEL_ITERATION_FULL = 2          /* real and complex systems with f_q and f_v              */
} keel_iteration;

/* What keel_start does with the values it is given. */
typedef enum keel_initial {
    KEEL_INITIAL_CONSISTENT = 0,     /* moves them to the nearest consistent point            */
    KEEL_INITIAL_GIVEN = 1,          /* takes them as they are: for studies off the manifold; */
                                     /* keel_message remarks on equations F(t,y,y') = 0 or   */
                                     /* M y' = f that they do not satisfy                    */
    KEEL_INITIAL_FORMULATION = 2     /* consistent with the equations of the formulation, not */
                                     /* with all levels of its original                       */
} keel_initial;

/* Does keel_start compare the derivatives it was given with differences? */
typedef enum keel_checking {
    KEEL_CHECK_AUTO = 0,             /* along one direction, a few evaluations which statistics */
                                     /* do not count; what looks wrong is confirmed entry by    */
                                     /* entry and named: KEEL_WRONG_DERIVATIVE; see check.h     */
    KEEL_CHECK_NONE = 1
} keel_checking;

/* Where events accumulate: infinitely many of them in a finite time. */
typedef enum keel_accumulation {
    KEEL_ACCUMULATION_FAIL = 0,      /* KEEL_CHATTERING, which names them                     */
    KEEL_ACCUMULATION_END = 1        /* the run ends there as it does at a terminal event     */
} keel_accumulation;

/* What a run does at an impasse point; see curve.h. */
typedef enum keel_impasse_choice {
    KEEL_IMPASSE_STOP = 0,           /* it ends with KEEL_SINGULAR, and says which kind it is   */
    KEEL_IMPASSE_FOLLOW = 1,         /* the same; the command then follows the curve            */
    KEEL_IMPASSE_JUMP = 2            /* to the next stable branch                               */
} keel_impasse_choice;

/* A tolerance of exactly 0, for rtol or atol but not both.  With atol = 0 an unknown that is 0 is
 * measured, or not tested, until it moves. */
#define KEEL_ZERO (-1e300)

/* Zero means the default, which keel_option_table lists. */
typedef struct keel_options {
    const char *method;              /* a name that `keel methods` lists                */
    const keel_method *tableau;      /* instead of a name: a method of the user's own   */
    double rtol, atol;               /* local error: atol + rtol |y|                    */
    const double *rtol_each;         /* per unknown (copied), instead of rtol           */
    const double *atol_each;         /* per unknown (copied), instead of atol           */
    double step;                     /* > 0: constant step, no error test; the next two */
                                     /* and safety have no effect                       */
    double first_step;               /* 0: automatic                                    */
    double max_step;                 /* 0: no limit                                     */
    long max_steps;                  /* attempts in one keel_advance                    */
    keel_projection projection;
    keel_metric metric;              /* of the orthogonal projection                    */
    keel_multipliers multipliers;    /* explicit methods: always hidden                 */
    keel_linear linear;              /* of implicit stages                              */
    keel_iteration iteration;        /* mechanical problems with Radau IIA              */
    int sweeps;                      /* refinement sweeps of it; -1: none               */
    int newton_limit;                /* iterations per attempt; 0: 7 + 2.5 (S - 3), or  */
                                     /* 50 with a constant step; not for explicit ones  */
    keel_initial initial;
    double safety;                   /* factor on the predicted step                    */
    int jacobian_differences;        /* nonzero: ignore `jacobian` and `force_jacobian` */
    keel_checking check;             /* of given derivatives, at each start             */
    keel_accumulation accumulation;  /* of events                                       */
    keel_impasse_choice impasse;     /* at an impasse point                             */
    keel_engine *engine;             /* vectors and linear algebra of the user's own;   */
                                     /* NULL: of this machine                           */
} keel_options;

/* One row per option: drives defaults, checks, command-line flags and the manual. */
typedef enum keel_option_kind {
    KEEL_OPTION_REAL, KEEL_OPTION_INTEGER, KEEL_OPTION_COUNT, KEEL_OPTION_CHOICE,
    KEEL_OPTION_TEXT, KEEL_OPTION_FLAG
} keel_option_kind;

typedef struct keel_option {
    const char *name;                /* command-line spelling without dashes: "max-step" */
    keel_option_kind kind;
    unsigned long offset;            /* in keel_options                                  */
    double standard, least, most;    /* default and range (numbers)                      */
    const char *choices;             /* KEEL_OPTION_CHOICE: "auto|dense|..."             */
    const char *help;
} keel_option;

KEEL_API const keel_option *keel_option_table(int *count);
/* Parse `value` into the field of that name.  Returns KEEL_OK, KEEL_UNKNOWN_NAME or
 * KEEL_BAD_ARGUMENT, and then a sentence in text[0..text_size). */
KEEL_API int keel_option_set_sized(keel_options *options, size_t options_size, const char *name,
                                   const char *value, char *text, int text_size);

static inline int keel_option_set(keel_options *options, const char *name, const char *value,
                                  char *text, int text_size)
{
    return keel_option_set_sized(options, sizeof *options, name, value, text, text_size);
}

typedef struct keel_stats {
    long steps;                      /* attempts                                          */
    long accepted, rejected_error, rejected_newton;
    long rhs;                        /* evaluations of the whole right-hand side at a point */
    long rhs_for_jacobian;           /* those made for finite differences                 */
    long jacobian;                   /* Jacobians of the forces or right-hand side        */
    long factorizations;             /* of the whole iteration matrix (all its parts)     */
    long solves;                     /* with it (all its parts)                           */
    long newton;                     /* iterations                                        */
    long projections;                /* projected points                                  */
    long constraint;                 /* evaluations of g or G alone, for projection       */
    long events;                     /* that happened                                     */
    double residual[KEEL_LEVELS_MOST];           /* by level (position, velocity,         */
                                     /* acceleration, ...; attached rows last): maximum norm */
                                     /* over all accepted steps; negative where there is none; */
                                     /* but for those counted as `unmeasured`             */
    int stages_low, stages_high;     /* stage counts used                                 */
    int orders_low, orders_high;     /* orders used by multistep and general linear methods; 0: */
                                     /* another method                                    */
    int iteration_switches;          /* saddle <-> full                                   */
    double last_step;
    char method[48];                 /* in use; "" before keel_start                      */
    int method_switches;             /* of the method `auto`                              */
    double switch_time;              /* of the last one                                   */
    long unmeasured;                 /* accepted steps whose multipliers were not put into */
                                     /* the last level: BDF with multipliers of its own   */
                                     /* measures that at stop times                       */
    long event_iterations;           /* actions                                           */
    long restarts;                   /* after events                                      */
    long switches;                   /* evaluations of the switch functions               */
} keel_stats;

typedef enum keel_mark { KEEL_GUESS = 0, KEEL_FIXED = 1, KEEL_FREE = 2 } keel_mark;

/* On failure *solver still holds the message (free it); it is NULL only without memory. */
KEEL_API int keel_solver_create_sized(keel_solver **solver, const keel_problem *problem,
                                      const keel_options *options, size_t size);

static inline int keel_solver_create(keel_solver **solver, const keel_problem *problem,
                                     const keel_options *options)
{
    return keel_solver_create_sized(solver, problem, options, sizeof *options);
}

KEEL_API void keel_solver_free(keel_solver *solver);              /* NULL is fine */

/* Begin at t, forward, without a stop time, with the consistent point nearest to y: FREE unknowns
 * move first; GUESS ones only if those do not suffice, and then all as little as possible (sum of
 * the squares; of changes relative to 1 + |y| where the index is 1); FIXED ones not at all.  marks
 * NULL: multipliers and algebraic unknowns free, the others guesses.  Algebraic unknowns of M y' =
 * f and F = 0 are those without a column in M, else the directions that M does not see; so
 * differential values that were given stay unless a constraint demands otherwise.  Derivatives
 * move before all unknowns: yp NULL, or wrong, is corrected as far as the equations say, unless
 * yp_marks fix it. All constraint levels and attached rows are met (quasilinear and implicit
 * problems of index 2 and 3: the equations themselves, not the constraints hidden in them).  On
 * failure the message names the rows and unknowns; with KEEL_OK it may remark on rows that depend
 * on each other. A second run is as the first.  After a failure a run that was under way goes on
 * as if it had not been asked; keel_message says why. */
typedef struct keel_start_spec {
    double t;
    const double *y, *yp;            /* yp: derivatives, or NULL: not known              */
    const keel_mark *marks;          /* per unknown, or NULL                             */
    const keel_mark *yp_marks;       /* per derivative, or NULL: all free                */
    int equations;                   /* initial conditions beside the problem's          */
    /* value := 0 where they hold; yp as far as the form knows it. */
    int (*equation)(double t, const double *y, const double *yp, double *value, void *context);
    const char *const *equation_names;           /* one per equation, or NULL            */
    void *context;                               /* of equation                          */
} keel_start_spec;

KEEL_API int keel_start_with_sized(keel_solver *solver, const keel_start_spec *spec, size_t size);

static inline int keel_start_with(keel_solver *solver, const keel_start_spec *spec)
{
    return keel_start_with_sized(solver, spec, sizeof *spec);
}

/* The same without marks, or with some. */
KEEL_API int keel_start(keel_solver *solver, double t, const double *y);
KEEL_API int keel_start_marked(keel_solver *solver, double t, const double *y, const double *yp,
                               const keel_mark *marks);
/* Begins anew at the current point, after a change of what the callbacks compute: values of earlier
 * steps, step size, order and matrices are forgotten, dense output too; statistics, stop time and
 * direction stay, and `auto` the integrator it is at.  The point is not moved to new constraints:
 * keel_restart_with does that.  A failure changes nothing. */
KEEL_API int keel_restart(keel_solver *solver);
/* The same after a change of anything: at the consistent point nearest to spec->y (NULL: the current
 * one), with the marks and equations of keel_start; spec->t is not read.  Velocities of mechanical
 * problems move along M^-1 G^T, as an impulsive reaction moves them. */
KEEL_API int keel_restart_with_sized(keel_solver *solver, const keel_start_spec *spec, size_t size);

static inline int keel_restart_with(keel_solver *solver, const keel_start_spec *spec)
{
    return keel_restart_with_sized(solver, spec, sizeof *spec);
}

/* keel_problem_freedom, with what rows that depend on others at the start leave free; -1: as there. */
KEEL_API int keel_solver_freedom(const keel_solver *solver);

/* A value given to keel_start, not a free one, that had to move by more than atol + rtol |from|. */
typedef struct keel_move {
    int variable;
    double from, to;
} keel_move;

KEEL_API int keel_moved_count(const keel_solver *solver);
/* The i-th of them, i = 0, 1, ...; KEEL_BAD_ARGUMENT beyond the last. */
KEEL_API int keel_moved(const keel_solver *solver, int i, keel_move *move);

/* One accepted step in the direction last given (forward at first), never past the stop time. */
KEEL_API int keel_step(keel_solver *solver);
/* Steps until t is inside the last step or reached exactly; see keel_interpolate. */
KEEL_API int keel_advance(keel_solver *solver, double t);
/* Steps until t, which is hit exactly. */
KEEL_API int keel_advance_to(keel_solver *solver, double t);
/* A time never to be overstepped, neither by steps nor by callbacks; it also sets the direction of
 * integration, which cannot change after the first step. */
KEEL_API int keel_set_stop_time(keel_solver *solver, double t);
KEEL_API void keel_clear_stop_time(keel_solver *solver);

KEEL_API double keel_time(const keel_solver *solver);
KEEL_API double keel_previous_time(const keel_solver *solver);    /* start of the last step */
KEEL_API const double *keel_state(const keel_solver *solver);     /* y at keel_time */
/* Dense output: y at a time inside the last step; explicit methods may evaluate callbacks for it.
 * It is a polynomial, on the constraints only to the tolerance.  That of explicit, multistep, Rosenbrock and
 * general linear methods is about as accurate as the steps; that of implicit Runge-Kutta methods, and of
 * algebraic unknowns of M y' = f, is not (docs/methods.md, section 9): keel_advance_to ends a step there. */
KEEL_API int keel_interpolate(keel_solver *solver, double t, double *y);
/* The same, moved to the constraint manifold as keel_project does: all levels to rounding,
 * multipliers consistent.  Without constraints it is keel_interpolate; so it is at the ends of the
 * step, which are left as the run has them.  If it cannot be projected, y is the polynomial's. */
KEEL_API int keel_interpolate_projected(keel_solver *solver, double t, double *y);
/* Moves y at time t to the constraint manifold (all levels, multipliers recomputed; index 2, 3). */
KEEL_API int keel_project(keel_solver *solver, double t, double *y);
/* Norms of the first three constraint levels at the current point; negative where there is none. */
KEEL_API void keel_residuals(const keel_solver *solver, double residual[3]);
/* Of any level; negative where there is none. */
KEEL_API double keel_level_residual(const keel_solver *solver, int level);

/* An attached row h, by name, and how far the run is from keeping it. */
typedef struct keel_invariant {
    const char *name;                /* as keel_row_name                                  */
    double start, now;               /* h where the run began, and at the current point   */
    double deviation, largest;       /* |h - h at the start|, or |h| if it is to vanish:  */
                                     /* now, and of all accepted steps                    */
} keel_invariant;

/* Row 0, 1, ...; KEEL_BAD_ARGUMENT beyond the last, and before a start. */
KEEL_API int keel_invariant_at(const keel_solver *solver, int row, keel_invariant *invariant);

KEEL_API const keel_stats *keel_solver_stats(const keel_solver *solver);
/* Bytes that the sparse factors of the stages may take, known from keel_solver_create on, also where that
 * fails for want of memory: what the analysis counted if the pivots may stay on the diagonal (then not less),
 * else a bound.  0: there are none, or they are an engine's. */
KEEL_API double keel_factor_bytes(const keel_solver *solver);
/* Of the last call that returned a status: why it failed, or after a success "" or a remark. */
KEEL_API const char *keel_message(const keel_solver *solver);
/* For programs that end with the first failure, whosever it is: the message of the solver or, where
 * there is none, of the problem, else keel_status_text.  NULL for what does not exist yet. */
KEEL_API const char *keel_reason(int status, const keel_problem *problem,
                                 const keel_solver *solver);
/* What the method `auto` chose, or that another formulation is solved, and why; else "". */
KEEL_API const char *keel_choice(const keel_solver *solver);
KEEL_API const keel_problem *keel_solver_problem(const keel_solver *solver);

/* A run in a file, from which it goes on bit for bit, in this process or another one.  Saving
 * changes nothing but the message.  The file is complete or not there: it is written to PATH.part,
 * flushed to the disk and renamed; after a failure (KEEL_BAD_FILE: a full disk, for instance) the
 * old one stays.  A note, bytes of the caller's own, is kept with it. */
KEEL_API int keel_solver_save(keel_solver *solver, const char *path);
KEEL_API int keel_solver_save_noted(keel_solver *solver, const char *path, const void *note,
                                    size_t size);
/* Instead of keel_start, on a solver of the same problem and options (but max_steps): what
 * callbacks compute must be the same, too, which cannot be seen from here.  A file that is damaged,
 * or of another run, version or architecture is refused, KEEL_BAD_FILE, with a message that says
 * which; then the solver is as before.  Recordings and the message are not saved. */
KEEL_API int keel_solver_load(keel_solver *solver, const char *path);
/* The note of the file loaded last, until the next one or keel_solver_free; NULL: there is none. */
KEEL_API const void *keel_solver_note(const keel_solver *solver, size_t *size);

/* A recording of accepted steps that can be evaluated anywhere later; on failure of its creation
 * *solution holds only a message (free it). */
typedef struct keel_solution keel_solution;

KEEL_API int keel_solution_create(keel_solution **solution, const keel_solver *solver);
KEEL_API int keel_solution_append(keel_solution *solution, keel_solver *solver);
/* From a table: t ascending or descending, y by rows of n values; linear between them. */
KEEL_API int keel_solution_from_table(keel_solution **solution, int n, int rows, const double *t,
                                      const double *y);
KEEL_API int keel_solution_steps(const keel_solution *solution);
KEEL_API double keel_solution_time(const keel_solution *solution, int step);  /* 0..steps */
/* The polynomial, on the constraints to the tolerance only; see keel_interpolate.  In any threads,
 * unless one of them fails. */
KEEL_API int keel_solution_at(keel_solution *solution, double t, double *y);
/* At events keel_solution_at gives the values before, and this those after; elsewhere both are the
 * same. */
KEEL_API int keel_solution_after(keel_solution *solution, double t, double *y);
/* Events at which the run began anew, and the time of the i-th, from 0; NAN beyond the last. */
KEEL_API int keel_solution_events(const keel_solution *solution);
KEEL_API double keel_solution_event(const keel_solution *solution, int i);
/* The same, moved to the constraint manifold by `solver`, which must be of the same problem and
 * started, and does not change; see keel_interpolate_projected.  The constraints are those of then:
 * the frame and the structure that the step had, in which the solver must have been. */
KEEL_API int keel_solution_at_projected(keel_solution *solution, keel_solver *solver, double t,
                                        double *y);
/* As keel_solution_at, and beyond both ends by the first and the last polynomial, whose accuracy
 * nobody knows there. */
KEEL_API int keel_solution_beyond(keel_solution *solution, double t, double *y);

/* A step of a recording as it is kept: the polynomial in theta = (t - t0) / h through values at
 * nodes.  For those who store recordings, or hand them to another language. */
typedef struct keel_piece {
    double t0, t1, h;                /* the step, and the length of the whole one of which an   */
                                     /* event may have left only a part                         */
    const double *nodes, *weights;   /* [points] theta, and 1 / prod_(k != j) (node_j - node_k) */
    const double *values;            /* [points n] node by node                                 */
    const double *after;             /* [n] the last piece: y behind an event at t1; else NULL  */
    int points;
    int event;                       /* nonzero: the run began anew at t1                       */
} keel_piece;

/* Step 0, 1, ...; KEEL_BAD_ARGUMENT beyond the last.  Its arrays belong to the recording, until it
 * grows. */
KEEL_API int keel_solution_piece_sized(const keel_solution *solution, int step, keel_piece *piece,
                                       size_t size);
/* A recording that begins with y [n] at t, without a solver, and a further piece of it (copied),
 * which must begin where the last one ends. */
KEEL_API int keel_solution_begin(keel_solution **solution, int n, double t, const double *y);
KEEL_API int keel_solution_join_sized(keel_solution *solution, const keel_piece *piece, size_t size);
KEEL_API int keel_solution_unknowns(const keel_solution *solution);      /* n */

static inline int keel_solution_piece(const keel_solution *solution, int step, keel_piece *piece)
{
    return keel_solution_piece_sized(solution, step, piece, sizeof *piece);
}

static inline int keel_solution_join(keel_solution *solution, const keel_piece *piece)
{
    return keel_solution_join_sized(solution, piece, sizeof *piece);
}

/* As keel_message, of create, append, join and at. */
KEEL_API const char *keel_solution_message(const keel_solution *solution);
KEEL_API void keel_solution_free(keel_solution *solution);

#ifdef __cplusplus
}
#endif
#endif
