#!/bin/sh
# auto.sh -- the method `auto` beside `radau-iia`: digits, evaluations, factorizations, and where it changes.
#
#   bench/auto.sh [-b BUILD] [-t "1e-4 1e-6 ..."] [PROBLEM ...]
#
# rtol = atol; of forms on which `auto` can begin explicitly.  A run may take a minute.
set -u
build=build tolerances='1e-4 1e-6 1e-8 1e-10'
while getopts b:t: flag; do
    case $flag in
    b) build=$OPTARG ;;
    t) tolerances=$OPTARG ;;
    *) sed -n 's/^# \{0,1\}//; 2,6p' "$0" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
test $# -gt 0 || set -- pendulum andrews car-axis slider-crank fekete chemical-akzo-nobel robertson \
    van-der-pol van-der-pol-dae ring-modulator prothero-robinson

# The numbers of one run: scd, rhs, factorizations, switch_time; "-" where it failed.
run() {
    json=$(OPENBLAS_NUM_THREADS=1 timeout 60 "$build/keel" run "$1" --method "$2" --rtol "$3" --atol "$3" \
           --json)
    for name in scd rhs factorizations switch_time; do
        value=$(printf '%s\n' "$json" | sed -n "s/.*\"$name\": \([^,}]*\).*/\1/p")
        printf '%s ' "${value:--}"
    done
}

printf '%30s | %-22s | %-22s |\n' '' '         auto' '      radau-iia'
printf '%-23s %6s | %6s %6s %8s | %6s %6s %8s | %s\n' problem rtol scd rhs fact scd rhs fact 'changes at t'
for problem; do
    name=$problem
    for tolerance in $tolerances; do
        echo "$name $tolerance $(run "$problem" auto "$tolerance") $(run "$problem" radau-iia "$tolerance")"
        name=.
    done
done | awk '{
    problem = $1 == "." ? "" : $1
    change = $6 == "null" ? "-" : sprintf("%.4g", $6)
    printf "%-23s %6s | %6.2f %6s %8s | %6.2f %6s %8s | %s\n", problem, $2, $3, $4, $5, $7, $8, $9, change
}'
