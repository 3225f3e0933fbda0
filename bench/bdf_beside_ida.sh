#!/bin/sh
# bdf_beside_ida.sh -- a method of Keel beside IDA, at the digits that Keel reached.
#
#   bench/bdf_beside_ida.sh [-b BUILD] [-m METHOD] [-t "1e-4 1e-5 ..."] [-o OPTION=VALUE]...
#                           [-s SECONDS] [-q] [-M] [-f] [PROBLEM ...]
#
# -m: method of Keel (bdf).  -o: option of the solver.  -s: limit of each process (20).
# -q: without the table of all runs.  -M: the comparison alone, in Markdown.  -f: run IDA afresh;
# its runs are kept in BUILD/bench/ida.csv until bench/ or problems/ change.  The comparison goes
# to BUILD/bench/METHOD-beside-ida.csv as well, Keel's runs to BUILD/bench/METHOD.csv.
#
# Ratios are Keel / IDA, compare.awk explains them.  Flags:
#   R F  more evaluations, more factorizations than IDA in the natural form
#   r f  than in the form that needs fewest
#   ?    no runs of IDA in the natural form have digits near Keel's
#   X    Keel did not reach the end
set -u
here=$(dirname "$0")
build=build method=bdf seconds=20 options='' tolerances='1e-4 1e-5 1e-6 1e-7 1e-8'
show=all afresh=''
while getopts b:m:t:o:s:qMf flag; do
    case $flag in
    b) build=$OPTARG ;;
    m) method=$OPTARG ;;
    t) tolerances=$OPTARG ;;
    o) options="$options $OPTARG" ;;
    s) seconds=$OPTARG ;;
    q) show=comparison ;;
    M) show=markdown ;;
    f) afresh=yes ;;
    *) sed -n 's/^# \{0,1\}//; 2,16p' "$0" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
all='robertson chemical-akzo-nobel transistor-amplifier slider-crank car-axis pendulum'
# shellcheck disable=SC2086
test $# -gt 0 || set -- $all
run=$build/bench/run_sundials
test -x "$run" || {
    echo "$run is missing: install SUNDIALS (Debian: libsundials-dev), then" \
         "cmake -B $build -DBUILD_BENCH=ON && cmake --build $build" >&2
    exit 2
}

if "$run" "$method" pendulum 1e-4 2>&1 | grep -q UNKNOWN_NAME; then
    echo "Keel has no method $method; keel methods lists them, -m METHOD takes another" >&2
    exit 2
fi

# run_each SOLVER TOLERANCES OPTIONS PROBLEM...: lines of run_sundials, one for a run that hangs or dies.
run_each() {
    solver=$1 at=$2 with=$3
    shift 3
    for problem; do
        for tolerance in $at; do
            # shellcheck disable=SC2086
            OPENBLAS_NUM_THREADS=1 timeout "$seconds" "$run" "$solver" "$problem" "$tolerance" $with
            code=$?
            case $code in
            0|1) continue ;;
            124) status=timeout ;;
            *) status=exit:$code ;;
            esac
            echo "$problem,-,$solver,$tolerance,$status,,,,,"
        done
    done
}

ida=$build/bench/ida.csv keel=$build/bench/$method.csv
if [ -n "$afresh" ] || ! [ -s "$ida" ] ||
   [ -n "$(find "$here"/run_sundials.c "$here"/ida_*.h "$here"/../problems -newer "$ida")" ]; then
    # shellcheck disable=SC2086
    run_each IDA '1e-4 1e-5 1e-6 1e-7 1e-8 1e-9 1e-10' '' $all >"$ida.new" &&
        mv "$ida.new" "$ida"
fi
run_each "$method" "$tolerances" "$options" "$@" >"$keel"

if [ $show = all ]; then
    awk -F, -v asked=" $* " 'BEGIN {
        printf "%-21s%-17s%-10s%6s %8s %7s %7s %7s %7s\n", "problem", "form", "solver", "rtol",
               "scd", "steps", "rhs", "jac", "fact" }
    index(asked, " " $1 " ") {
        printf "%-21s%-17s%-10s%6.0e %8s %7s %7s %7s %7s\n", $1, $2, $3, $4,
               $5 == "ok" ? $6 : $5, $7, $8, $9, $10 }' "$ida" "$keel"
    echo
fi
awk -v show=$show -v csv="$build/bench/$method-beside-ida.csv" -f "$here/compare.awk" \
    "$here/peers.csv" "$ida" "$keel"
