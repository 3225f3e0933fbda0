#!/bin/sh
# work_precision.sh -- the bundled problems at rtol = atol = 1e-4 ... 1e-10 beside RADAU5.
#
#   bench/work_precision.sh [-b BUILD] [-m METHOD] [-s SECONDS] [-o OPTION=VALUE]...
#                           [-t "1e-4 1e-6 ..."] [-c FILE] [PROBLEM ...]
#
# -s: limit of each run (60).  -o: option of the solver.  -c: keep the lines of run_one in FILE.
# A problem may be "pendulum-1000" or "andrews-05": another final time.
#
# Flags at the end of a line:
#   D  fewer digits than RADAU5 - 0.5 at 1e-6 or 1e-8
#   F  more than 1.1 times the factorizations of RADAU5
#   G  scd grew by less than 1.2 since the tolerance before, and the reference has more digits
#   X  did not reach the end
set -u
here=$(dirname "$0")
build=build method=radau-iia seconds=60 options='' tolerances='' keep=''
while getopts b:m:s:o:t:c: flag; do
    case $flag in
    b) build=$OPTARG ;;
    m) method=$OPTARG ;;
    s) seconds=$OPTARG ;;
    o) options="$options $OPTARG" ;;
    t) tolerances=$OPTARG ;;
    c) keep=$OPTARG ;;
    *) sed -n 's/^# \{0,1\}//; 2,14p' "$0" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
run=$build/bench/run_one
test -x "$run" || {
    echo "$run is missing: cmake -B $build -DBUILD_BENCH=ON && cmake --build $build" >&2
    exit 2
}
test $# -gt 0 || set -- pendulum andrews andrews-05 car-axis slider-crank fekete wheelset \
    water-tube transistor-amplifier nand-gate two-bit-adder chemical-akzo-nobel ring-modulator \
    robertson van-der-pol van-der-pol-spp van-der-pol-dae ascher-petzold prothero-robinson \
    weiss-linear

# Tolerances that take seconds rather than minutes.
tolerances_of() {
    case $1 in
    two-bit-adder) echo 1e-4 1e-6 ;;
    wheelset) echo 1e-4 1e-6 1e-8 ;;
    *) echo 1e-4 1e-6 1e-8 1e-10 ;;
    esac
}

measure() {
    for problem; do
        name=$problem end=-
        case $problem in
        pendulum-1000) name=pendulum end=1000 ;;
        andrews-05) name=andrews end=0.05 ;;
        esac
        for tolerance in ${tolerances:-$(tolerances_of "$problem")}; do
            # shellcheck disable=SC2086
            line=$(OPENBLAS_NUM_THREADS=1 timeout "$seconds" \
                   "$run" "$name" "$method" "$tolerance" "$end" 1 $options)
            test $? != 124 || line="$name,$method,$tolerance,$end,timeout"
            echo "$problem,$tolerance,${line:-$name,$method,$tolerance,$end,no_start}"
        done
    done
}

table() {
    awk -F, '
    FNR == NR { if ($3 == "RADAU5") peer[$1, $4] = $0; next }
    function show(x) { return x == "" ? "-" : x }
    BEGIN { printf "%-20s %6s %6s %6s %5s %5s|%7s %7s|%7s %7s|%6s %6s|%9s %s\n", "problem",
            "rtol", "scd", "Radau5", "steps", "rej", "rhs", "Radau5", "fact", "Radau5", "jac",
            "Radau5", "cpu ms", "flags" }
    {
        flags = ""
        radau_scd = radau_rhs = radau_fact = radau_jac = ""
        if (split(peer[$1, $2], r, ",") > 10 && r[5] == "ok") {
            radau_scd = r[6]; radau_rhs = r[8]; radau_jac = r[9]; radau_fact = r[10]
        }
        ok = $7 == "ok"
        if (!ok) flags = flags "X"
        if (ok && radau_scd != "" && ($2 == "1e-6" || $2 == "1e-8") && $8 < radau_scd - 0.5)
            flags = flags "D"
        if (ok && radau_fact != "" && $15 > 1.1 * radau_fact) flags = flags "F"
        aim = before + 1.2 < $9 ? before + 1.2 : $9
        if (ok && $1 == problem && before != "" && $8 < aim) flags = flags "G"
        printf "%-20s %6s %6s %6s %5s %5s|%7s %7s|%7s %7s|%6s %6s|%9s %s\n",
               $1 == problem ? "" : $1, $2, ok ? $8 : $7, show(radau_scd), show($10), $11 + $12,
               show($13), show(radau_rhs), show($15), show(radau_fact), show($14), show(radau_jac),
               $20 == "" ? "-" : sprintf("%.2f", 1000 * $20), flags
        problem = $1
        before = ok ? $8 : ""
        if (flags != "") flagged++
        fflush()
    }
    END { printf "%d of %d lines flagged\n", flagged, FNR }' "$here/peers.csv" -
}

if [ -n "$keep" ]; then measure "$@" | tee "$keep" | table; else measure "$@" | table; fi
