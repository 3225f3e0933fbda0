/* boundary.h -- boundary value problems of differential-algebraic equations.
 *
 *   x' = f(t,x,y,p),  0 = g(t,x,y,p)  on [from,to],   0 = b(x(from), x(to), p)
 *
 * with unknown parameters p, by collocation on a mesh that follows the error.  The problem is one of
 * problem.h (or a formulation); unknowns are ordered as there.  Of constraints of index 2 and more
 * their derivatives are collocated, and they themselves are imposed once, at one end, by the library:
 * conditions are what is left free, differential unknowns - rows of all levels + parameters.
 *
 * p are parameters of the frame of the problem (frame.h), so that one problem serves many of these.
 *
 * Life cycle:  keel_boundary_create -> keel_boundary_guess (or spec.guess) -> keel_boundary_solve ->
 *              keel_boundary_solution, ... -> keel_boundary_free.
 * Ownership:   spec and options are copied; the problem is borrowed and must outlive it.
 */
#ifndef KEEL_BOUNDARY_H
#define KEEL_BOUNDARY_H

#include "keel/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct keel_boundary keel_boundary;

typedef struct keel_boundary_spec {
    const keel_problem *problem;
    double from, to;
    int conditions;                  /* rows of b                                            */
    /* ya, yb: all unknowns of the problem at both ends. */
    int (*condition)(const double *ya, const double *yb, const double *p, double *b, void *context);
    int (*condition_jacobian)(const double *ya, const double *yb, const double *p, double *b_a,
                              double *b_b, double *b_p, void *context);   /* by rows; optional */
    int inner;                       /* further conditions, at points inside:                */
    const double *inner_at;          /* [inner] one time each, in order                      */
    int (*inner_condition)(int i, double t, const double *y, const double *p, double *b,
                           void *context);
    int parameters;                  /* unknown ones, ...                                    */
    const int *parameter;            /* ... which of the frame's; NULL: the first            */
    int breaks;                      /* where the right-hand side is not smooth: mesh points  */
    const double *break_at;          /* [breaks], in order                                   */
    /* y and p to begin with; NULL: 0, or keel_boundary_guess. */
    int (*guess)(double t, double *y, double *p, void *context);
    const char *const *condition_names;
    void *context;                   /* of the callbacks here                                */
    /* Breaks at unknown times: break i is where the unknown parameter break_parameter[i] says, the
     * first being 0; -1: known.  break_at is then where they are expected, and in what order.  An
     * inner condition at the same place goes with its break. */
    const int *break_parameter;      /* [breaks], or NULL: all are known                     */
} keel_boundary_spec;

/* What is collocated of rows of index 2; those of index 1 may be beside them, others only with the first. */
typedef enum keel_index2 {
    KEEL_INDEX2_HIDDEN = 0,          /* g' is collocated, g imposed at one end               */
    KEEL_INDEX2_PROJECTED = 1,       /* g at the stages, mesh points projected [Ascher & Petzold (14)] */
    KEEL_INDEX2_PLAIN = 2            /* g at the stages alone                                */
} keel_index2;

typedef enum keel_points {
    KEEL_POINTS_GAUSS = 0,
    KEEL_POINTS_RADAU_IIA = 1,
    KEEL_POINTS_GIVEN = 2            /* options.nodes                                        */
} keel_points;

/* Zero means the default. */
typedef struct keel_boundary_options {
    double rtol, atol;               /* of the error, everywhere: atol + rtol |y|; 1e-6;     */
                                     /* atol 0: as rtol, so that y = 0 can be computed       */
    const double *rtol_each, *atol_each;         /* per unknown (copied), or NULL            */
    int stages;                      /* 1..8; 0: 6 or 8 by the tolerance                     */
    keel_points points;
    int mesh;                        /* intervals to begin with; 0: 4                        */
    int uniform;                     /* nonzero: `mesh` equal intervals, no error control; a */
                                     /* solution comes with KEEL_ILL_CONDITIONED as well     */
    int most;                        /* intervals; 0: 100000                                 */
    keel_index2 index2;
    int no_projection;               /* nonzero: mesh values are not projected at the end    */
    int right;                       /* nonzero: constraints are imposed at `to`             */
    int unenriched;                  /* nonzero: the solution is the polynomial of the stages, */
                                     /* of order k + 1 in x and k in y, jumps of y included  */
    int dense;                       /* nonzero: sparse Jacobians are treated as dense ones  */
    const double *nodes;             /* [stages] points of KEEL_POINTS_GIVEN (copied),       */
                                     /* ascending in (0,1]                                   */
    const char *easy_name;           /* parameter of the frame and a value that make it easy: */
    double easy_value;               /* from there it is followed, if nothing else helps     */
    double memory;                   /* bytes of a mesh; 0: 2.9e9.  Local matrices that do not */
                                     /* fit are replaced by smaller ones that converge more  */
                                     /* slowly, or computed anew whenever they are needed    */
    /* Called before every factorisation, when keel_boundary_statistics and _parameters say how far it
     * is; < 0: stop, with KEEL_CALLBACK_FAILED. */
    int (*watch)(const keel_boundary *boundary, void *context);
    void *watch_context;
    int unchecked;                   /* nonzero: given derivatives are not compared with     */
                                     /* differences                                          */
    int reserved;                    /* 0                                                    */
} keel_boundary_options;

typedef struct keel_boundary_stats {
    long newton, factorizations, solves, rhs, rhs_for_jacobian, jacobian;
    int mesh, meshes_tried;          /* intervals of the last; how many meshes               */
    int stages;
    double error_x, error_y;         /* estimated, in units of what is asked for             */
    double error_global;             /* ... that of mesh values, and of z there              */
    double kappa_boundary, kappa_green;          /* largest |x| for unit changes of a        */
                                     /* condition, scaled to derivatives of 1; for unit +-   */
                                     /* changes of f; negative: not computed                 */
    double projector;                /* largest norm of f_y (g_x f_y)^-1 g_x; negative: none */
    double rounding;                 /* relative accuracy that conditioning allows           */
    double residual;                 /* of the constraints at mesh points, all levels        */
    double equations;                /* largest residual of all equations, in units of what  */
                                     /* is asked for: at most 1                              */
    int growing, decaying;           /* modes, by keel_boundary_diagnose; -1: not asked for  */
} keel_boundary_stats;

/* Along a solution.  Modes are solutions of the linearised equations on the constraint manifold, from
 * end to end the singular values of their flow: those that grow need conditions at `to`, those that
 * decay at `from` [dichotomy]. */
typedef struct keel_boundary_diagnosis {
    int intervals;
    const double *t;                 /* [intervals + 1] mesh points                          */
    const double *boundary, *green;  /* [intervals + 1] largest |x| there for unit changes of */
                                     /* a condition, and for x' changed by +-1: see stats    */
    const double *projector;         /* [intervals] its norm; NULL: no constraint of index 2 */
                                     /* or more                                              */
    int modes;                       /* differential unknowns - rows of all levels           */
    int growing, decaying;           /* by more than a factor e from end to end              */
    const double *rate;              /* [modes] of growth, the mean, descending              */
    const double *fastest, *slowest; /* [intervals] the largest and the smallest rate there  */
} keel_boundary_diagnosis;

KEEL_API int keel_boundary_create_sized(keel_boundary **boundary, const keel_boundary_spec *spec,
                                        size_t spec_size, const keel_boundary_options *options,
                                        size_t options_size);

static inline int keel_boundary_create(keel_boundary **boundary, const keel_boundary_spec *spec,
                                       const keel_boundary_options *options)
{
    return keel_boundary_create_sized(boundary, spec, sizeof *spec, options, sizeof *options);
}

/* Any recording of the same unknowns, its own solution too, stretched if it does not cover the interval; p
 * NULL: as they are.  There is then no solution until it is solved again. */
KEEL_API int keel_boundary_guess(keel_boundary *boundary, keel_solution *guess, const double *p);
/* From the guess, or the solution that is there. */
KEEL_API int keel_boundary_solve(keel_boundary *boundary);
/* Evaluated by keel_solution_at; owned by the boundary problem, until it is solved again or has another
 * guess.  NULL: there is none. */
KEEL_API keel_solution *keel_boundary_solution(keel_boundary *boundary);
KEEL_API const double *keel_boundary_parameters(const keel_boundary *boundary);
/* Into a file, which is replaced as a whole, and back from it: what was saved is the solution, and the
 * guess of the next keel_boundary_solve, whatever the interval and the tolerances are.  A file that is
 * damaged or of other unknowns is KEEL_BAD_FILE, and nothing is changed. */
KEEL_API int keel_boundary_save(keel_boundary *boundary, const char *path);
KEEL_API int keel_boundary_load(keel_boundary *boundary, const char *path);
/* Before solving again: another interval, over which the solution that is there is stretched as a
 * guess; other tolerances of all unknowns, for which the mesh begins with that of the solution. */
KEEL_API int keel_boundary_set_interval(keel_boundary *boundary, double from, double to);
KEEL_API int keel_boundary_set_tolerances(keel_boundary *boundary, double rtol, double atol);
/* All of the frame: those that are not unknown can be changed before the next keel_boundary_solve. */
KEEL_API int keel_boundary_set_frame(keel_boundary *boundary, const double *parameters);
KEEL_API const keel_boundary_stats *keel_boundary_statistics(const keel_boundary *boundary);
/* Owned by the boundary problem, until it is solved again; NULL: keel_boundary_message says why. */
KEEL_API const keel_boundary_diagnosis *keel_boundary_diagnose(keel_boundary *boundary);
/* Floquet multipliers of a solution that ends where it began: eigenvalues re + i im of the flow over
 * the interval, on the constraint manifold, the largest first.  *count: differential unknowns - rows of
 * all levels; re and im have room for as many.  KEEL_BAD_ARGUMENT: not periodic. */
KEEL_API int keel_boundary_multipliers(keel_boundary *boundary, int *count, double *re, double *im);
KEEL_API const char *keel_boundary_message(const keel_boundary *boundary);
KEEL_API void keel_boundary_free(keel_boundary *boundary);

#ifdef __cplusplus
}
#endif
#endif
