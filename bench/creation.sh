#!/bin/sh
# creation.sh -- instructions of keel_solver_create with every method, or with those named.
#
#   bench/creation.sh [-b BUILD] [METHOD ...]
#
# Counted by valgrind's callgrind for the first of chemical-akzo-nobel, pendulum and van-der-pol that
# the method takes (creation.c).  The most expensive come first.
set -u
build=build
while getopts b: flag; do
    case $flag in
    b) build=$OPTARG ;;
    *) sed -n 's/^# \{0,1\}//; 2,7p' "$0" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
counts=$(mktemp -d)
trap 'rm -r "$counts"' EXIT
LD_BIND_NOW=1 OPENBLAS_NUM_THREADS=1 valgrind --tool=callgrind --collect-atstart=no \
    --toggle-collect=made --dump-after=made --callgrind-out-file="$counts/of" \
    "$build/bench/creation" "$@" >"$counts/names" 2>"$counts/log" || { cat "$counts/log" >&2; exit 1; }
i=0
while read -r method problem; do
    i=$((i + 1))
    echo "$(sed -n 's/^\(summary\|totals\): //p' "$counts/of.$i" | tail -1) $method $problem"
done <"$counts/names" | sort -gr | awk '{ printf "%9.0f  %-20s %s\n", $1, $2, $3 }'
