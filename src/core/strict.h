/* strict.h -- arithmetic as IEEE 754 has it: what is not finite must be seen.
 *
 * Values that callbacks give are checked by 0 * x == 0, and steps are rejected by !(error < 1).  A
 * compiler that may assume finite numbers removes both, and one that reorders sums their digits.
 */
#ifndef KEEL_CORE_STRICT_H
#define KEEL_CORE_STRICT_H

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "keel cannot be compiled with -ffast-math or -ffinite-math-only: NaN would go unnoticed"
#endif
#if defined(__ASSOCIATIVE_MATH__)
#error "keel cannot be compiled with -fassociative-math or -funsafe-math-optimizations"
#endif

#endif
