/* problems.h -- the bundled test problems, shared by tests, benchmarks and the command.
 *
 * Each lives in a file of its own that ends in one `const bundled_problem`; problems.c lists them.
 */
#ifndef KEEL_PROBLEMS_H
#define KEEL_PROBLEMS_H

#include "keel/keel.h"

typedef struct bundled_parameter {
    const char *name;
    double value;                /* default */
    const char *meaning;
} bundled_parameter;

/* Values at a time that some independent, more accurate computation gave. */
typedef struct bundled_reference {
    double t;
    const double *y;             /* one per unknown; NAN where not known                    */
    double digits;               /* trusted significant digits                              */
    const char *source;
} bundled_reference;

typedef struct bundled_problem {
    const char *name;            /* "andrews"                                               */
    const char *title;           /* one line                                                */
    const char *source;          /* citation of the equations and data                      */
    const char *remark;          /* runs to compare, indented lines, or NULL                */
    int index;                   /* from 0 on, for default parameters                       */
    int size;                    /* unknowns                                                */
    double t_start, t_end;
    int parameter_count;
    const bundled_parameter *parameters;
    /* `parameters` holds the values in order; borrowed: it must outlive the problem. */
    int (*create)(keel_problem **problem, const double *parameters);
    void (*start)(const double *parameters, double *y);            /* initial values at t_start */
    /* Exact solution, or NULL. */
    void (*exact)(const double *parameters, double t, double *y);
    const unsigned char *counts; /* 1: enters scd, one per unknown                          */
    int reference_count;         /* valid for default parameters only                       */
    const bundled_reference *references;
} bundled_problem;

const bundled_problem *const *bundled_problems(int *count);
const bundled_problem *bundled_problem_find(const char *name);     /* NULL if there is none */

/* Significant correct digits of y at t: -log10 of the largest relative error over the counting
 * unknowns (absolute where the reference is 0), against the exact solution or a reference at t;
 * NAN without one.  Capped at the digits of the reference when `cap` is nonzero. */
double bundled_scd(const bundled_problem *problem, const double *parameters, double t,
                   const double *y, int cap);

#endif
