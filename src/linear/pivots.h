/* pivots.h -- which pivots are noise.
 *
 * The computed u(k,k) is what is left of a(k,k) - sum_j l(k,j) u(j,k) and carries rounding errors
 * of about n eps sum_j |l(k,j) u(j,k)| [Higham, Accuracy and Stability of Numerical Algorithms,
 * 2nd ed. 2002, Theorem 9.3].  A u(j,k) that is itself noise stands for the terms s(j) that
 * cancelled in it:
 *     S(j) = sum_{t<j} |l(j,t)| s(t),   s(j) = |u(j,k)| if that exceeds tol S(j), else S(j).
 * The matrix cannot be told from a singular one if |u(k,k)| <= tol S(k).  Scaling of rows and
 * columns changes nothing in this comparison, so that the bad scaling of index-3 Newton
 * matrices (h^-2 against 1) does no harm.  NaN and infinity fail.
 */
#ifndef KEEL_LINEAR_PIVOTS_H
#define KEEL_LINEAR_PIVOTS_H

#include <float.h>
#include <math.h>

/* s(j) is kept for this many rows j; beyond, |u(j,k)| stands for it. */
enum { TERM_ROWS = 512 };

/* Only pivots below this part of the largest |u(j,k)| of their column are tested. */
#define PIVOT_SUSPICIOUS 1e-10

/* Size of an entry of `width` doubles: 1 real, 2 complex, where |re| + |im| will do. */
static inline double modulus(const double *z, int width)
{
    return width == 1 ? fabs(z[0]) : fabs(z[0]) + fabs(z[1]);
}

static inline double pivot_tolerance(int n)
{
    return 8 * n * DBL_EPSILON;
}

static inline int pivot_is_significant(double tolerance, double size, double cancelled)
{
    return size > tolerance * cancelled && size <= DBL_MAX;
}

/* `largest`: the largest |u(j,k)|, j < k */
static inline int pivot_is_suspicious(double size, double largest)
{
    return !(size > PIVOT_SUSPICIOUS * largest && size <= DBL_MAX);
}

#endif
