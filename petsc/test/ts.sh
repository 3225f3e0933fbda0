#!/bin/sh
# ts.sh -- -ts_type keel: a DAE written for PETSc's TS, by several methods, on one and two ranks; and the flow with
# its divergence named by an index set.
source=$1 build=$2
. "$source/petsc/test/ranks.sh"

for method in bdf radau-iia-3 esdirk-4; do
    for n in 1 2; do
        ranks $n "$build/petsc/petsc_van_der_pol" -ts_type keel -ts_keel_method $method -ts_rtol 1e-9 -ts_atol 1e-9 >"$folder/out"
        cat "$folder/out"
        equal "t" 0.5 "$(value t <"$folder/out")"
        at_most "error" "$(value error <"$folder/out")" 1e-7
        at_most "constraint" "$(value constraint <"$folder/out")" 1e-8
    done
done

# Beyond the end and back by dense output; what -ts_view says.
ranks 2 "$build/petsc/petsc_van_der_pol" -ts_type keel -ts_exact_final_time interpolate -ts_rtol 1e-9 -ts_atol 1e-9 \
    -ts_view >"$folder/out"
grep -q "Keel .*method bdf" "$folder/out" || { echo "-ts_view does not name Keel"; exit 1; }
tail -1 "$folder/out"
equal "t" 0.5 "$(value t <"$folder/out")"
at_most "error" "$(tail -1 "$folder/out" | value error)" 1e-7

# The flow: the divergence named, at rounding after every step, and the steps of a program that uses the engine.
for method in bdf radau-iia-3; do
    ranks 2 "$build/petsc/petsc_flow" -side 16 -ts_type keel -ts_keel_method $method -ts_rtol 1e-5 -ts_atol 1e-5 >"$folder/out"
    ranks 2 "$build/petsc/petsc_channel" -side 16 -method $method -rtol 1e-5 >"$folder/plain"
    cat "$folder/out" "$folder/plain"
    at_most "divergence" "$(value divergence <"$folder/out")" 1e-13
    equal "steps" "$(value steps <"$folder/out")" "$(value steps <"$folder/plain")"
done
