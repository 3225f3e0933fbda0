#!/bin/sh
# Runs a command with a limit of processor time, which a loaded machine does not use up as it does
# wall-clock time: limit.sh SECONDS COMMAND [ARGUMENT...]
seconds=$1
shift
ulimit -t "$seconds" && exec "$@"
