# compare.awk -- what Keel and IDA need for the same digits: peers.csv, runs of IDA, runs of Keel.
#
# In each form, the logarithm of IDA's count is interpolated linearly over scd between its runs in
# the order of their digits; beyond them, at most half a digit, it goes on with the mean slope.
# natural: the form dae or semi for index 1, ggl for index 3, as just measured; recorded: the same
# in peers.csv; best: whichever form needs fewest, * marks those of peers.csv.  Runs of robertson
# are compared with those that have the same absolute tolerances.
BEGIN {
    FS = ","
    natural["chemical-akzo-nobel"] = "dae"
    natural["transistor-amplifier"] = "semi"
    natural["robertson dae"] = "dae"
    natural["robertson daev"] = "daev"
    natural["robertson daet"] = "daet"
    RHS = 8; LU = 10
}

FNR == 1 { file++ }

function group(problem, form) {
    if (problem != "robertson") return problem
    return match(form, /^dae[vt]?/) ? problem " " substr(form, 1, RLENGTH) : problem
}

# Inserts this run into its series, in the order of digits.
function keep(recorded,    g, s, i) {
    g = group($1, $2)
    s = g SUBSEP $2 recorded
    if (!(s in runs)) form[g, ++forms[g]] = $2 recorded
    for (i = runs[s]++; i > 0 && digits[s, i] > $6; i--) {
        digits[s, i + 1] = digits[s, i]
        count[s, i + 1, RHS] = count[s, i, RHS]
        count[s, i + 1, LU] = count[s, i, LU]
    }
    digits[s, i + 1] = $6 + 0
    count[s, i + 1, RHS] = log($RHS)
    count[s, i + 1, LU] = log($LU)
}

# IDA's count for so many digits; 0: no runs near.
function needed(s, scd, what,    n, i, slope, low, high) {
    n = runs[s]
    if (!n || scd < digits[s, 1] - 0.5 || scd > digits[s, n] + 0.5) return 0
    if (scd < digits[s, 1] || scd >= digits[s, n]) {
        slope = digits[s, n] > digits[s, 1] \
              ? (count[s, n, what] - count[s, 1, what]) / (digits[s, n] - digits[s, 1]) : 0
        i = scd < digits[s, 1] ? 1 : n
        return exp(count[s, i, what] + slope * (scd - digits[s, i]))
    }
    for (i = 1; digits[s, i + 1] <= scd; ) i++
    low = digits[s, i]
    high = digits[s, i + 1]
    return exp(count[s, i, what] + (count[s, i + 1, what] - count[s, i, what]) \
               * (scd - low) / (high - low))
}

function best(g, scd, what,    k, x, least) {
    least = 0
    for (k = 1; k <= forms[g]; k++) {
        x = needed(g SUBSEP form[g, k], scd, what)
        if (x && (!least || x < least)) { least = x; best_form = form[g, k] }
    }
    return least
}

function ratio(x, y) { return y ? sprintf("%.2f", x / y) : "-" }

function above(flag, x) { return x != "-" && x + 0 > 1 ? flag : "" }

function head(method) {
    print "problem,form,method,rtol,status,scd,steps,rhs,jacobian,lu,natural,rhs/natural," \
          "lu/natural,rhs/recorded,lu/recorded,rhs/best,best rhs,lu/best,best lu,flags" >csv
    if (show == "markdown") {
        print "| problem | rtol | scd | steps | rhs | jac | fact | natural form | rhs | fact " \
              "| best for rhs | rhs | best for fact | fact |"
        print "|---|--:|--:|--:|--:|--:|--:|---|--:|--:|---|--:|---|--:|"
        return
    }
    printf "%-56s | %-18s | %-11s | %-53s |\n", "Keel, " method, "natural form", "recorded",
           "best form for rhs, for factorizations"
    printf "%-20s %5s %5s %5s %6s %4s %5s | %-4s %6s %6s | %5s %5s | %5s %-20s %5s %-20s | flags\n",
           "problem", "rtol", "scd", "steps", "rhs", "jac", "fact", "", "rhs", "fact", "rhs",
           "fact", "rhs", "", "fact", ""
}

function line(name, flags,    text) {
    if (show == "markdown") {
        text = sprintf("| %s | %.0e | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |",
                       name, $4, $5 == "ok" ? $6 : $5, $7, $8, $9, $10, wanted, R, F, r_form, r,
                       f_form, f)
        gsub(/e-0/, "e-", text)
        print text
        return
    }
    printf "%-20s %5.0e %5s %5s %6s %4s %5s | %-4s %6s %6s | %5s %5s | %5s %-20s %5s %-20s | %s\n",
           name, $4, $5 == "ok" ? $6 : "-", $7, $8, $9, $10, wanted, R, F, recorded_R, recorded_F,
           r, r_form, f, f_form, flags
}

# $0: a run of Keel.
function compare(    g, s, x, flags) {
    g = group($1, $2)
    wanted = g in natural ? natural[g] : "ggl"
    R = F = recorded_R = recorded_F = r = f = "-"
    r_form = f_form = flags = ""
    if ($5 == "ok") {
        s = g SUBSEP wanted
        R = ratio($RHS, needed(s, $6, RHS))
        F = ratio($LU, needed(s, $6, LU))
        s = (s "*") in runs ? s "*" : s "-dq*"
        recorded_R = ratio($RHS, needed(s, $6, RHS))
        recorded_F = ratio($LU, needed(s, $6, LU))
        r = ratio($RHS, best(g, $6, RHS))
        if (r != "-") r_form = best_form
        f = ratio($LU, best(g, $6, LU))
        if (f != "-") f_form = best_form
        flags = above("R", R) above("F", F) above("r", r) above("f", f)
        if (R == "-") flags = flags "?"
    } else {
        wanted = ""
        flags = "X " $5
    }
    sub(/ dae$/, "", g)
    line(g, flags)
    for (x = 1; x <= length(flags) && $5 == "ok"; x++) flagged[substr(flags, x, 1)]++
    if ($5 != "ok") flagged["X"]++
    print $1 "," $2 "," $3 "," $4 "," $5 "," $6 "," $7 "," $8 "," $9 "," $10 "," wanted "," R "," \
          F "," recorded_R "," recorded_F "," r "," r_form "," f "," f_form "," flags >csv
}

file == 1 && $3 == "IDA" && $5 == "ok" { keep("*") }
file == 2 && $5 == "ok" { keep("") }
file == 3 {
    g = group($1, $2)
    if (!kept[g]++) groups[++group_count] = g
    kept_run[g, kept[g]] = $0
    method = $3
    lines++
}

END {
    head(method)
    for (i = 1; i <= group_count; i++)
        for (k = 1; k <= kept[groups[i]]; k++) {
            $0 = kept_run[groups[i], k]
            compare()
        }
    if (show == "markdown") exit
    printf "%d lines; above 1: natural form rhs %d, fact %d; best form rhs %d, fact %d; ", lines,
           flagged["R"], flagged["F"], flagged["r"], flagged["f"]
    printf "no runs near: %d; failed: %d\n", flagged["?"], flagged["X"]
}
