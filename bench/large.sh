#!/bin/sh
# large.sh -- all lines of "Beside IDA" in docs/large.md by one command: heat 400^2, flow through 64^2 and
# 128^2 cells, and how time and memory of bdf grow from 32^2 to 128^2.  Usage: bench/large.sh [-b BUILD] [-n REPEATS]
#
# `best` is the method with the least time at equal error.  Where no run of IDA is as accurate as Keel's, its time at the
# nearest larger error stands for it, and the ratio is marked with <.  Goals stand behind the figures.  Takes ten
# minutes on an idle machine; on a busy one times mean little.
build=build repeats=2
while getopts b:n: option; do
    case $option in b) build=$OPTARG ;; n) repeats=$OPTARG ;; *) exit 2 ;; esac
done
out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT
export OPENBLAS_NUM_THREADS=1
run() { "$build/bench/large_beside_ida" -n "$repeats" "$@" | tee -a "$out" || exit 1; }
run -m auto,bdf -r 1e-4,1e-5,1e-6 channel:32 channel:64 channel:128
run -m auto,bdf -r 1e-3,1e-4 heat:400
awk '
    $1 == "channel" || $1 == "heat" {
        key = $1 " " $2
        if (!(key in seen)) { seen[key] = 1; order[++keys] = key }
        run = key SUBSEP $3 SUBSEP $4
        cpu[run] = $13; memory[run] = $14; error[run] = $5
        if ($3 == "IDA") tolerances[key] = tolerances[key] " " $4
        else if (index(methods[key], $3) == 0) methods[key] = methods[key] " " $3
    }
    $1 == "=" { equal[$2 " " $3 SUBSEP $4 SUBSEP $5 + 0] = $9 }
    # the time of a run over that of IDA; `bound` where it is at most that
    function ratio(key, method, rtol,    run, k, list, count, near, ida) {
        run = key SUBSEP method SUBSEP rtol
        bound = ""
        if (equal[key SUBSEP method SUBSEP rtol + 0] != "nan") return equal[key SUBSEP method SUBSEP rtol + 0]
        count = split(tolerances[key], list, " ")
        near = ""
        for (k = 1; k <= count; k++) {
            ida = key SUBSEP "IDA" SUBSEP list[k]
            if (error[ida] >= error[run] && (near == "" || error[ida] < error[near])) near = ida
        }
        bound = "<"
        return near == "" ? "nan" : cpu[run] / cpu[near]
    }
    END {
        for (i = 1; i <= keys; i++) {
            key = order[i]
            count = split(tolerances[key], list, " ")
            for (k = 1; k <= count; k++) {
                wanted = split(methods[key], method, " ")
                least = "nan"; name = ""; most = 0; mark = ""
                for (m = 1; m <= wanted; m++) {
                    r = ratio(key, method[m], list[k])
                    if (r != "nan" && (least == "nan" || r < least)) { least = r; name = method[m]; mark = bound }
                    if (method[m] == "auto") { automatic = r; automatic_mark = bound }
                    part = memory[key SUBSEP method[m] SUBSEP list[k]] / memory[key SUBSEP "IDA" SUBSEP list[k]]
                    if (part > most) most = part
                }
                printf "%-14s rtol %-6s  best %-5s %s%.2f (0.5)   auto %s%.2f (1)   memory %.2f (1.5)\n", key, list[k], \
                    name, mark, least, automatic_mark, automatic, most
            }
        }
        first = "channel 3040" SUBSEP "bdf" SUBSEP "0.0001"; last = "channel 49024" SUBSEP "bdf" SUBSEP "0.0001"
        if (cpu[first] > 0 && cpu[last] > 0)
            printf "growth of bdf at 1e-4 from 3040 to 49024: time n^%.2f (1.6)   memory n^%.2f (1.2)\n", \
                log(cpu[last] / cpu[first]) / log(49024 / 3040), log(memory[last] / memory[first]) / log(49024 / 3040)
    }' "$out"
