/* interpolation.c -- barycentric Lagrange interpolation [Berrut & Trefethen, SIAM Rev. 46 (2004)]. */
#include "step/interpolation.h"

#include <string.h>

const double hermite_nodes[HERMITE_POINTS] = {0, 1.0 / 3, 2.0 / 3, 1};
const double hermite_barycentric[HERMITE_POINTS] = {-4.5, 13.5, -13.5, 4.5};

void barycentric_weights(int points, const double *nodes, double *weights)
{
    for (int j = 0; j < points; j++) {
        double product = 1;
        for (int k = 0; k < points; k++)
            if (k != j) product *= nodes[j] - nodes[k];
        weights[j] = 1 / product;
    }
}

void lagrange_at(int points, const double *nodes, const double *barycentric, double theta,
                 double *lagrange)
{
    double product = 1;
    for (int j = 0; j < points; j++) {
        double distance = theta - nodes[j];
        if (distance == 0) {
            memset(lagrange, 0, (size_t)points * sizeof *lagrange);
            lagrange[j] = 1;
            return;
        }
        product *= distance;
    }
    for (int j = 0; j < points; j++)
        lagrange[j] = product * barycentric[j] / (theta - nodes[j]);
}

void interpolant_at(const interpolant *p, int n, double theta, double *y)
{
    double lagrange[POINTS_MOST];
    lagrange_at(p->points, p->nodes, p->barycentric, theta, lagrange);
    memset(y, 0, (size_t)n * sizeof *y);
    for (int j = 0; j < p->points; j++) {
        const double *value = p->values + (size_t)j * (size_t)n;
        for (int i = 0; i < n; i++) y[i] += lagrange[j] * value[i];
    }
}
