/* formulation.h -- a problem made from another one: what all formulations share.
 *
 * A formulation is a problem of an ordinary form whose callbacks are here and evaluate the
 * original.  Their context is a formulation_state: an evaluator of the original and scratch, one
 * for each evaluator of the formulation, so that a formulation serves many solvers at once and
 * allocates nothing while it is evaluated.
 *
 * x are the differential unknowns of the original, l its multipliers or algebraic unknowns:
 *
 *   mechanical, Hessenberg 3   x = (q,v), (u,v)   lower levels g, g'    hidden level g''(t,x,l)
 *   Hessenberg 2               x = y              lower level  g        hidden level g'(t,x,l)
 *   semi-explicit              x = y              no lower level        hidden level g(t,x,l)
 *   proper                     x                  none; the rest is u = d(t,x)
 */
#ifndef KEEL_PROBLEM_FORMULATION_H
#define KEEL_PROBLEM_FORMULATION_H

#include "problem/problem.h"
#include "problem/stencil.h"

typedef struct formulation_kind formulation_kind;
typedef struct formulation_state formulation_state;
typedef struct invariant_field invariant_field;

/* How a problem was made. */
typedef struct formulation {
    const formulation_kind *kind;
    double alpha, beta;
    double *C;                   /* [2m 2m] embedded, else NULL                            */
    int *source;                 /* [n] the unknown of the original, or -1: it has none    */
} formulation;

struct formulation_kind {
    keel_formulation_info info;
    unsigned forms;              /* originals it applies to: bits 1 << keel_form           */
    unsigned identity;           /* those of them that already have this form              */
    const char *unknowns;        /* u, v, x, l, y: of the original; m, w, z: new, one per  */
                                 /* constraint, i: per invariant, g: as m, of index 3 only; */
                                 /* d: new, one per unknown (proper: per u); a: new, one    */
                                 /* per position                                            */
    double alpha;                /* default; 0: none, or automatic                         */
    /* From the original, with one name for each unknown. */
    int (*create)(keel_problem **problem, const keel_problem *original, const formulation *how,
                  const char *const *names);
};

/* What reducing the index of a form needs.  Returns as eval_*. */
typedef struct reduction {
    /* x' with the multipliers given. */
    int (*rate)(formulation_state *s, double t, const double *x, const double *l, double *f);
    /* The hidden level for any l, after `prepare` at the same (t,x). */
    int (*prepare)(formulation_state *s, double t, const double *x);
    int (*hidden)(formulation_state *s, double t, const double *x, const double *l, double *value);
    /* x' with the multipliers that the hidden level determines. */
    int (*eliminate)(formulation_state *s, double t, const double *x, double *f);
    /* Derivatives of a lower level: [m nx] with respect to x, and g_t or (g')_t. */
    int (*level_jacobian)(formulation_state *s, int level, double t, const double *x, double *J);
    int (*level_time)(formulation_state *s, int level, double t, const double *x, double *value);
    /* Gear, Gupta & Leimkuhler: f := f - D mu in the first group, after `rate` at (t,x). */
    int (*stabilise)(formulation_state *s, double t, const double *x, const double *mu, double *f);
} reduction;

extern const reduction mechanical_reduction, hessenberg3_reduction, hessenberg2_reduction,
    semi_explicit_reduction;

struct formulation_state {
    const formulation *how;
    const reduction *reduction;  /* of the original's form, or NULL                        */
    evaluator *outer, *inner;    /* of the formulation and of the original                 */
    keel_stats uncounted;        /* what the original does for one evaluation              */
    int n, nx, m;                /* unknowns of the original, differential ones, rows of g */
    int lower;                   /* levels below the hidden one                            */
    double *y, *moved;           /* [n] unknowns of the original                           */
    double *rate, *along;        /* [n] x', a direction                                    */
    double *base, *value, *known;/* [m] levels; the part of the hidden one without l       */
    double *l, *trial;           /* [m] multipliers, `found` of the outer evaluator        */
    double *increment;           /* [m] scratch                                            */
    double *G, *S;               /* [m N] of g, [m m]                                      */
    int *pivot;                  /* [m or N]                                               */
    double *mass;                /* [N N] mechanical                                       */
    saddle *saddle;              /* mechanical                                             */
    int *multiplier_pivot;       /* [m] mechanical                                         */
    double t, *x;                /* [nx] mechanical, index1: where                         */
    invariant_field *field;      /* invariants, stabilised; else NULL                      */
    unsigned parts;              /* these, KEEL_FORCE .., were evaluated last; 0: elsewhere */
};

void formulation_layout(arena *a, evaluator *e);
void formulation_forget(evaluator *e);
void formulation_free(formulation *how);
/* Is it one that has attached rows for constraints? */
int formulation_attaches(const keel_problem *problem);
/* Number of x and of the rest in the unknowns of a problem. */
int differential_unknowns(const keel_problem *problem);

/* Each callback begins and ends with these; leave returns rc. */
formulation_state *formulation_enter(void *context);
int formulation_leave(formulation_state *s, int rc);
/* A fault of the formulation itself: the state cannot be evaluated here. */
int formulation_fault(formulation_state *s, double t, int code, const char *what);

/* ---- lower levels ------------------------------------------------------------------------ */

int lower_level(formulation_state *s, int level, double t, const double *x, double *value);
/* Derivatives of level(t + in_time e, x + e direction) at e = 0, direction NULL: 0. */
int level_derivative(formulation_state *s, int level, double t, const double *x, const stencil *d,
                     double in_time, const double *direction, double *value);
int difference_level_jacobian(formulation_state *s, int level, double t, const double *x,
                              double *J);
int difference_level_time(formulation_state *s, int level, double t, const double *x,
                          double *value);
/* s->l from the hidden level by Newton's method. */
int solve_multipliers(formulation_state *s, double t, const double *x);

/* The multipliers that belong to x, of a mechanical problem as index1; then x' and the hidden level
 * there take no evaluation of the forces.  Returns as eval_*. */
int index1_multipliers(evaluator *e, double t, const double *x, double *l);

/* ---- the kinds --------------------------------------------------------------------------- */

/* As keel_hessenberg2; `crowded`: there may be more constraints than unknowns. */
int create_hessenberg2(keel_problem **problem, const keel_hessenberg2_spec *given, size_t size,
                       int crowded);

typedef int formulation_create(keel_problem **problem, const keel_problem *original,
                               const formulation *how, const char *const *names);
formulation_create create_identity, create_index2, create_ggl, create_index1, create_index0,
    create_baumgarte, create_embedded, create_augmented, create_augmented_proper, create_naive,
    create_index2_augmented, create_invariants, create_stabilised;

#endif
