#!/bin/sh
# picture.sh -- draws instructions against correct digits (a work-precision diagram).
#
#   bench/picture.sh [-b BUILD] FILE.svg|FILE.png ...
#
# Keel's points come from BUILD/bench/instructions.csv, which instructions.sh writes; those of
# the other codes from peers.csv.
set -u
here=$(dirname "$0")
build=build
while getopts b: flag; do
    case $flag in
    b) build=$OPTARG ;;
    *) sed -n 's/^# \{0,1\}//; 2,7p' "$0" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
data=$build/bench/instructions.csv
test -s "$data" || { echo "$data is missing: run bench/instructions.sh first" >&2; exit 2; }
command -v gnuplot >/dev/null || { echo "Drawing needs gnuplot (package gnuplot-nox)" >&2; exit 2; }

for file; do
    case $file in
    *.svg) terminal="svg dynamic fontscale 1.33 background '#ffffff'" ;;
    *) terminal="pngcairo" ;;
    esac
    gnuplot -e "set terminal $terminal size 1200,600 font 'DejaVu Sans,12'; \
                set output '$file'; keel = '$data'; \
                peers = '$here/peers.csv'" "$here/picture.gp" || exit 1
done
