#!/bin/sh
# shares.sh -- where the instructions of one integration go, beside what no method can do without.
#
#   bench/shares.sh [-b BUILD] PROBLEM METHOD RTOL
#
# Thousand instructions of the second run of a solver, by valgrind's callgrind: all; the problem's own
# functions; factorizations and solves of iteration and saddle matrices (a saddle matrix that is used once
# counts as factored); start; the rest, which is stage sums, error
# test, projection and time loop.  least: the problem's functions and one factorization for every
# Jacobian.
set -eu
build=build
while getopts b: flag; do
    case $flag in
    b) build=$OPTARG ;;
    *) sed -n 's/^# \{0,1\}//; 2,10p' "$0" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
counts=$(mktemp)
trap 'rm -f "$counts"' EXIT
line=$(LD_BIND_NOW=1 OPENBLAS_NUM_THREADS=1 valgrind --tool=callgrind --collect-atstart=no \
       --toggle-collect=integrate --callgrind-out-file="$counts" \
       "$build/bench/run_one" "$1" "$2" "$3" - 0 2>/dev/null)
callgrind_annotate --inclusive=yes --threshold=100 "$counts" | awk -v line="$line" '
    function cost(x) { gsub(",", "", x); return x + 0 }
    match($0, /:[A-Za-z_0-9]+/) {
        name = substr($0, RSTART + 1, RLENGTH - 1)
        if (!(name in of)) of[name] = cost($1)
    }
    END {
        split(line, field, ",")
        all = of["integrate"]
        users = split("rhs constraint jacobian mass residual hidden force position_rate velocity_rate", u, " ")
        for (i = 1; i <= users; i++) user += of[u[i]]
        if ("call_given" in of) user += of["evaluate"]       # the library has a function of that name, too
        factor = of["linear_factor"] + of["linear_factor_complex"] + of["saddle_factor"] + of["saddle_solve_once"]
        solve = of["linear_solve"] + of["linear_solve_complex"] + of["saddle_solve"]
        start = of["keel_start"]
        jacobians = field[12]; factors = field[13]
        printf "%-21s %-9s %6s %6s %8s %8s %8s %8s %8s %8s %8s\n", "problem", "method", "rtol", "digits",
               "all", "user", "factor", "solve", "start", "rest", "least"
        printf "%-21s %-9s %6s %6s %8.0f %8.0f %8.0f %8.0f %8.0f %8.0f %8.0f\n", field[1], field[2], field[3],
               field[6], all / 1e3, user / 1e3, factor / 1e3, solve / 1e3, start / 1e3,
               (all - user - factor - solve - start) / 1e3,
               (user + (factors ? factor * (jacobians < factors ? jacobians / factors : 1) : 0)) / 1e3
    }'
