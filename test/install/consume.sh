#!/bin/sh
# Installs the built tree to a temporary prefix, then builds and runs a small project against it:
# with find_package (shared and static, C and C++) and with pkg-config (shared and static).
# usage: consume.sh CMAKE SOURCE_DIR BUILD_DIR
set -eu
cmake=$1 source=$2 build=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$cmake" --install "$build" --prefix "$work/prefix" >"$work/install.log"

"$cmake" -S "$source/test/install" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix"
"$cmake" --build "$work/build"
for program in consumer consumer_static consumer_cpp; do
    "$work/build/$program"
done

PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name keel.pc)")
export PKG_CONFIG_PATH
: "${CC:=cc}"
library=$(pkg-config --variable=libdir keel)
# shellcheck disable=SC2046  # flags are meant to be split
$CC -o "$work/shared" "$source/test/install/consumer.c" $(pkg-config --cflags --libs keel)
LD_LIBRARY_PATH=$library "$work/shared"
# shellcheck disable=SC2046
$CC -o "$work/static" "$source/test/install/consumer.c" $(pkg-config --cflags keel) \
    "$library/libkeel.a" $(pkg-config --static --libs keel | sed 's/-lkeel//')
"$work/static"
