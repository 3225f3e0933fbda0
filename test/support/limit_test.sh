#!/bin/sh
# Limits of tests count processor time: waiting is free, working is not.  Wall-clock time has a limit, too, so
# that what waits for ever is named, but no short one.  usage: limit_test.sh SOURCE_DIR BUILD_DIR
limit=$1/test/support/limit.sh
sh "$limit" 1 sleep 3 || { echo "waiting was counted"; exit 1; }
sh "$limit" 1 sh -c 'while :; do :; done' 2>/dev/null && { echo "working was not counted"; exit 1; }
if grep -h -v 'TIMEOUT "1800"' "$2/CTestTestfile.cmake" "$2"/petsc/CTestTestfile.cmake 2>/dev/null | grep '^set_tests_prop'; then
    echo "these tests have another limit of wall-clock time than half an hour, or none"
    exit 1
fi
grep -q 'fault/methods_slow.*limit.sh' "$2/CTestTestfile.cmake"
