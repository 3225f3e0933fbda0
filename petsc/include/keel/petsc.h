/* petsc.h -- an engine on PETSc: vectors over MPI ranks, systems by KSP.  Library keel-petsc.
 *
 *     keel_petsc_engine(&engine, &(keel_petsc_spec){
 *         .comm = PETSC_COMM_WORLD, .differential = mine.y, .algebraic = mine.z, .pattern = J,
 *         .jacobian = jacobian, .context = &grid});
 *     keel_solver_create(&solver, problem, &(keel_options){.method = "bdf", .engine = engine});
 *
 * Each rank has a problem for its own part of the unknowns, [its y; its z] (or all of M y' = f), whose
 * callbacks exchange with other ranks what they need; vectors of PETSc are the parts one after the
 * other.  Linear solvers are chosen by PETSc's options, with these prefixes:
 *
 *   -keel_         sigma M - J of real shifts
 *   -keel_pair_    (alpha + beta) M - J, two solves with which precondition FGMRES on the real system of
 *                  double size for a complex shift alpha + i beta [Axelsson & Neytcheva, Numer. Algor. 66
 *                  (2014)]
 *   -keel_saddle_  [I -f_z; -g_y 0] of Hessenberg index 2, [I -f_v 0; 0 I -k_l; -g_u 0 0] of index 3: start,
 *                  projection
 *
 * Without any they are direct, by MUMPS.  See docs/distributed.md.
 */
#ifndef KEEL_PETSC_H
#define KEEL_PETSC_H

#include <petscksp.h>
#include <petscts.h>

#include <keel/keel.h>

#if defined(PETSC_USE_COMPLEX) || !defined(PETSC_USE_REAL_DOUBLE)
#error "keel-petsc needs a PETSc whose scalars are real and double; complex shifts are solved as real pairs"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* How often J was evaluated, systems made and solved, and Krylov iterations: with real matrices, those
 * inside of pairs included, of FGMRES with pairs, and with the saddle. */
typedef struct keel_petsc_counts {
    long linearizations, preparations, solves;
    long iterations, pair_iterations, saddle_iterations;
} keel_petsc_counts;

/* Callbacks return codes as those of problems do; on one rank alone they need not agree. */
typedef struct keel_petsc_spec {
    MPI_Comm comm;
    int differential, algebraic;     /* unknowns of this rank: y and z; M y' = f: all, 0          */
    Mat pattern;                     /* assembled, with every place of J, diagonals included: kept and */
                                     /* filled by `jacobian`                                      */
    /* J = r_y of r(t,y,y') = f(t,y) - M y', assembled; yp is NULL where nobody knows it. */
    int (*jacobian)(double t, Vec y, Vec yp, Mat J, void *context);
    Mat mass;                        /* M, constant, with places of the pattern; NULL: 1 for y, 0 for z */
    int linear_constraint;           /* 1: g_y is constant, which saves evaluations of J          */
    MatNullSpace null_space;         /* of sigma M - J and of the saddle, as of a pressure that is known up */
                                     /* to a constant; NULL: none                                 */
    const char *prefix;              /* before keel_ in the names of options; NULL: ""            */
    keel_petsc_counts *counts;       /* kept up to date; or NULL                                  */
    void *context;
    int velocities;                  /* Hessenberg index 3: the last so many of `differential`; 0: index 2 */
} keel_petsc_spec;

/* Collective; every rank must have unknowns of each group, as engine.h says.  A keel_status; where *engine
 * is not NULL it has the message, as of keel_engine_create, else PETSc has said what is wrong.  The engine
 * holds references to the PETSc objects of the spec; free it with keel_engine_free before PetscFinalize. */
int keel_petsc_engine(keel_engine **engine, const keel_petsc_spec *spec);

/* Adds the type "keel" to PETSc's TS: -ts_type keel -ts_keel_method radau-iia-3.  See docs/distributed.md
 * for what it takes from a TS.  Call it after PetscInitialize. */
PetscErrorCode keel_petsc_register(void);
/* Which rows of a TS are constraints 0 = g(t,y) of index 2, and so which unknowns are their multipliers:
 * the same numbers in ascending order, of this rank.  Without it rows without derivatives are of index 1. */
PetscErrorCode keel_petsc_set_constraints(TS ts, IS rows);

#ifdef __cplusplus
}
#endif
#endif
