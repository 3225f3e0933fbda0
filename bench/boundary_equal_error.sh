#!/bin/sh
# boundary_equal_error.sh -- boundary value problems: instructions for the true errors that COLDAE has.
#
#   bench/boundary_equal_error.sh [-b BUILD] [PATTERN ...]
#
# Each line has a run of COLDAE [Ascher & Spiteri, SIAM J. Sci. Comput. 15 (1994) 938], with the array
# stride of its mesh selection repaired, its millions of instructions and true errors of x and y, as
# recorded, and the cheapest run of `keel bvp` whose errors are not larger: with 4, 6 or 8 stages, 3 or 4
# intervals to begin with and tolerances from 1e-2 to 1e-12.  The five with the fewest right-hand sides are
# measured: instructions inside keel_boundary_solve, by valgrind's callgrind.
set -u
build=build
test "${1-}" = -b && build=$2 && shift 2

# problem, parameter or -, tolerance of COLDAE, its millions of instructions, errors of x and y
runs() {
    cat <<END
ascher-petzold - 1e-8 0.84 2e-7 1e-6
ascher-petzold - 1e-10 3.70 5e-11 1e-9
ascher-petzold-two-point - 1e-8 0.36 1e-8 2e-6
ascher-petzold-two-point - 1e-10 1.81 1e-10 1e-8
ascher-petzold-nonseparated - 1e-8 1.21 2e-7 1e-6
ascher-petzold-nonseparated - 1e-10 5.37 5e-11 1e-9
bratu lambda=1 1e-8 0.68 4e-9 1e-6
bratu lambda=1 1e-10 2.58 2e-11 2e-8
bratu lambda=3.5 1e-8 2.94 2e-9 7e-7
bratu lambda=3.5 1e-10 10.6 1e-11 1e-8
singular-control - 1e-8 0.51 1e-10 3e-8
singular-control - 1e-12 2.57 1e-13 1e-10
layers eps=1e-4 1e-8 6.84 4e-9 8e-6
layers eps=1e-6 1e-8 11.5 2e-8 2e-4
layers eps=1e-8 1e-8 14.1 9e-9 4e-4
END
}

field='function field(name,    at) {
    at = $0
    sub(".*\"" name "\": *", "", at)
    sub(/[,}].*/, "", at)
    return at
}
'

# Right-hand sides and options of every run that is as accurate as $3 and $4.
accurate() {
    for options in "4 3" "4 4" "6 3" "6 4" "8 3" "8 4"; do
        for t in 1e-2 1e-3 5e-4 3e-4 1e-4 3e-5 1e-5 3e-6 1e-6 1e-7 1e-8 1e-9 1e-10 1e-11 1e-12; do
            set_of="--stages ${options% *} --mesh ${options#* } --tol $t"
            # shellcheck disable=SC2086
            "$build/keel" bvp "$1" $2 $set_of --json 2>/dev/null |
            awk -v set="$set_of" -v most_x="$3" -v most_y="$4" "$field"'
                /"stats":/ { rhs = field("rhs") + field("rhs_for_jacobian") }
                /"error":/ { x = field("x"); y = field("y") }
                END { if (x != "null" && x != "" && x + 0 <= most_x + 0 && y + 0 <= most_y + 0)
                          print rhs, set }'
        done
    done
}

# Millions of instructions, intervals, errors and the options.
count() {
    # shellcheck disable=SC2086
    LD_BIND_NOW=1 OPENBLAS_NUM_THREADS=1 valgrind --tool=callgrind --collect-atstart=no \
        --toggle-collect=keel_boundary_solve --callgrind-out-file=/dev/null \
        "$build/keel" bvp "$1" $2 $3 --json 2>&1 |
    awk -v set="$3" "$field"'
        /"stats":/ { mesh = field("mesh") }
        /"error":/ { x = field("x"); y = field("y") }
        /Collected :/ { split($0, word, / +/); mega = word[4] / 1e6 }
        END { print mega, mesh, x, y, set }'
}

runs | while read -r name parameter tol mega x y; do
    for pattern; do
        case "$name $parameter" in *$pattern*) ;; *) continue 2 ;; esac
    done
    test "$parameter" = - && option= || option="--param $parameter"
    accurate "$name" "$option" "$x" "$y" | sort -n | head -5 | while read -r _ set_of; do
        count "$name" "$option" "$set_of"
    done | sort -g | head -1 |
    awk -v title="$name $parameter" -v tol="$tol" -v mega="$mega" -v x="$x" -v y="$y" '
        { printf "%-30s %-6s %6.2f M  %.0e %.0e   N=%-3d %6.2f M  %.0e %.0e  %.2f%s  %s %s %s %s %s %s\n",
                 title, tol, mega, x, y, $2, $1, $3, $4, $1 / mega, ($1 > mega + 0 ? " over" : ""),
                 $5, $6, $7, $8, $9, $10 }'
done
