#!/bin/sh
# tables.sh -- writes the tables of sweep.sh into docs/benchmarks.md, between the lines that mark them.
#
#   bench/tables.sh [-k CSV] [OPTION OF sweep.sh ...]
#
# Runs bench/sweep.sh with these options, or reads runs kept earlier (-k), and replaces what stands
# between "<!-- sweep -->" and "<!-- end of sweep -->": ratios to the best other code with and without the
# creation of the solver, and the digits to be expected of a tolerance.
set -eu
here=$(dirname "$0") page=$(dirname "$0")/../docs/benchmarks.md
text=$(mktemp)
trap 'rm -f "$text" "$text.page"' EXIT
"$here/sweep.sh" "$@" >"$text"
awk -v text="$text" '
    /^<!-- sweep -->/ {
        print; print "```text"
        while ((getline line < text) > 0) if (line != "" || begun) { print line; begun = 1 }
        print "```"; skip = 1
    }
    /^<!-- end of sweep -->/ { skip = 0 }
    !skip' "$page" >"$text.page"
cat "$text.page" >"$page"
