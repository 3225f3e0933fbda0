#!/bin/sh
# same_flags.sh -- Keel, and CVODE, ARKODE and IDA, at equal digits and at the same flags.
#
#   bench/same_flags.sh [-b BUILD] [-B PLAIN] [-n TOLERANCES] [-p "PROBLEM ..."] [-r FIRST:LAST]
#                       [-s "CODE:FORM ..."] [-c CORE] [-j JOBS] [-u CSV] [-k]
#
# Runs all of them at 20 tolerances (-n), rtol = atol, equally spaced in their logarithm from 1e-2 to
# 1e-10 (-r 2:10), counts instructions by valgrind's callgrind, and prints ratios Keel / the best other
# code at whole digits, as sweep.sh reads them, without and with creation.  Three kinds of Keel:
#   as built    BUILD, whose kernels have AVX2 and FMA, as OpenBLAS has
#   plain       PLAIN (BUILD-plain), made with -DKEEL_PLAIN_KERNELS=ON, which is code for any x86-64
#               as Debian's SUNDIALS is; OpenBLAS still chooses its own code
#   plain, too  PLAIN, and OpenBLAS for a processor without AVX2 (-c Prescott)
# and last the ratios of the last kind to the first.  The functions of the problems are compiled with the
# same flags for all codes.  -s: other codes and forms of run_sundials, instead of a choice by problem.
# -u: runs of BUILD at these tolerances that sweep.sh has made.  The runs are kept in
# BUILD/bench/same-flags*.csv; -k prints tables of those kept.
set -u
here=$(dirname "$0")
build=build plain='' count=20 range=2:10 codes='' core=Prescott jobs=2 made='' kept=''
problems="pendulum andrews car-axis slider-crank robertson transistor-amplifier chemical-akzo-nobel"
while getopts B:b:c:j:kn:p:r:s:u: flag; do
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
    u) made=$OPTARG ;;
    *) sed -n 's/^# \{0,1\}//; 2,17p' "$0" >&2; exit 2 ;;
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
        /^(summary|totals): / && made { creation = $2 }
        /^(summary|totals): / && !made { alone[line] = $2; all[line] = creation + $2 }
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
    if ! [ -x "$build/bench/run_sundials" ] || ! [ -x "$plain/bench/run_one" ]; then
        echo "Missing: $build/bench/run_sundials (install SUNDIALS, Debian: libsundials-dev; then" \
             "cmake -B $build -DBUILD_BENCH=ON && cmake --build $build) or $plain/bench/run_one" \
             "(cmake -B $plain -DBUILD_BENCH=ON -DKEEL_PLAIN_KERNELS=ON && cmake --build $plain)" >&2
        exit 2
    fi
    command -v valgrind >/dev/null || {
        echo "Counting needs valgrind (make bench installs it)." >&2
        exit 1
    }
    count_peers >"$runs-peers.csv"
    if [ -n "$made" ]; then cp "$made" "$runs-built.csv"; else count_keel "$build" built; fi
    count_keel "$plain" plain
    (export OPENBLAS_CORETYPE="$core"; count_keel "$plain" plain-too)
fi

# table TITLE OTHERS NAME: Keel's runs NAME beside those of OTHERS, which are lines as in peers.csv.
table() {
    printf '\n%s\n' "$1"
    awk -v what=ratios -v dense=1 -v order="$problems" -f "$here/sweep.awk" "$2" "$runs-$3.csv"
}
table "Keel as built" "$runs-peers.csv" built
table "Keel with plain kernels" "$runs-peers.csv" plain
table "Keel with plain kernels, OpenBLAS for $core" "$runs-peers.csv" plain-too
awk -F, -v OFS=, '{ print $1, "given", "Keel", $3, $4, $5, $6, $7, $8, $9, $10, $11 }' "$runs-built.csv" \
    >"$runs-as-peer.csv"
table "Keel with plain kernels, OpenBLAS for $core, beside Keel as built" "$runs-as-peer.csv" plain-too
