# ranks.sh -- what the tests of keel-petsc share: `ranks N PROGRAM ...` runs it on N ranks.
export OPENBLAS_NUM_THREADS=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_ALLOW_RUN_AS_ROOT=1 \
       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
ranks() { count=$1; shift; mpirun -n "$count" "$@" || { echo "failed: $*"; exit 1; }; }
# the number behind NAME in standard input
value() { sed -n "s/.*\b$1 \([-+0-9.e]*[0-9]\).*/\1/p" | head -1; }
at_most() { awk -v what="$1" -v x="$2" -v limit="$3" 'BEGIN { print what ": " x " (limit " limit ")"; exit !(x != "" && x + 0 <= limit + 0) }' || exit 1; }
equal() { echo "$1: $2, $3"; [ -n "$2" ] && [ "$2" = "$3" ] || exit 1; }
