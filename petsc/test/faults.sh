#!/bin/sh
# faults.sh -- what goes wrong on one rank, and with solvers: a status with a reason, the same on all ranks, nobody waits.
source=$1 build=$2
. "$source/petsc/test/ranks.sh"

# Callbacks: on one rank at every call, on two at some.
for method in bdf radau-iia-3 esdirk-4; do
    ranks 1 "$build/petsc/petsc_faults" -method $method >"$folder/out"
    cat "$folder/out"
    equal "wrong" 0 "$(value wrong <"$folder/out")"
done
ranks 2 "$build/petsc/petsc_faults" -method bdf -stride 9 >"$folder/out"
cat "$folder/out"
equal "wrong" 0 "$(value wrong <"$folder/out")"

# A Krylov solver that never gets there, and ranks without a row of cells.
fails "function .solve. returned 1" 1 "$build/petsc/petsc_channel" -side 4 -keel_ksp_type gmres -keel_pc_type none -keel_ksp_max_it 0
fails "use fewer ranks" 3 "$build/petsc/petsc_channel" -side 2

# PETSc counts what is not given back to it.
ranks 1 "$build/petsc/petsc_channel" -side 8 -method radau-iia-3 -malloc_debug -malloc_dump >"$folder/out" 2>&1
if grep -q "bytes" "$folder/out"; then cat "$folder/out"; echo "memory is left"; exit 1; fi
