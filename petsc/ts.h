/* ts.h -- a TS of type keel: what it knows (ts_form.c makes it), and what the TS asks for (ts.c). */
#ifndef KEEL_PETSC_TS_H
#define KEEL_PETSC_TS_H

#include <petsc/private/tsimpl.h>

#include <keel/petsc.h>

#define CONSTRAINT_KEY "keel_constraints"        /* of the index set that is composed with the TS */

typedef struct ts_keel {
    char method[48];
    keel_problem *problem;
    keel_engine *engine;
    keel_solver *solver;         /* NULL: to be made                                     */
    PetscInt n, differential;    /* of this rank                                         */
    PetscInt *order;             /* [n] where the unknowns of Keel are in those of the TS */
    IS all;                      /* the same in global numbers; NULL: they are the same  */
    Vec u, zero, F;              /* of the TS                                            */
    Vec rate, product, trial;    /* some u', M u', F(t,u,u') where it is linear          */
    Mat M, J;
    Mat part;                    /* the Jacobian of the TS in the order of Keel, where that is another */
    PetscObjectState state;      /* of the solution that was left,                       */
    PetscReal left;              /* and its time                                         */
    double *y;                   /* [n]                                                  */
    Vec before;                  /* the solution before the step                         */
    keel_petsc_counts counts;
    long newton, rejected, iterations;   /* that the TS knows of                         */
} ts_keel;

/* u := (y, z) of Keel; z NULL: 0. */
PetscErrorCode ts_spread(const ts_keel *k, const double *y, const double *z, Vec u);
/* y := factor u, unknowns from <= i < to of Keel. */
PetscErrorCode ts_collect(const ts_keel *k, Vec u, PetscInt from, PetscInt to, double factor, double *y);
/* Which unknowns are multipliers: k->order. */
PetscErrorCode ts_find_order(TS ts);
/* Mass matrix, problem, engine and solver. */
PetscErrorCode ts_make_solver(TS ts);
/* A status of Keel's as an error of PETSc's. */
PetscErrorCode ts_check(TS ts, int status, const char *message);

#endif
