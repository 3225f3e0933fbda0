# ranks.sh -- what the tests of keel-petsc share: `ranks N PROGRAM ...` runs it on N ranks.
export OPENBLAS_NUM_THREADS=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_ALLOW_RUN_AS_ROOT=1 \
       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# A run takes seconds; the limit is for machines that do much else.  mpirun may wait for ever for ranks that ended
# with an error, deaf to SIGTERM (Open MPI 4.1 leaves them as zombies): only SIGKILL ends it then.
ranks() { count=$1; shift; timeout -k 5 600 mpirun -n "$count" "$@" || { echo "failed ($?): $*"; exit 1; }; }
# `fails WHY N PROGRAM ...`: it does, and says why
fails() {
    why=$1 count=$2
    shift 2
    timeout -k 5 60 mpirun -n "$count" "$@" >"$folder/out" 2>&1 && { echo "does not fail: $*"; exit 1; }
    grep -q -- "$why" "$folder/out" || { cat "$folder/out"; echo "does not say: $why"; exit 1; }
    echo "fails as it should: $why"
}
# the number behind NAME in standard input
value() { sed -n "s/.*\b$1 \([-+0-9.e]*[0-9]\).*/\1/p" | head -1; }
at_most() { awk -v what="$1" -v x="$2" -v limit="$3" 'BEGIN { print what ": " x " (limit " limit ")"; exit !(x != "" && x + 0 <= limit + 0) }' || exit 1; }
equal() { echo "$1: $2, $3"; [ -n "$2" ] && [ "$2" = "$3" ] || exit 1; }
