/* forms.h -- the operations of the forms, from which forms.c makes their tables. */
#ifndef KEEL_PROBLEM_FORMS_H
#define KEEL_PROBLEM_FORMS_H

#include "problem/problem.h"

typedef int form_residual(evaluator *e, double t, const double *y, const double *yp, double *r);
typedef int form_jacobian(evaluator *e, double t, const double *y, const double *yp,
                          keel_matrix *J);
typedef int form_mass(evaluator *e, const coloring *c, double t, const double *y, const double *yp,
                      keel_matrix *M);
typedef int form_level(evaluator *e, int level, double t, const double *y, double *value);
typedef int form_rate(evaluator *e, double t, const double *y, double *f);
typedef int form_claims(const keel_problem *p, struct claim *list);

/* evaluate.c, proper.c, levelled.c */
form_residual ode_residual, semi_explicit_residual, hessenberg2_residual, hessenberg3_residual,
    mechanical_residual, quasilinear_residual, implicit_residual, eval_proper_residual, levelled_residual;
/* matrices.c, proper.c, levelled.c */
form_jacobian ode_jacobian, semi_explicit_jacobian, hessenberg2_jacobian, hessenberg3_jacobian,
    quasilinear_jacobian, implicit_jacobian, no_jacobian, eval_proper_jacobian, levelled_jacobian;
form_mass mechanical_mass, quasilinear_mass, implicit_mass, proper_mass;
/* levels.c, mechanical.c, levelled.c */
form_level semi_explicit_level, hessenberg2_level, hessenberg3_level, eval_mechanical_level,
    levelled_level;
form_rate ode_rate, semi_explicit_rate, hessenberg2_rate, hessenberg3_rate, levelled_rate;
/* claims.c, claims_mechanical.c */
form_claims ode_claims, semi_explicit_claims, hessenberg2_claims, hessenberg3_claims,
    mechanical_claims, quasilinear_claims, implicit_claims, proper_claims, levelled_claims;

#endif
