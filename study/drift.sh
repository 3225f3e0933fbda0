#!/bin/sh
# drift.sh -- how far each formulation of the pendulum leaves its constraints, as tables.
#
#   study/drift.sh [-b BUILD] [FILE]
#
# Residuals of position, |u|^2 - 1, and velocity, 2 u.v, the largest of all accepted steps, from
# `keel run`.  With FILE: put between the lines <!-- drift --> and <!-- /drift --> there.
set -eu
build=build
while getopts b: flag; do
    case $flag in
    b) build=$OPTARG ;;
    *) sed -n 's/^# \{0,1\}//; 2,7p' "$0" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
keel=$build/keel
export OPENBLAS_NUM_THREADS=1

# residuals FORMULATION PROJECTION T OPTION...: "position velocity", in two digits
residuals() {
    formulation=$1 projection=$2 end=$3
    shift 3
    "$keel" run pendulum --method radau-iia-3 --formulation "$formulation" \
        --projection "$projection" --t-end "$end" --json "$@" |
    sed -n 's/.*"position": \([^,]*\), "velocity": \([^,]*\),.*/\1 \2/p' |
    while read -r position velocity; do printf '%.1e %.1e' "$position" "$velocity"; done
}

# table TITLE OPTION...
table() {
    printf '%s\n\n' "$1"
    shift
    echo "| formulation | g, t = 20 | 200 | 2000 | g', t = 20 | 200 | 2000 | projected: g, t = 2000 | g' |"
    echo "|---|---|---|---|---|---|---|---|---|"
    for formulation in index3 index2 ggl index1 index0 baumgarte embedded index0,invariants \
        index0,stabilised; do
        positions='' velocities=''
        for end in 20 200 2000; do
            found=$(residuals $formulation none $end "$@")
            positions="$positions ${found% *} |" velocities="$velocities ${found#* } |"
        done
        found=$(residuals $formulation oblique 2000 "$@")
        echo "| \`$formulation\` |$positions$velocities ${found% *} | ${found#* } |"
    done
    echo
}

tables() {
    table '*A pendulum that turns over*, steps by error control (`--start v2=-4 --rtol 1e-6`):' \
        --start v2=-4 --rtol 1e-6
    table '*The same with constant steps* (`--start v2=-4 --step 0.05`):' --start v2=-4 --step 0.05
    table '*The bundled pendulum*, which swings from the horizontal (`--rtol 1e-6`):' --rtol 1e-6
}

if [ $# -eq 0 ]; then
    tables
else
    tables >"$1.tables"
    awk -v tables="$1.tables" '
        /^<!-- \/drift -->$/ { inside = 0 }
        !inside { print }
        /^<!-- drift -->$/ { inside = 1; print ""; while ((getline line <tables) > 0) print line }
    ' "$1" >"$1.new"
    mv "$1.new" "$1"
    rm "$1.tables"
fi
