#!/bin/sh
# channel.sh -- the flow on 1, 2 and 3 ranks, direct: the steps and iterations of the bundled problem, its values
# to rounding, divergence at rounding.  Beside it Krylov iterations with multigrid.
source=$1 build=$2
. "$source/petsc/test/ranks.sh"

# "field i j value" of the bundled problem, whose order is u, v, p by rows
serial() {
    "$build/keel" run channel --param side=16 --method "$1" --rtol 1e-5 --atol 1e-5 --json >"$folder/serial.json" || exit 1
    tr -d '[:space:]' <"$folder/serial.json" | sed 's/.*"y":\[\([^]]*\)\].*/\1/' | tr ',' '\n' |
        awk -v n=16 '{ k = NR - 1
            if (k < n * n) print "u", k % n, int(k / n), $1
            else if (k < 2 * n * n - n) { k -= n * n; print "v", k % n, int(k / n), $1 }
            else { k -= 2 * n * n - n; print "p", k % n, int(k / n), $1 } }' | sort >"$folder/serial"
}
count() { tr -d '[:space:]' <"$folder/serial.json" | sed "s/.*\"$1\":\([0-9]*\).*/\1/"; }
# root mean square of the differences; 1 where fields or places differ
difference() {
    paste -d' ' "$folder/serial" "$folder/all" | awk '
        $1 != $5 || $2 != $6 || $3 != $7 { wrong = 1 }
        { d = $4 - $8; s += d * d }
        END { print wrong || NR < 752 ? 1 : sqrt(s / NR) }'
}

for method in radau-iia-3 sdirk-4 esdirk-4 bdf; do
    serial "$method"
    for n in 1 2 3; do
        ranks $n "$build/petsc/petsc_channel" -side 16 -method "$method" -rtol 1e-5 -output "$folder/fields" >"$folder/out"
        cat "$folder/out"
        sort "$folder"/fields.* >"$folder/all"
        rm "$folder"/fields.*
        equal "steps" "$(count accepted)" "$(value steps <"$folder/out")"
        equal "Newton iterations" "$(count newton)" "$(value newton <"$folder/out")"
        at_most "divergence" "$(value divergence <"$folder/out")" 1e-13
        at_most "difference" "$(difference)" 1e-11
    done
done

# Solutions that are off come back in predictions: steps are as many as with factored systems, but for a tenth.
serial bdf
ranks 1 "$build/petsc/petsc_channel" -side 16 -method bdf -rtol 1e-5 \
    -options_file "$source/examples/petsc_fieldsplit.opts" >"$folder/out"
at_most "steps by iteration" "$(value steps <"$folder/out")" "$(($(count accepted) * 11 / 10))"

for method in bdf radau-iia-3; do
    ranks 2 "$build/petsc/petsc_channel" -side 32 -method $method -rtol 1e-6 \
        -options_file "$source/examples/petsc_fieldsplit.opts" >"$folder/out"
    cat "$folder/out"
    at_most "divergence" "$(value divergence <"$folder/out")" 1e-12
done
