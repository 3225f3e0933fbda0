#!/bin/sh
# instructions.sh -- machine instructions of the integration alone, beside those of other codes.
#
#   bench/instructions.sh [-b BUILD] [-m METHOD] [-t "1e-4 1e-6 ..."] [-o OPTION=VALUE]...
#                         [PROBLEM ...]
#
# Counts what executes between the entry to keel_start and the end of the last keel_step, the
# problem's functions included, by valgrind's callgrind, in the second run of a solver: coefficients
# of methods are computed once, when they are needed first.  Counts depend on compiler and libraries
# but neither on the machine nor on its load.  They go to BUILD/bench/instructions.csv
# (problem, method, rtol, status, scd, rhs, factorizations, instructions), and a table to
# standard output with two kinds of ratios, Keel / other, below 1 where Keel needs fewer:
#   same tolerance   RADAU5, and the code with the fewest instructions that has one digit at least
#   same digits      the cheapest run, at any tolerance, with at least as many digits as Keel; and
#                    ("between") the best code, its instructions interpolated to Keel's digits
#                    between its tolerances, logarithmically
set -u
here=$(dirname "$0")
build=build methods="auto radau-iia radau-iia-3" options= asked=
while getopts b:m:o:t: flag; do
    case $flag in
    b) build=$OPTARG ;;
    m) methods=$OPTARG ;;
    o) options="$options $OPTARG" ;;
    t) asked=$OPTARG ;;
    *) sed -n 's/^# \{0,1\}//; 2,16p' "$0" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
test $# -gt 0 || set -- pendulum andrews andrews-05 car-axis
run=$build/bench/run_one
test -x "$run" || {
    echo "$run is missing: cmake -B $build -DBUILD_BENCH=ON && cmake --build $build" >&2
    exit 2
}
command -v valgrind >/dev/null || {
    echo "Counting needs valgrind: sudo apt-get install valgrind (Debian, Ubuntu)," \
         "sudo dnf install valgrind (Fedora)." >&2
    exit 1
}

# LD_BIND_NOW: no symbol is looked up while counting.
count() {
    name=$1 method=$2 tolerance=$3 end=-
    case $name in
    pendulum-1000) name=pendulum end=1000 ;;
    andrews-05) name=andrews end=0.05 ;;
    esac
    # shellcheck disable=SC2086
    { LD_BIND_NOW=1 OPENBLAS_NUM_THREADS=1 valgrind --tool=callgrind --collect-atstart=no \
          --toggle-collect=integrate --callgrind-out-file=/dev/null \
          "$run" "$name" "$method" "$tolerance" "$end" 0 $options 2>&1; } |
    awk -F, -v OFS=, -v problem="$1" -v tolerance="$3" '
        NF > 15 { line = problem OFS $2 OFS tolerance OFS $5 OFS $6 OFS $11 OFS $13 }
        /Collected :/ { split($0, word, / +/); instructions = word[4] }
        END { print line, instructions }'
}

measure() {
    for problem; do
        case $problem in
        pendulum|andrews|andrews-05) tolerances="1e-4 1e-6 1e-8 1e-10 1e-12" ;;
        *) tolerances="1e-4 1e-6 1e-8 1e-10" ;;
        esac
        for method in $methods; do
            for tolerance in ${asked:-$tolerances}; do
                count "$problem" "$method" "$tolerance"
            done
        done
    done
}

table() {
    awk -F, '
    function mega(x) { return sprintf("%.2f", x / 1e6) }
    function ratio(x, y) { return y > 0 ? sprintf("%.2f", x / y) : "-" }
    FNR == NR {
        if ($5 == "ok" && $11 > 0 && FNR > 1)
            { n++; problem[n] = $1; code[n] = $3 == "IDA" || $2 ~ /^ode/ ? $3 " " $2 : $3
              tolerance[n] = $4; scd[n] = $6; cost[n] = $11; series[n] = $1 $2 $3 }
        next
    }
    # Instructions of run i for so many digits: as they are, or between those of run i - 1 and its.
    function at_digits(i, digits,    part) {
        if (series[i - 1] == series[i] && scd[i - 1] < digits && digits < scd[i]) {
            part = (digits - scd[i - 1]) / (scd[i] - scd[i - 1])
            return cost[i - 1] * (cost[i] / cost[i - 1]) ^ part
        }
        return scd[i] >= digits ? cost[i] : 0
    }
    FNR == 1 {
        printf "%57s | %-40s | %s\n", "", "at the same tolerance", "at the same digits"
        printf "%-11s %-11s %5s %6s %5s %5s %8s | %6s %6s %-26s | %6s %6s %-26s %7s %s\n", "problem",
               "method", "rtol", "scd", "rhs", "fact", "10^6", "RADAU5", "best", "", "RADAU5",
               "best", "", "between", ""
    }
    {
        radau = cheapest = radau_digits = cheapest_digits = between = 0
        for (i = 1; i <= n; i++) {
            if (problem[i] != $1) continue
            x = at_digits(i, $5)
            if (x && (!between || x < between)) { between = x; name_between = code[i] }
            if (code[i] == "RADAU5") {
                if (tolerance[i] == $3) radau = cost[i]
                if (scd[i] >= $5 && (!radau_digits || cost[i] < radau_digits))
                    radau_digits = cost[i]
                continue
            }
            if (tolerance[i] == $3 && scd[i] >= 1 && (!cheapest || cost[i] < cheapest))
                { cheapest = cost[i]; name = code[i] }
            if (scd[i] >= $5 && (!cheapest_digits || cost[i] < cheapest_digits))
                { cheapest_digits = cost[i]; name_digits = code[i] }
        }
        printf "%-11s %-11s %5s %6s %5s %5s %8s | %6s %6s %-26s | %6s %6s %-26s %7s %s\n", $1, $2, $3,
               $4 == "ok" ? $5 : $4, $6, $7, mega($8), ratio($8, radau), ratio($8, cheapest),
               cheapest ? name : "", ratio($8, radau_digits), ratio($8, cheapest_digits),
               cheapest_digits ? name_digits : "", ratio($8, between), between ? name_between : ""
        fflush()
    }' "$here/peers.csv" -
}

measure "$@" | tee "$build/bench/instructions.csv" | table
