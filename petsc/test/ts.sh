#!/bin/sh
# ts.sh -- -ts_type keel: a DAE written for PETSc's TS, by several methods, on one and two ranks, with events; and the flow with
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

# What a TS is asked for besides: times to be hit, a limit of steps, the longest step, tolerances of each unknown.
van_der_pol() { ranks 1 "$build/petsc/petsc_van_der_pol" -ts_type keel "$@"; }
van_der_pol -ts_rtol 1e-6 -ts_atol 1e-6 -ts_time_span 0,0.1,0.3,0.5 -ts_monitor >"$folder/out"
for t in 0.1 0.3 0.5; do grep -q " time $t\$" "$folder/out" || { echo "$t of the time span is not hit"; exit 1; }; done
van_der_pol -ts_max_steps 5 >"$folder/out"
equal "steps" 5 "$(value steps <"$folder/out")"
van_der_pol -ts_rtol 1e-6 -ts_atol 1e-6 -ts_adapt_dt_max 0.01 >"$folder/out"
at_most "50 over steps of at most 0.01" "$(awk -v n="$(value steps <"$folder/out")" 'BEGIN { print 50 / n }')" 1
van_der_pol -ts_rtol 1e-9 -ts_atol 1e-9 >"$folder/plain"
van_der_pol -each 1e-9 >"$folder/out"
equal "steps by vectors of tolerances" "$(value steps <"$folder/plain")" "$(value steps <"$folder/out")"

# What it cannot be is refused by name.
fails "ts_adapt_type dsp has no meaning" 1 "$build/petsc/petsc_van_der_pol" -ts_type keel -ts_adapt_type dsp
fails "linear in u'" 1 "$build/petsc/petsc_balls" -ts_type keel -curved 0.1
fails "KEEL_UNKNOWN_NAME" 1 "$build/petsc/petsc_van_der_pol" -ts_type keel -ts_keel_method crystal-ball

# Events, found by dense output within a step that is rolled back; bounces begin the run anew.
for method in bdf radau-iia-3; do
    ranks 1 "$build/petsc/petsc_balls" -ts_type keel -ts_keel_method $method -ts_rtol 1e-9 -ts_atol 1e-9 >"$folder/out"
    cat "$folder/out"
    equal "bounces" 2 "$(value bounces <"$folder/out")"
    at_most "error" "$(value error <"$folder/out")" 1e-7
done
ranks 2 "$build/petsc/petsc_balls" -ts_type keel -ts_keel_method radau-iia-3 -ts_rtol 1e-9 -ts_atol 1e-9 >"$folder/out"
cat "$folder/out"
equal "bounces" 3 "$(value bounces <"$folder/out")"
at_most "error" "$(value error <"$folder/out")" 1e-7

# The flow: the divergence named, at rounding after every step, and the steps of a program that uses the engine.
for method in bdf radau-iia-3; do
    ranks 2 "$build/petsc/petsc_flow" -side 16 -ts_type keel -ts_keel_method $method -ts_rtol 1e-5 -ts_atol 1e-5 >"$folder/out"
    ranks 2 "$build/petsc/petsc_channel" -side 16 -method $method -rtol 1e-5 >"$folder/plain"
    cat "$folder/out" "$folder/plain"
    at_most "divergence" "$(value divergence <"$folder/out")" 1e-13
    equal "steps" "$(value steps <"$folder/out")" "$(value steps <"$folder/plain")"
done
