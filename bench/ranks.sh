#!/bin/sh
# ranks.sh -- the flow on two ranks by Keel, IDA and PETSc's TS at equal error: times, evaluations, and their ratios.
# Builds what it needs in BUILD.  Usage: bench/ranks.sh [-b BUILD] [-s "32 64"] [-n RANKS] [-r REPEATS]
exec "$(dirname "$0")/../petsc/bench/beside.sh" "$@"
