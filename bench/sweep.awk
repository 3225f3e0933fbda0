# sweep.awk -- tables of sweep.sh: peers.csv, then runs of Keel by problem and falling tolerance.
#
# With dense=1 the others have as many tolerances as Keel and are averaged alike; a 12th field of theirs are
# instructions with creation (same_flags.sh).
#
# Keel: point i of a problem is the mean of digits and of log instructions over the runs i - 2 .. i + 2,
# fewer, but as many on both sides, at the ends.  Both kinds of series are then read alike: so many
# digits cost what is interpolated logarithmically between two neighbours of which one has fewer and the
# other more, or what the first cost if it has more already; the least of these counts.
BEGIN {
    FS = ","
    HALF = 2; MOST = 9
    INSIDE = 1; CREATED = 2
}

FNR == 1 { file++ }

function keep(series, scd, cost, created,    i) {
    i = ++runs[series]
    digits[series, i] = scd + 0
    logs[series, i, INSIDE] = log(cost)
    logs[series, i, CREATED] = created > 0 ? log(created) : log(cost)
}

file == 1 && $5 == "ok" && $11 > 0 {
    s = $1 SUBSEP $2 SUBSEP $3
    if (!(s in runs)) {
        peer[$1, ++peers[$1]] = s
        name[s] = $3 == "IDA" || $2 ~ /^ode/ ? $3 " " $2 : $3
    }
    keep(s, $6, $11, $12)
}

file == 2 && !($1 in seen) { seen[$1] = 1; problems[++problem_count] = $1 }
file == 2 && $4 == "ok" && $10 > 0 {
    keep($1 SUBSEP "runs", $5, $10, $11)
    decade[$1, runs[$1 SUBSEP "runs"]] = -log($3) / log(10)
}

# Series m: the means of series s.
function smooth(s, m,    n, i, k, reach, what) {
    n = runs[m] = runs[s]
    for (i = 1; i <= n; i++) {
        reach = i - 1 < n - i ? i - 1 : n - i
        if (reach > HALF) reach = HALF
        digits[m, i] = logs[m, i, INSIDE] = logs[m, i, CREATED] = 0
        for (k = i - reach; k <= i + reach; k++) {
            digits[m, i] += digits[s, k] / (2 * reach + 1)
            for (what = INSIDE; what <= CREATED; what++)
                logs[m, i, what] += logs[s, k, what] / (2 * reach + 1)
        }
    }
}

# Instructions of a series for so many digits; 0: it has them nowhere.
function needed(s, scd, what,    i, x, part, least) {
    least = 0
    for (i = 1; i <= runs[s]; i++) {
        if (digits[s, i] < scd) continue
        x = logs[s, i, what]
        if (i > 1 && digits[s, i - 1] < scd) {
            part = (scd - digits[s, i - 1]) / (digits[s, i] - digits[s, i - 1])
            x = logs[s, i - 1, what] + part * (x - logs[s, i - 1, what])
        }
        if (!least || x < least) least = x
    }
    return least ? exp(least) : 0
}

function best(problem, scd, what,    k, x, least) {
    least = 0
    for (k = 1; k <= peers[problem]; k++) {
        x = needed(peer[problem, k] (dense ? SUBSEP "means" : ""), scd, what)
        if (x && (!least || x < least)) { least = x; best_name = name[peer[problem, k]] }
    }
    return least
}

# Root of the mean square distance of single runs from the line of means.
function scatter(problem,    i, n, sum) {
    n = runs[problem SUBSEP "runs"]
    for (i = 1; i <= n; i++) sum += (digits[problem, "runs", i] - digits[problem, "means", i]) ^ 2
    return n > 1 ? sprintf("%.2f", sqrt(sum / n)) : "-"
}

function at_decade(problem, d,    i, part) {
    for (i = 2; i <= runs[problem SUBSEP "means"]; i++)
        if (decade[problem, i] >= d - 1e-3 && decade[problem, i - 1] <= d + 1e-3) {
            part = (d - decade[problem, i - 1]) / (decade[problem, i] - decade[problem, i - 1])
            return sprintf("%.1f", (1 - part) * digits[problem, "means", i - 1] \
                                   + part * digits[problem, "means", i])
        }
    return "-"
}

function heading(text, first, last, prefix,    d) {
    printf "\n%s\n%-21s", text, "problem"
    for (d = first; d <= last; d++) printf " %7s", prefix d
    print what == "digits" ? " scatter" : ""
}

# What is counted, and whether it is divided by what the best other code needs.
function table_of_costs(counted, divided,    i, d, x, y, line, names) {
    heading((divided ? "instructions" : "10^6 instructions") \
            (counted == CREATED ? " with creation" : divided ? "" : " of the integration") \
            (divided ? " / those of the best other code" : "") ", at digits", 2, MOST, "")
    for (i = 1; i <= problem_count; i++) {
        line = sprintf("%-21s", problems[i]); names = ""
        for (d = 2; d <= MOST; d++) {
            x = needed(problems[i] SUBSEP "means", d, counted)
            y = divided ? best(problems[i], d, counted) : 1e6
            line = line sprintf(" %7s", x && y ? sprintf("%.2f", x / y) : "-")
            if (!divided || !x || !y) continue
            if (best_name != last) names = names "  " d ": " best_name
            last = best_name
        }
        last = ""
        print line names
    }
}

function table_of_digits(    i, d) {
    heading("digits at rtol = atol, and scatter", 2, 10, "1e-")
    for (i = 1; i <= problem_count; i++) {
        printf "%-21s", problems[i]
        for (d = 2; d <= 10; d++) printf " %7s", at_decade(problems[i], d)
        printf " %7s\n", scatter(problems[i])
    }
}

END {
    wanted = split(order, listed, " ")
    found = 0
    for (i = 1; i <= wanted; i++) if (listed[i] in seen) sorted[++found] = listed[i]
    for (i = 1; i <= problem_count; i++) {
        smooth(problems[i] SUBSEP "runs", problems[i] SUBSEP "means")
        for (k = 1; dense && k <= peers[problems[i]]; k++)
            smooth(peer[problems[i], k], peer[problems[i], k] SUBSEP "means")
    }
    for (i = 1; i <= found; i++) problems[i] = sorted[i]
    problem_count = found
    if (what == "ratio" || what == "ratios" || what == "all") table_of_costs(INSIDE, 1)
    if (what == "ratios") table_of_costs(CREATED, 1)
    if (what == "cost" || what == "all") table_of_costs(INSIDE, 0)
    if (what == "create" || what == "all") table_of_costs(CREATED, 0)
    if (what == "digits" || what == "all") table_of_digits()
}
