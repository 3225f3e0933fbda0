/* target.h -- a problem with all that a run needs, as one constant.
 *
 *   const keel_target keel_target_main = {
 *       .abi = KEEL_TARGET_ABI, .name = "crank", .title = "Slider crank",
 *       .t_end = 10, .create = create, .start = start,
 *   };
 *
 * The keel command takes such a constant from a file: `keel run crank.c` compiles it first, `keel
 * run ./crank.so` loads what `cc -shared -fPIC crank.c -o crank.so -lm` makes.  All verbs that take
 * a problem take it; the bundled ones are the same.  `keel new` writes a file to begin with.
 */
#ifndef KEEL_TARGET_H
#define KEEL_TARGET_H

#include <stddef.h>

#include "keel/boundary.h"
#include "keel/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A number that --param changes. */
typedef struct keel_parameter {
    const char *name;
    double value;                /* default */
    const char *meaning;
} keel_parameter;

/* Values at a time that some independent, more accurate computation gave. */
typedef struct keel_reference {
    double t;
    const double *y;             /* one per unknown; NAN where not known                    */
    double digits;               /* trusted significant digits                              */
    const char *source;
} keel_reference;

/* A part of a drawing in the plane: the line from (x1,y1) to (x2,y2), or with a radius > 0 the
 * circle about (x1,y1). */
typedef struct keel_shape {
    double x1, y1, x2, y2, radius;
} keel_shape;

/* A problem as a boundary value problem, for `keel bvp`.  Of the spec the command fills in problem,
 * from and to (t_start and t_end) and context (the parameters of the target). */
typedef struct keel_boundary_target {
    const keel_boundary_spec *spec;
    /* The unknown parameters of the exact solution, or NULL. */
    void (*exact)(const double *parameters, double *p);
} keel_boundary_target;

/* `parameters` always holds the values in order, and outlives the problem: let `context` of a spec
 * point to it. */
typedef struct keel_target {
    size_t abi;                  /* KEEL_TARGET_ABI; bundled ones need not say it           */
    const char *name;            /* "andrews"                                               */
    const char *title;           /* one line                                                */
    const char *source;          /* citation of the equations and data, or NULL             */
    const char *remark;          /* runs to compare, indented lines, or NULL                */
    int index, size;             /* index and unknowns for default parameters; files need   */
                                 /* not give them                                           */
    double t_start, t_end;
    int parameter_count;         /* 0: none                                                 */
    const keel_parameter *parameters;
    const double (*bounds)[2];   /* least and most of each parameter; NULL: any             */
    int (*create)(keel_problem **problem, const double *parameters);
    void (*start)(const double *parameters, double *y);            /* initial values at t_start */
    /* Exact solution, or NULL. */
    void (*exact)(const double *parameters, double t, double *y);
    const unsigned char *counts; /* 1: enters the correct digits, one per unknown; NULL:     */
                                 /* all do                                                  */
    int reference_count;         /* valid for default parameters only                       */
    const keel_reference *references;
    /* How to draw y at t, or NULL: fills in at most `room` shapes, returns how many there are. */
    int (*sketch)(const double *parameters, double t, const double *y, keel_shape *shapes,
                  int room);
    /* Conditions at both ends, or NULL.  With them `start` may be NULL: then it is a boundary value
     * problem only, and `exact` or a guess serve where values are needed. */
    const keel_boundary_target *boundary;
    int live_parameters;         /* 1: create only keeps the pointer, and all callbacks read what it points */
                                 /* to: a sweep may change the values between two runs of a solver  */
} keel_target;

/* Changes with whatever a target hands to the library: a file compiled with other headers than
 * those of the command is refused. */
#define KEEL_TARGET_ABI                                                                        \
    (sizeof(keel_target) + sizeof(keel_ode_spec) + sizeof(keel_semi_explicit_spec) +           \
     sizeof(keel_hessenberg2_spec) + sizeof(keel_hessenberg3_spec) +                           \
     sizeof(keel_mechanical_spec) + sizeof(keel_quasilinear_spec) + sizeof(keel_implicit_spec) \
     + sizeof(keel_proper_spec) + sizeof(keel_levelled_spec) + sizeof(keel_mechanical_parts)  \
     + sizeof(keel_boundary_spec) + sizeof(keel_boundary_target))

/* The one that a file exports. */
extern KEEL_API const keel_target keel_target_main;

#ifdef __cplusplus
}
#endif
#endif
