/* multivalue.h -- the integrator that carries several values from step to step: multistep and
 * general linear methods, for every form [Weiss 2007 (3.3)].
 *
 *   Y = U y[n] + h A Y',   0 = r(t_n + c_i h, Y_i, Y'_i),   y[n+1] = V y[n] + h B Y'
 *
 * For algebraic unknowns the last equation is the recursion with M(inf) = V - B A^-1 U.  What is
 * carried is mostly the Nordsieck vector, here y_k = h^k y^(k) / k!, so that another step size
 * means another scale, y_k := (h_new / h)^k y_k, and the predictor is the Pascal matrix [Bendtsen &
 * Thomsen 1999 (10.8)-(10.10)].  BDF formulas are general linear methods of one stage.
 */
#ifndef KEEL_INTEGRATE_MULTIVALUE_H
#define KEEL_INTEGRATE_MULTIVALUE_H

#include "integrate/settle.h"
#include "method/multivalue.h"
#include "method/starting.h"

enum { STEPS_KEPT = 8,           /* step sizes that variable-step BDF formulas may ask for */
       OUTSIDE_MOST = 3,         /* attempts outside the domain before the point is blamed */
       LEAPS_MOST = 6 };         /* of z, one after the other: one that stays is of the solution */

/* Coupled stages, block by block: T^-1 A^-1 T = L is block upper triangular, with 1 x 1 blocks and
 * 2 x 2 blocks [alpha -beta; beta alpha] on its diagonal. */
typedef struct coupled_stages {
    int s, reals, pairs;
    double *T, *T_inv, *L;       /* [s s]                                                  */
    double *A_inv;               /* [s s]                                                  */
    const double *c;             /* [s] nodes                                              */
    int *slot;                   /* [s] of a row: real slot, or -1 - (complex slot) for the */
} coupled_stages;                /* first row of a pair                                    */

typedef struct multivalue_state {
    evaluator *eval;             /* of what is solved: the problem, or a formulation of it */
    const int *source;           /* [n] its unknowns in those of the problem, or NULL      */
    evaluator formulated;        /* of the formulation                                     */
    int n;                       /* unknowns of what is solved                             */
    multivalue_method method;    /* in use                                                 */
    multivalue_range range;      /* orders to choose from                                  */
    starting_data starting;
    coupled_stages coupled;      /* where A is not triangular; of the starting procedure   */
    coupled_stages start_coupled;
    iteration matrix;
    double *weight, *scaled;     /* [n] reciprocal tolerances; times h^(index - 1)         */
    double *carried, *given, *made;      /* [r n] accepted; of the step size attempted; new */
    double *Y, *slopes;          /* [s n] stages, h Y'                                     */
    double *Z, *base, *rate, *update;    /* [n] of a stage equation; Z, update [s n] if coupled */
    double *evaluated;           /* [n] where a stage was evaluated last                   */
    double *y, *yp;              /* [n] the accepted point, its derivative                 */
    double *y_new, *yp_new;      /* [n] of the attempt                                     */
    double *settled;             /* [unknowns of the problem]                              */
    settlement settlement;
    double *principal, *principal_before;    /* [n] h^(p+1) y^(p+1): this step, the last   */
    double *error;               /* [n]                                                    */
    double *tested;              /* [n] weights of the error test, 0 for algebraic unknowns */
    /* blocked multistep methods: */
    double *past;                /* [k m] multipliers of the last steps, the last one first */
    double came[3];              /* over ranks: |P_q|, |P_(q-1)|, |P_(q+2)| of the accepted step */
    double factored;             /* h a_11 of the factored systems (coupled: h); 0: none   */
    newton_monitor newton;
    double newton_tolerance, newton_floor;
    double share;                /* of the tolerance that a step may use                   */
    int begun;                   /* the carried values exist                               */
    double h;                    /* step size of the carried values                        */
    int unsolved;                /* attempts in a row in which Newton's method failed      */
    int outside;                 /* attempts in a row that could not be evaluated, the     */
    double h_outside;            /* first of them with this step size                      */
    double nodes[POINTS_MOST / 2], barycentric[POINTS_MOST / 2];      /* of dense output   */
    int leaps;                   /* of z, one after the other                              */
    /* variable steps: */
    double steps[STEPS_KEPT];    /* accepted step sizes, the last one first                */
    int steps_known;
    double principal_h;          /* of the last step; 0: not known                         */
    int tested_count;
    int steps_at_order;          /* accepted since the order or the step size changed      */
    double recent, recent_lower; /* largest errors since then, of this order and the lower */
    double last_lower;           /* of the lower order, in the last step; 0: not known     */
    int age;                     /* accepted steps with this Jacobian                      */
    int failures;                /* of the error test, one after the other                 */
    int falling;                 /* steps on end in which both errors fell                 */
    double reach;                /* h_new / h up to which algebraic unknowns are resolved  */
    int shrinks;                 /* accepted steps after which h fell, and never rose      */
} multivalue_state;

/* multivalue_stages.c: stages of a step h from e->given into Y and slopes. */
attempt_result multivalue_matrices(keel_solver *s, double h);
int multivalue_is_single(const keel_solver *s);  /* variable steps of one stage: BDF */
attempt_result multivalue_stages(keel_solver *s, double h);
/* Do the multipliers of a stage follow from its positions and velocities? */
int multivalue_eliminates(const keel_solver *s);
/* The carried polynomial at t + x h, and the k-th entry of the Nordsieck vector. */
void multivalue_polynomial(const multivalue_state *e, const double *values, double x, double *y);
void multivalue_derivative(const multivalue_state *e, const double *values, int k, double *y);
/* Newton's method, whose update is in e->update. */
attempt_result multivalue_solve(keel_solver *s, int limit, newton_step *step, void *context);
/* Does a run solve the hidden constraint of the problem itself? */
int multivalue_is_reduced(const keel_solver *s);
/* multivalue_coupled.c */
void coupled_layout(arena *a, coupled_stages *c, int s);
/* From A, which has an inverse, by the Schur form of that; 0 or KEEL_NO_MEMORY. */
int coupled_create(coupled_stages *c, const multivalue_method *m);
attempt_result coupled_factor(keel_solver *s, const coupled_stages *c, double h);
/* Y = e->base + h A Y' for all stages, e->base [s n]; start values and solution in e->Z. */
attempt_result coupled_solve(keel_solver *s, const coupled_stages *c, double h);
/* multivalue_start.c: the carried values of a first step h. */
void starting_coupled(coupled_stages *c, const starting_data *d);
attempt_result multivalue_begin(keel_solver *s, double h);
/* multivalue_dense.c: dense output of the step h that e->made, e->settled, y_new and yp_new end,
 * before it is accepted; at most DENSE_MORE points more than the highest order. */
enum { DENSE_MORE = 3 };
void multivalue_dense(keel_solver *s, double h);
/* What of it is computed when it is asked for. */
attempt_result multivalue_dense_multipliers(keel_solver *s);
/* Are multipliers found from the hidden constraint where they are seen, and not after every step? */
int multivalue_completes(const keel_solver *s);
/* multivalue.c: the unknowns of the problem from those of what is solved. */
void multivalue_to_problem(const keel_solver *s, const double *solved, double *y);
/* For the message that accepts a point: of a settlement. */
int multivalue_at_new(keel_solver *s, double t, const double *y, double *sum, double *most);
/* multivalue_create.c: what the integrator interface asks for before the start. */
int multivalue_check(keel_solver *s);
void multivalue_buffers(arena *a, keel_solver *s);
int multivalue_create(keel_solver *s);
/* multivalue_order.c: variable steps. */
/* Error estimate of the candidate, into s->report. */
attempt_result multivalue_error(keel_solver *s);
/* What comes next. */
void multivalue_next(keel_solver *s, double h);
/* Over ranks, with the message that accepts y: a rank's parts of the norms that the choice of the order
 * rests on, of the values to be carried from there; and these norms.  A code of eval_*. */
int multivalue_order_parts(keel_solver *s, double h, const double *y, double *sum);
void multivalue_order_came(keel_solver *s);
/* x := (M - h a J)^-1 M x with the factored h a: as a stage sees it, without what is stiff or
 * normal to the constraints; algebraic unknowns get what follows from the others. */
int multivalue_filter(keel_solver *s, double *x);
/* |P_k|, k <= q. */
double multivalue_entry(keel_solver *s, int k, int filtered);
/* Errors of an accepted step with the order below and above, INFINITY: not known; P_j is filtered
 * before it is measured where that is asked for. */
double multivalue_lower_error(keel_solver *s, int filtered);
double multivalue_higher_error(keel_solver *s, double h, int filtered);
/* The error test with P_(q+1). */
attempt_result multivalue_judge_error(keel_solver *s, const double *P);
/* multivalue_bdf.c, multivalue_general.c, for BDF formulas and for methods from a table: the error; what
 * comes next (of a table after a failure, too, with h = 0), and the start value of stage i. */
attempt_result bdf_error(keel_solver *s);
void bdf_next(keel_solver *s, double h);
attempt_result general_error(keel_solver *s);
void general_next(keel_solver *s, double h);
void general_predict(multivalue_state *e, int i, double *Y);
/* A mode of the method that does not depend on h has come into what is carried. */
int general_is_astray(const multivalue_state *e);
/* multivalue_blocked.c: multipliers and slopes of a blocked step; nothing to do for other methods. */
/* How many multipliers, the last unknowns, it has of its own: others would upset its recursion. */
int blocked_multipliers(const keel_solver *s);
/* With constraints last f must be linear in z, or the method converges to something else. */
attempt_result blocked_check(keel_solver *s);
attempt_result blocked_begin(keel_solver *s, double h);
attempt_result blocked_finish(keel_solver *s, double h);
void blocked_accept(keel_solver *s);

#endif
