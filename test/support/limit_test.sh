#!/bin/sh
# Limits of tests count processor time: waiting is free, working is not, and no test has a short
# limit of wall-clock time beside.  usage: limit_test.sh SOURCE_DIR BUILD_DIR
limit=$1/test/support/limit.sh
sh "$limit" 1 sleep 3 || { echo "waiting was counted"; exit 1; }
sh "$limit" 1 sh -c 'while :; do :; done' 2>/dev/null && { echo "working was not counted"; exit 1; }
if grep -E 'TIMEOUT "?[0-9]{1,4}"?( |\))' "$2/CTestTestfile.cmake"; then
    echo "these limits are of wall-clock time, and short"
    exit 1
fi
grep -q 'fault/methods_slow.*limit.sh' "$2/CTestTestfile.cmake"
