#!/bin/sh
# ranks.sh -- the flow on two ranks by Keel, IDA and PETSc's TS at equal error: times, evaluations, and their ratios.
# Usage: bench/ranks.sh [-b BUILD] [-s "32 64"] [-n RANKS] [-r REPEATS], after make petsc with BUILD_BENCH=ON
exec "$(dirname "$0")/../petsc/bench/beside.sh" "$@"
