#!/bin/sh
# sweep.sh -- instructions for so many digits over a dense set of tolerances, beside other codes.
#
#   bench/sweep.sh [-b BUILD] [-m METHOD] [-n TOLERANCES] [-p "PROBLEM ..."] [-r FIRST:LAST]
#                  [-o OPTION=VALUE]... [-j JOBS] [-k CSV] [-w WHAT]
#
# Runs METHOD (auto) at 40 tolerances (-n), rtol = atol, equally spaced in their logarithm from 1e-2
# to 1e-10 (-r 2:10), counts instructions by valgrind's callgrind and prints one table per WHAT:
#   ratio    instructions at integer digits / those of the best other code of peers.csv, and its name
#   cost     10^6 instructions at integer digits
#   create   the same with the creation of the solver and what its first run does once
#   digits   digits at tolerances of whole decades, and their scatter about the smooth line
#   all      all of these (the default)
# The runs are kept in BUILD/bench/sweep-METHOD.csv; -k CSV prints tables of runs kept earlier.
# Digits and logarithms of instructions are means over five neighbouring tolerances, so that no run
# counts that was lucky; between such means, and between the tolerances of the others, instructions
# are interpolated logarithmically (sweep.awk).  A decade of tolerances of one problem takes seconds
# to minutes.
set -u
here=$(dirname "$0")
build=build method=auto count=40 range= options= jobs=2 kept= what=all
problems="pendulum pendulum-1000 andrews andrews-05 car-axis slider-crank fekete wheelset water-tube
transistor-amplifier nand-gate chemical-akzo-nobel robertson"
while getopts b:j:k:m:n:o:p:r:w: flag; do
    case $flag in
    b) build=$OPTARG ;;
    j) jobs=$OPTARG ;;
    k) kept=$OPTARG ;;
    m) method=$OPTARG ;;
    n) count=$OPTARG ;;
    o) options="$options $OPTARG" ;;
    p) problems=$OPTARG ;;
    r) range=$OPTARG ;;
    w) what=$OPTARG ;;
    *) sed -n 's/^# \{0,1\}//; 2,19p' "$0" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
run=$build/bench/run_one

# One line of CSV: problem, method, rtol, status, scd, steps, rhs, Jacobians, factorizations,
# instructions of the second run of a solver, and of the first with the creation.
if [ "${SWEEP_ONE:-}" ]; then
    name=$1 end=- counts=$(mktemp -d)
    case $name in
    pendulum-1000) name=pendulum end=1000 ;;
    andrews-05) name=andrews end=0.05 ;;
    esac
    # LD_BIND_NOW: no symbol is looked up while counting.
    # shellcheck disable=SC2086
    LD_BIND_NOW=1 OPENBLAS_NUM_THREADS=1 valgrind --tool=callgrind --collect-atstart=no \
        --toggle-collect=integrate --toggle-collect=first_run --dump-after=first_run \
        --callgrind-out-file="$counts/of" "$run" "$name" "$method" "$2" "$end" 0 $options \
        >"$counts/line" 2>/dev/null
    first=$(sed -n 's/^\(summary\|totals\): //p' "$counts/of.1" 2>/dev/null | tail -1)
    second=$(sed -n 's/^\(summary\|totals\): //p' "$counts/of" "$counts/of.2" 2>/dev/null | tail -1)
    awk -F, -v OFS=, -v problem="$1" -v tolerance="$2" -v method="$method" \
        -v first="$first" -v second="$second" '
        NF > 15 { print problem, method, tolerance, $5, $6, $8, $11, $12, $13, second, first; had = 1 }
        END { if (!had) print problem, method, tolerance, "failed,,,,,," }' "$counts/line"
    rm -r "$counts"
    exit
fi

# Digits of these end before 1e-10.
last_decade() {
    case $1 in
    wheelset) echo 8 ;;
    nand-gate) echo 9 ;;
    *) echo 10 ;;
    esac
}

measure() {
    for problem in $problems; do
        awk -v name="$problem" -v count="$count" -v range="${range:-2:$(last_decade "$problem")}" 'BEGIN {
            split(range, end, ":")
            for (i = 0; i < count; i++)
                printf "%s %.3e\n", name, 10 ^ -(end[1] + (end[2] - end[1]) * i / (count > 1 ? count - 1 : 1))
        }'
    done |
    SWEEP_ONE=1 xargs -P "$jobs" -L 1 "$0" -b "$build" -m "$method" -o "$options" |
    sort -t, -k1,1 -k3,3gr
}

if [ -z "$kept" ]; then
    test -x "$run" || {
        echo "$run is missing: cmake -B $build -DBUILD_BENCH=ON && cmake --build $build" >&2
        exit 2
    }
    command -v valgrind >/dev/null || { echo "Counting needs valgrind (make bench installs it)." >&2; exit 1; }
    kept=$build/bench/sweep-$method.csv
    measure >"$kept"
fi
awk -v what="$what" -v order="$(echo $problems)" -f "$here/sweep.awk" "$here/peers.csv" "$kept"
