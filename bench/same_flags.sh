#!/bin/sh
# same_flags.sh -- Keel, and CVODE, ARKODE and IDA, at equal digits and at the same flags.
#
#   bench/same_flags.sh [-b BUILD] [-B PLAIN] [-n TOLERANCES] [-p "PROBLEM ..."] [-r FIRST:LAST]
#                       [-s "CODE:FORM ..."] [-c CORE] [-j JOBS] [-k]
#
# Runs all of them at 20 tolerances (-n), rtol = atol, equally spaced in their logarithm from 1e-2 to
# 1e-10 (-r 2:10), counts instructions by valgrind's callgrind, and prints ratios Keel / the best other
# code at whole digits, as sweep.sh reads them, without and with creation.  Three kinds of Keel:
#   as built    BUILD, whose kernels have AVX2 and FMA, as OpenBLAS has
#   plain       PLAIN (BUILD-plain), made with -DKEEL_PLAIN_KERNELS=ON, which is code for any x86-64
#               as Debian's SUNDIALS is; OpenBLAS still chooses its own code
#   plain, too  PLAIN, and OpenBLAS for a processor without AVX2 (-c Prescott)
# The functions of the problems are compiled with the same flags for all codes.  -s: other codes and
# forms of run_sundials, instead of a choice by problem.  The runs are kept in
# BUILD/bench/same-flags*.csv; -k prints tables of those kept.
set -u
here=$(dirname "$0")
build=build plain= count=20 range=2:10 codes= core=Prescott jobs=2 kept=
problems="pendulum andrews car-axis slider-crank robertson transistor-amplifier chemical-akzo-nobel"
while getopts B:b:c:j:kn:p:r:s: flag; do
    case $flag in
    B) plain=$OPTARG ;;
    b) build=$OPTARG ;;
    c) core=$OPTARG ;;
    j) jobs=$OPTARG ;;
    k) kept=yes ;;
    n) count=$OPTARG ;;
    p) problems=$OPTARG ;;
    r) range=$OPTARG ;;
    s) codes=$OPTARG ;;
    *) sed -n 's/^# \{0,1\}//; 2,20p' "$0" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
plain=${plain:-$build-plain}

# same_flags.sh CODE PROBLEM RTOL,RTOL... FORM: lines as in peers.csv, and a last field with the
# instructions of creation and integration.  Each line has two dumps: make_peer, integrate_peer.
if [ "${SAME_FLAGS_ONE:-}" ]; then
    counts=$(mktemp -d)
    LD_BIND_NOW=1 OPENBLAS_NUM_THREADS=1 valgrind --tool=callgrind --collect-atstart=no \
        --toggle-collect=make_peer --toggle-collect=integrate_peer \
        --dump-after=make_peer --dump-after=integrate_peer \
        --callgrind-out-file="$counts/of" "$build/bench/run_sundials" "$@" >"$counts/lines" 2>/dev/null
    i=1
    while [ -e "$counts/of.$i" ]; do
        cat "$counts/of.$i"
        i=$((i + 1))
    done |
    awk -v OFS=, '
        /^desc: Trigger/ { made = /make_peer/; line += !made }
        /^(summary|totals): / { if (made) creation = $2; else { alone[line] = $2; all[line] = creation + $2 } }
        FILENAME == "-" { next }
        FNR == 1 { FS = ","; $0 = $0 }
        { $11 = alone[FNR]; $12 = all[FNR]; print }' - "$counts/lines"
    rm -r "$counts"
    exit
fi

# What somebody would choose: the best forms for each code.  Projected Runge-Kutta methods and Adams'
# method for nonstiff mechanisms; where nothing is projected IDA and BDF integrate index 1.
codes_for() {
    case $1 in
    robertson) echo IDA:dae IDA:daev IDA:daet CVODE-BDF:ode CVODE-BDF:odev CVODE-BDF:odet ;;
    chemical-akzo-nobel) echo IDA:dae IDA:dae-all CVODE-BDF:ode ;;
    transistor-amplifier) echo IDA:semi ;;
    *) echo ARKODE-DP5:ode+proj ARKODE-ERK8:ode+proj CVODE-Adams:ode CVODE-BDF:ode CVODE-BDF:ode+proj \
            IDA:index1 ;;
    esac
}

count_peers() {
    tolerances=$(awk -v count="$count" -v range="$range" 'BEGIN {
        split(range, end, ":")
        for (i = 0; i < count; i++)
            printf "%s%.3e", i ? "," : "",
                   10 ^ -(end[1] + (end[2] - end[1]) * i / (count > 1 ? count - 1 : 1))
    }')
    for problem in $problems; do
        for each in ${codes:-$(codes_for "$problem")}; do
            echo "${each%%:*} $problem $tolerances ${each#*:}"
        done
    done |
    SAME_FLAGS_ONE=1 xargs -P "$jobs" -L 1 "$0" -b "$build" |
    sort -t, -k1,1 -k3,3 -k2,2 -k4,4gr
}

# count_keel BUILD NAME: the runs of a build.
count_keel() {
    "$here/sweep.sh" -b "$1" -n "$count" -r "$range" -p "$problems" -j "$jobs" -w none
    cp "$1/bench/sweep-auto.csv" "$runs-$2.csv"
}

runs=$build/bench/same-flags
if [ -z "$kept" ]; then
    test -x "$build/bench/run_sundials" && test -x "$plain/bench/run_one" || {
        echo "Missing: $build/bench/run_sundials (install SUNDIALS, Debian: libsundials-dev; then" \
             "cmake -B $build -DBUILD_BENCH=ON && cmake --build $build) or $plain/bench/run_one" \
             "(cmake -B $plain -DBUILD_BENCH=ON -DKEEL_PLAIN_KERNELS=ON && cmake --build $plain)" >&2
        exit 2
    }
    command -v valgrind >/dev/null || { echo "Counting needs valgrind (make bench installs it)." >&2; exit 1; }
    count_peers >"$runs-peers.csv"
    count_keel "$build" built
    count_keel "$plain" plain
    OPENBLAS_CORETYPE=$core count_keel "$plain" plain-too
fi

table() {
    printf '\n%s\n' "$1"
    awk -v what=ratios -v dense=1 -v order="$problems" -f "$here/sweep.awk" "$runs-peers.csv" "$runs-$2.csv"
}
table "Keel as built" built
table "Keel with plain kernels" plain
table "Keel with plain kernels, OpenBLAS for $core" plain-too
