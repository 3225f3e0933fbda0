/* multistep.h -- linear multistep methods
 *     sum_j alpha_j y_(n+j) = h sum_j beta_j f(y_(n+j)),   j = 0..k,
 * their generating polynomials rho, sigma, tau (of alpha, beta, gamma), and those with a name. */
#ifndef KEEL_METHOD_MULTISTEP_H
#define KEEL_METHOD_MULTISTEP_H

#include "method/method.h"
#include "method/roots.h"

enum { COEFFICIENTS = KEEL_STEPS_MOST + 1 };

/* sigma - tau for blocked methods, else sigma [steps + 1]: on index 2 its roots must lie inside the
 * unit circle. */
void multistep_sigma_tau(const keel_multistep *f, double *difference);
/* How often tau vanishes at 1, which is the order of the multipliers [Bendtsen & Thomsen 1999,
 * theorem 5.1]; the order of the method if tau = 0. */
int multistep_order_z(const keel_multistep *f);
/* Backward differentiation: sigma = zeta^k and order k. */
int multistep_is_bdf(const keel_multistep *f);

/* ---- tables_multistep.c ---------------------------------------------------------------------- */

/* Number i of the named formulas, `variant` 0 as it is, else with another treatment of the
 * multipliers; NULL: there is none.  Only the texts, steps and blocking are filled in. */
const keel_multistep *multistep_table(int i, int variant);
enum { MULTISTEP_VARIANTS = 3 };
/* The method of an entry. */
int multistep_table_make(keel_method **method, const keel_multistep *entry);
/* A formula of a table, and the largest root of its sigma: nothing is checked, tests have done so. */
int multistep_named(keel_method **method, const keel_multistep *f, double root);
/* If `name` is a formula that cannot be used (bdf-7, beta-adams-4): KEEL_UNSUPPORTED, with *method
 * holding a message that says why; else KEEL_UNKNOWN_NAME, or KEEL_NO_MEMORY. */
int multistep_explain(keel_method **method, const char *name);

#endif
