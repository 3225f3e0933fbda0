#!/bin/sh
# null_space.sh -- a closed box, whose pressure is known up to a constant: exact to the tolerance, divergence at
# rounding, on one and two ranks, direct and by Krylov iterations.  Pressures are as accurate as rates of velocities:
# the tolerance 1e-8 over steps of some 0.01.  (Those of ESDIRK methods are stages, less accurate: not judged.)
source=$1 build=$2
. "$source/petsc/test/ranks.sh"

judge() {
    cat "$folder/out"
    at_most "velocities" "$(value velocities <"$folder/out")" 1e-7
    at_most "pressures" "$(value pressures <"$folder/out")" 1e-5
    at_most "divergence" "$(value divergence <"$folder/out")" 1e-12
}
for method in radau-iia-3 bdf; do
    for n in 1 2; do
        ranks $n "$build/petsc/petsc_closed_box" -method $method >"$folder/out"
        judge
    done
done
ranks 2 "$build/petsc/petsc_closed_box" -method bdf -options_file "$source/examples/petsc_fieldsplit.opts" >"$folder/out"
judge
