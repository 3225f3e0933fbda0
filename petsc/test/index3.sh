#!/bin/sh
# index3.sh -- Hessenberg index 3 on 1, 2 and 3 ranks: the same steps, values to the noise of the hidden level's
# differences, both constraints at rounding.
source=$1 build=$2
. "$source/petsc/test/ranks.sh"

for method in radau-iia-3 hem-5; do
    for n in 1 2 3; do
        ranks $n "$build/petsc/petsc_pendulums" -method $method >"$folder/out"
        cat "$folder/out"
        if [ $n = 1 ]; then
            steps=$(value steps <"$folder/out") sum=$(value sum <"$folder/out") forces=$(value forces <"$folder/out")
        fi
        equal "steps" "$steps" "$(value steps <"$folder/out")"
        at_most "position" "$(value position <"$folder/out")" 1e-14
        at_most "velocity" "$(value velocity <"$folder/out")" 1e-13
        at_most "difference" "$(awk "BEGIN { print sqrt(($sum - $(value sum <"$folder/out"))^2) }")" 1e-9
        at_most "difference of forces" "$(awk "BEGIN { print sqrt(($forces - $(value forces <"$folder/out"))^2) }")" 1e-7
    done
done
