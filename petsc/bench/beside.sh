#!/bin/sh
# beside.sh -- the flow by Keel's bdf, PETSc's TS bdf (order 5) and IDA with SPGMR, all with one preconditioner, on two
# ranks: evaluations, time and divergence for errors of the velocities against a run at 1e-10.
# Usage: petsc/bench/beside.sh [-b BUILD] [-s "32 64"] [-n RANKS]   (after make petsc with BUILD_BENCH=ON and libsundials-dev)
build=build sides="32 64" n=2
while getopts b:s:n: option; do
    case $option in b) build=$OPTARG ;; s) sides=$OPTARG ;; n) n=$OPTARG ;; *) exit 2 ;; esac
done
source=$(dirname "$0")/../..
. "$source/petsc/test/ranks.sh"
options="-options_file $source/examples/petsc_fieldsplit.opts"
# TS has its own prefix of solvers: the same options without keel_; its pressures are left out of the error test by
# an absolute tolerance for each unknown in petsc_flow
sed -n 's/^-keel_\(ksp\|pc\|fieldsplit\)/-\1/p' "$source/examples/petsc_fieldsplit.opts" >"$folder/ts.opts"

error() { # root mean square of the differences of u and v
    cat "$folder"/fields.* | sort >"$folder/all"
    rm "$folder"/fields.*
    paste -d' ' "$folder/reference" "$folder/all" |
        awk '$1 != "p" { d = $4 - $8; s += d * d; n++ } END { printf "%.1e\n", sqrt(s / n) }'
}
line() { printf '%-26s error %s  rhs %s  factorizations %s  seconds %s  divergence %s\n' "$@"; }

for side in $sides; do
    ranks $n "$build/petsc/petsc_channel" -side $side -method radau-iia-5 -rtol 1e-10 -output "$folder/fields" >/dev/null
    cat "$folder"/fields.* | sort >"$folder/reference"
    rm "$folder"/fields.*
    for rtol in 1e-4 3e-5 1e-5 3e-6; do
        ranks $n "$build/petsc/petsc_channel" -side $side -method bdf -rtol $rtol $options -output "$folder/fields" >"$folder/out"
        line "keel $side $rtol" "$(error)" "$(value rhs <"$folder/out")" "$(value factorizations <"$folder/out")" \
            "$(value seconds <"$folder/out")" "$(value divergence <"$folder/out")"
    done
    for rtol in 1e-5 3e-6 1e-6 1e-7; do
        ranks $n "$build/petsc/petsc_ida_flow" -side $side -rtol $rtol $options -output "$folder/fields" >"$folder/out"
        line "IDA $side $rtol" "$(error)" "$(value rhs <"$folder/out")" "$(value factorizations <"$folder/out")" \
            "$(value seconds <"$folder/out")" "$(value divergence <"$folder/out")"
    done
    for rtol in 1e-6 1e-7 1e-8; do
        for lag in 1 10; do
            ranks $n "$build/petsc/petsc_flow" -side $side -ts_type bdf -ts_bdf_order 5 -ts_adapt_type basic -ts_rtol $rtol \
                -ts_atol $rtol -snes_lag_jacobian $lag -snes_lag_jacobian_persists $((lag > 1)) -options_file "$folder/ts.opts" \
                -ts_max_snes_failures -1 -output "$folder/fields" >"$folder/out"
            line "TS bdf 5 $side $rtol lag $lag" "$(error)" "$(value rhs <"$folder/out")" "$(value factorizations <"$folder/out")" \
                "$(value seconds <"$folder/out")" "$(value divergence <"$folder/out")"
        done
    done
done
