#!/bin/sh
# beside.sh -- the flow by Keel's bdf, PETSc's TS bdf (order 5) and IDA with SPGMR, all with one preconditioner:
# evaluations, preconditioners, time and divergence for errors of the velocities against a run at 1e-10.  All runs are made
# REPEATS times in turn, so that a busy second meets every code, and the shortest time of each is kept; once is enough for
# one that takes half as long again as another of its code.
# At the end of a side: the fastest run of each code whose error is at most 2e-6, and what Keel needs beside the others.
# Times want an idle machine with a core for each rank.  What is not built in BUILD is built first (petsc-dev, libopenmpi-dev,
# libsundials-dev: make petsc installs the first two).
# Usage: petsc/bench/beside.sh [-b BUILD] [-s "32 64"] [-n RANKS] [-r REPEATS]
build=build sides="32 64" n=2 repeats=3
while getopts b:s:n:r: option; do
    case $option in b) build=$OPTARG ;; s) sides=$OPTARG ;; n) n=$OPTARG ;; r) repeats=$OPTARG ;; *) exit 2 ;; esac
done
source=$(dirname "$0")/../..
. "$source/petsc/test/ranks.sh"
if ! [ -x "$build/petsc/petsc_ida_flow" ]; then
    { cmake -S "$source" -B "$build" -DKEEL_WITH_PETSC=ON -DKEEL_WITH_MPI=ON -DBUILD_BENCH=ON &&
          cmake --build "$build" -j"$(nproc)" --target keel-petsc petsc_parts; } >"$folder/built" 2>&1 ||
        { tail -20 "$folder/built"; exit 1; }
fi
options="-options_file $source/examples/petsc_fieldsplit.opts"
# TS has its own prefix of solvers: the same options without keel_; its pressures are left out of the error test by
# an absolute tolerance for each unknown in petsc_flow.  As it comes; J and preconditioner kept for 10 iterations; the
# preconditioner for 20, and Newton's method ended by an absolute tolerance: the fastest of some twenty settings at side 32.
# What is counted as factorizations of TS are evaluations of J.
sed -n 's/^-keel_\(ksp\|pc\|fieldsplit\)/-\1/p' "$source/examples/petsc_fieldsplit.opts" >"$folder/ts.opts"

error() { # root mean square of the differences of u and v
    cat "$folder"/fields.* | sort >"$folder/all"
    rm "$folder"/fields.*
    paste -d' ' "$folder/reference" "$folder/all" |
        awk '$1 != "p" { d = $4 - $8; s += d * d; n++ } END { printf "%.1e\n", sqrt(s / n) }'
}
# slow CODE LABEL: did that take half as long again as another run of the code?
slow() {
    awk -F'\t' -v code="$1" -v label="$2" '$2 == code { if (!least || $1 < least) least = $1
                                                      if ($3 == label && (!mine || $1 < mine)) mine = $1 }
        END { exit !(mine > 1.5 * least) }' "$folder/lines"
}
# run CODE LABEL PROGRAM ...: seconds, code, label and what a reader sees, into $folder/lines
run() {
    code=$1 label=$2
    shift 2
    slow "$code" "$label" && return
    mpirun -n $n "$@" -output "$folder/fields" >"$folder/out" 2>"$folder/err" ||
        { printf '%-5s %-22s fails\n' "$code" "$label"; rm -f "$folder"/fields.*; return; }
    seconds=$(value seconds <"$folder/out")
    printf '%s\t%s\t%s\t%-5s %-22s error %s  rhs %s  factorizations %s  seconds %s  divergence %s\n' "$seconds" "$code" "$label" \
        "$code" "$label" "$(error)" "$(value rhs <"$folder/out")" "$(value factorizations <"$folder/out")" "$seconds" \
        "$(value divergence <"$folder/out")" >>"$folder/lines"
}
all_runs() {
    for rtol in 3e-5 2e-5 1e-5 7e-6; do
        run keel $rtol "$build/petsc/petsc_channel" -side $side -method bdf -rtol $rtol $options
        run IDA $rtol "$build/petsc/petsc_ida_flow" -side $side -rtol $rtol $options
    done
    for rtol in 3e-7 2e-7; do
        ts="$build/petsc/petsc_flow -side $side -ts_type bdf -ts_bdf_order 5 -ts_adapt_type basic -ts_rtol $rtol -ts_atol $rtol \
            -options_file $folder/ts.opts -ts_max_snes_failures -1"
        run TS "$rtol PC kept" $ts -snes_atol 1e-5 -snes_lag_preconditioner 20 -snes_lag_preconditioner_persists 1
        run TS "$rtol" $ts
        run TS "$rtol J kept" $ts -snes_lag_jacobian 10 -snes_lag_jacobian_persists 1
    done
}

for side in $sides; do
    : >"$folder/lines"
    echo "side $side, $n ranks"
    ranks $n "$build/petsc/petsc_channel" -side $side -method radau-iia-5 -rtol 1e-10 -output "$folder/fields" >/dev/null
    cat "$folder"/fields.* | sort >"$folder/reference"
    rm "$folder"/fields.*
    for k in $(seq "$repeats"); do all_runs; done
    sort -g "$folder/lines" | awk -F'\t' '!seen[$2, $3]++ { print $4 }' | tee "$folder/shortest"
    echo "fastest with an error of at most 2e-6:"
    awk '{ for (i = 1; i < NF; i++) if ($i == "error" && $(i + 1) + 0 <= 2e-6 && !seen[$1]++) print }' \
        "$folder/shortest" | tee "$folder/fastest"
    awk '{ for (i = 1; i < NF; i++) { if ($i == "seconds") s[$1] = $(i + 1); if ($i == "rhs") f[$1] = $(i + 1) } }
        END { for (code in s) if (code != "keel" && "keel" in s)
            printf "keel / %-4s seconds %.2f  evaluations %.2f\n", code, s["keel"] / s[code], f["keel"] / f[code] }' \
        "$folder/fastest" | sort
done
