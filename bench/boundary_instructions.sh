#!/bin/sh
# boundary_instructions.sh -- boundary value problems: machine instructions, intervals and true errors.
#
#   bench/boundary_instructions.sh [-b BUILD] [-s STAGES] [-o "BVP OPTIONS"] [PATTERN ...]
#
# Counts what executes inside keel_boundary_solve, the problem's functions and all meshes tried
# included, by valgrind's callgrind.  Counts depend on compiler and libraries but neither on the
# machine nor on its load.  A line: problem, tolerance, intervals, millions of instructions, true
# errors of x and y in units of the tolerance, both limits, and `over` with what exceeds its limit.
# Patterns choose lines by their text, "layers" or "1e-8" for instance; without one, all are run.
#
# The limits on intervals and instructions are 1.3 times those of a program of the same method, in
# plain C with analytic derivatives, that was written to find its constants; errors may be the
# tolerance (three times that at the turning point).
set -u
build=build stages= options=
while getopts b:s:o: flag; do
    case $flag in
    b) build=$OPTARG ;;
    s) stages="--stages $OPTARG" ;;
    o) options=$OPTARG ;;
    *) sed -n 's/^# \{0,1\}//; 2,16p' "$0" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
command -v valgrind >/dev/null || {
    echo "Counting needs valgrind: sudo apt-get install valgrind (Debian, Ubuntu)," \
         "sudo dnf install valgrind (Fedora)." >&2
    exit 1
}

# problem, parameter or -, tolerance, most intervals, most millions of instructions
runs() {
    for name in ascher-petzold ascher-petzold-two-point ascher-petzold-nonseparated; do
        printf "$name - %s\n" "1e-6 6 0.6" "1e-8 8 0.8" "1e-10 10 1.7" "1e-12 12 1.9"
    done
    cat <<END
bratu lambda=1 1e-6 6 0.5
bratu lambda=1 1e-8 8 0.8
bratu lambda=1 1e-10 8 0.9
bratu lambda=1 1e-12 10 1.6
bratu lambda=3.5 1e-6 8 1.3
bratu lambda=3.5 1e-8 10 2.1
bratu lambda=3.5 1e-10 12 2.4
bratu lambda=3.5 1e-12 20 3.8
singular-control - 1e-6 6 0.5
singular-control - 1e-8 6 0.7
singular-control - 1e-10 8 0.8
singular-control - 1e-12 8 0.8
layers eps=1e-4 1e-6 25 5
layers eps=1e-4 1e-8 40 6.5
layers eps=1e-4 1e-10 65 12
layers eps=1e-4 1e-12 110 22
layers eps=1e-6 1e-6 45 12
layers eps=1e-6 1e-8 75 17
layers eps=1e-6 1e-10 130 32
layers eps=1e-8 1e-6 140 35
layers eps=1e-8 1e-8 190 38
layers eps=1e-8 1e-10 250 65
turning-point eps=1e-5 1e-6 130 -
turning-point eps=1e-5 1e-8 110 -
turning-point eps=1e-5 1e-10 120 -
END
}

# LD_BIND_NOW: no symbol is looked up while counting.
count() {
    name=$1 parameter=$2 tolerance=$3
    test "$parameter" = - && parameter= || parameter="--param $parameter"
    # shellcheck disable=SC2086
    LD_BIND_NOW=1 OPENBLAS_NUM_THREADS=1 valgrind --tool=callgrind --collect-atstart=no \
        --toggle-collect=keel_boundary_solve --callgrind-out-file=/dev/null \
        "$build/keel" bvp "$name" $parameter --tol "$tolerance" $stages $options --json 2>&1 |
    awk -v title="$name $2" -v tol="$tolerance" -v most="$4" -v mega_most="$5" '
        function field(name,    at) {
            at = $0
            sub(".*\"" name "\": *", "", at)
            sub(/[,}].*/, "", at)
            return at
        }
        /"status":/ { status = field("status") }
        /"stats":/ { mesh = field("mesh"); stages = field("stages"); tried = field("meshes_tried") }
        /"error":/ { x = field("x") / tol; y = field("y") / tol }
        /Collected :/ { split($0, word, / +/); mega = word[4] / 1e6 }
        END {
            factor = title ~ /^turning/ ? 3 : 1
            over = (mesh + 0 > most + 0 ? " intervals" : "") \
                   (mega_most != "-" && mega > mega_most + 0 ? " instructions" : "") \
                   (!(x <= factor && y <= factor) ? " error" : "")
            printf "%-36s %-6s k=%d N=%-4d (%s) tried=%-3d %8.2f M (%s)  x %-8.2g y %-8.2g%s%s\n",
                   title, tol, stages, mesh, most, tried, mega, mega_most, x, y,
                   status == "\"ok\"" ? "" : status, over ? "  over:" over : ""
        }'
}

runs | while read -r line; do
    wanted=$#
    for pattern; do
        case $line in *$pattern*) ;; *) wanted=-1 ;; esac
    done
    # shellcheck disable=SC2086
    test "$wanted" -lt 0 || count $line
done
