#!/bin/sh
# The library refuses to be compiled with flags that let NaN go unnoticed: each of its files does, and
# says why.
# usage: fast_math.sh CMAKE SOURCE_DIR COMPILER
set -eu
cmake=$1 source=$2 compiler=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

compile() {
    "$compiler" -std=c11 -I"$source/include" -I"$source/src" "$@" -c "$source/src/core/norm.c" \
        -o "$work/norm.o" 2>"$work/log"
}
compile
for flag in -ffast-math -ffinite-math-only -Ofast; do
    if compile "$flag"; then
        echo "$flag is accepted"
        exit 1
    fi
    grep -q "keel cannot be compiled with -ffast-math" "$work/log"
done

"$cmake" -G "Unix Makefiles" -S "$source" -B "$work/build" -DCMAKE_C_COMPILER="$compiler" \
    -DCMAKE_C_FLAGS=-ffast-math -DBUILD_TESTING=OFF >"$work/log"
if "$cmake" --build "$work/build" --target keel_objects -- -k >"$work/log" 2>&1; then
    echo "the library can be built with -ffast-math"
    exit 1
fi
objects=$(find "$work/build" -path '*keel_objects*' -name '*.o')
if [ -n "$objects" ]; then
    echo "compiled with -ffast-math:" $objects
    exit 1
fi
