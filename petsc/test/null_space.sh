#!/bin/sh
# null_space.sh -- a closed box, whose pressure is known up to a constant: exact to the tolerance, divergence at
# rounding, on one and two ranks, direct and by Krylov iterations.  Pressures follow from the hidden constraint, which is
# linear: they are exact but for rounding, and so is their mean, which no equation determines.
source=$1 build=$2
. "$source/petsc/test/ranks.sh"

judge() {
    cat "$folder/out"
    at_most "velocities" "$(value velocities <"$folder/out")" 1e-7
    at_most "pressures" "$(value pressures <"$folder/out")" 1e-12
    at_most "divergence" "$(value divergence <"$folder/out")" 1e-12
}
for method in radau-iia-3 radau-iia-5 esdirk-4 sdirk-4 gauss-2 bdf; do
    for n in 1 2; do
        ranks $n "$build/petsc/petsc_closed_box" -method $method >"$folder/out"
        judge
    done
done
for method in bdf esdirk-4; do
    ranks 2 "$build/petsc/petsc_closed_box" -method $method -options_file "$source/examples/petsc_fieldsplit.opts" >"$folder/out"
    judge
done
