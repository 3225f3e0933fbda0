#!/bin/sh
# sweep_cost.sh -- instructions of one row of a sweep of pendulums, by callgrind: the run itself, its
# start, what the library and the command add.  Usage: bench/sweep_cost.sh [-b BUILD]
build=build
while getopts b: option; do
    case $option in b) build=$OPTARG ;; *) exit 2 ;; esac
done
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
rows=10000
OPENBLAS_NUM_THREADS=1 valgrind --tool=callgrind --callgrind-out-file="$out/calls" "$build/keel" sweep pendulum \
    --param gravity=1:2:$rows --t-end 1 --rtol 1e-6 --atol 1e-6 --quiet --output "$out/table.csv" \
    >"$out/log" 2>&1 || { cat "$out/log"; exit 1; }
callgrind_annotate --inclusive=yes "$out/calls" | awk -v rows=$rows '
    { name = $0; sub(/^.*:/, "", name); sub(/ .*/, "", name); count = $1; gsub(",", "", count) }
    name ~ /^(keel_advance|keel_start_with_sized|worker_run|line_row|keel_sweep_sized)$/ && !(name in seen) {
        seen[name] = count / rows }
    END {
        advance = seen["keel_advance"]
        for (name in seen) printf "%-24s %8.0f instructions a row, %.3f of keel_advance\n", name, seen[name], seen[name] / advance
    }' | sort -k2 -n -r
