#!/bin/sh
# Installs the built tree to a temporary prefix, then builds and runs a small project against it,
# in a temporary folder: with find_package (shared and static, C and C++), with pkg-config (shared and
# static), by the very lines of README.md, and problems of users with the installed command.
# usage: consume.sh CMAKE SOURCE_DIR BUILD_DIR
set -eu
cmake=$1 source=$2 build=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$cmake" --install "$build" --prefix "$work/prefix" >"$work/install.log"

cp "$source/test/install/CMakeLists.txt" "$source"/test/install/consumer.c* "$work"
cd "$work"
"$cmake" -S . -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix"
"$cmake" --build "$work/build"
for program in consumer consumer_static consumer_cpp; do
    "$work/build/$program"
done

PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name keel.pc)")
export PKG_CONFIG_PATH
: "${CC:=cc}"
library=$(pkg-config --variable=libdir keel)
# shellcheck disable=SC2046  # flags are meant to be split
$CC -o "$work/shared" consumer.c $(pkg-config --cflags --libs keel)
LD_LIBRARY_PATH=$library "$work/shared"
# shellcheck disable=SC2046
$CC -o "$work/static" consumer.c $(pkg-config --cflags keel) \
    "$library/libkeel.a" $(pkg-config --static --libs keel | sed 's/-lkeel//')
"$work/static"

# README.md: the line for a build that is not installed, and the one with pkg-config.
mkdir readme && cd readme
cp ../consumer.c program.c
ln -s "$source/include" include
ln -s "$build" build
grep '^cc program.c' "$source/README.md" >lines
test "$(wc -l <lines)" = 2
while read -r line; do
    rm -f program
    LD_LIBRARY_PATH=$library sh -ec "$line" </dev/null
    LD_LIBRARY_PATH=$library ./program
done <lines
cd ..

# Every template: by the installed command, whose headers are beside it, and as a program by itself.
export XDG_CACHE_HOME="$work/cache"
keel=$work/prefix/bin/keel
for form in ode semi-explicit hessenberg2 hessenberg3 mechanical quasilinear implicit proper \
            levelled; do
    "$keel" new $form own-$form.c
    "$keel" run own-$form.c --quiet 2>own.log
    grep -q "$work/prefix/bin/../include" own.log
    # shellcheck disable=SC2046
    $CC -o own own-$form.c $(pkg-config --cflags --libs keel)
    LD_LIBRARY_PATH=$library ./own
done

# An object that brings libkeel along is served by the library of the command: there is one.
# shellcheck disable=SC2046
$CC -shared -fPIC -o own.so own-mechanical.c $(pkg-config --cflags --libs keel)
LD_LIBRARY_PATH=$library "$keel" run ./own.so --quiet
LD_LIBRARY_PATH=$library LD_DEBUG=bindings "$keel" run ./own.so --quiet 2>own.log
grep 'own.so .* symbol .keel_mechanical' own.log | grep -q 'to .*/bin/keel'
if grep 'own.so .* symbol .keel_' own.log | grep 'to .*libkeel.so'; then exit 1; fi
