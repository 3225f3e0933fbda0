/* sweep.c -- keel sweep TARGET: one run for each row of parameters, several at the same time.
 *
 * Exit status: 0 if every run came to its end, 1 if some did not or nothing could be written, 2 wrong
 * usage, 130 interrupted.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "cli/method_choice.h"
#include "cli/progress.h"
#include "cli/sweep_cases.h"
#include "cli/sweep_ranks.h"
#include "cli/verbs.h"
#include "report/json.h"

typedef struct sweep_settings {
    target_settings target;
    method_choice method;
    long jobs, samples, seed;
    const char *output;
    bool resume, json, quiet, progress;
} sweep_settings;

#define FIELD(name) offsetof(sweep_settings, name)

static const argument arguments[] = {
    {"jobs", ARGUMENT_COUNT, FIELD(jobs), 0, "N", "runs at the same time (default 1)"},
    {"samples", ARGUMENT_COUNT, FIELD(samples), 0, "N",
     "N draws from the ranges NAME=FROM:TO instead of the grid of NAME=FROM:TO:COUNT"},
    {"seed", ARGUMENT_COUNT, FIELD(seed), -1, "S", "with --samples: of the draws (default 0)"},
    TARGET_ARGUMENTS(sweep_settings, target),
    {"variables", ARGUMENT_TEXT, FIELD(target.variables), 0, "REGEX",
     "of a model FILE.mo: the variables in the table (default: all that are not protected)"},
    METHOD_ARGUMENTS(sweep_settings, method),
    {"output", ARGUMENT_TEXT, FIELD(output), 0, "FILE",
     "write the table to FILE.csv; until it is complete its rows are in FILE.csv.rows (default: standard "
     "output)"},
    {"resume", ARGUMENT_FLAG, FIELD(resume), 0, NULL,
     "with --output: go on with the rows of FILE.csv.rows, after a crash"},
    {"json", ARGUMENT_FLAG, FIELD(json), 0, NULL,
     "print one JSON object: the runs, or with --output what became of them"},
    {"quiet", ARGUMENT_FLAG, FIELD(quiet), 0, NULL, "print neither summary nor progress"},
    {"progress", ARGUMENT_FLAG, FIELD(progress), 0, NULL, "show progress from the beginning"},
};

static const syntax sweep_syntax = {
    .verb = "sweep", .operand = "TARGET", .operand_required = true, .ranges = true,
    .purpose = "Integrates TARGET once for each value of a range, --param NAME=FROM:TO:COUNT or NAME=A,B,...\n"
               "(several make a grid; --start takes the same), and writes a table: parameters, status, message,\n"
               "end values and statistics, in the order of the parameters.  A run that fails is a row.",
    .arguments = arguments, .argument_count = sizeof arguments / sizeof *arguments,
    .solver_options = true,
};

/* ---- rows as they come ------------------------------------------------------------------------ */

typedef struct sweep_work {
    sweep_cases cases;           /* first: the context of its callbacks        */
    const sweep_settings *set;
    ranks ranks;
    journal journal;
    line line;
    json_writer json;            /* of --json                                  */
    long next, failed;           /* rows written; runs that did not come to their end */
    progress progress;
    bool stopped;                /* a row could not be written, or nobody waits for it */
} sweep_work;

static void show_progress(sweep_work *w)
{
    char text[80];
    const long rows = w->cases.plan->rows;
    if (!progress_is_due(&w->progress)) return;
    snprintf(text, sizeof text, "%3.0f %%   %ld of %ld runs, %ld failed", 100 * (double)w->next / (double)rows,
             w->next, rows, w->failed);
    progress_line(&w->progress, text);
}

/* The line of the next row into the table. */
static void write_line(sweep_work *w, bool failed)
{
    const bool kept = w->set->output != NULL;
    if (w->line.failed) w->stopped = true;
    else if (kept) w->stopped = !journal_add(&w->journal, w->line.text, w->line.length);
    else if (!w->set->json || w->next == 0) fputs(w->line.text, stdout);
    else printf(",%s", w->line.text);
    if (!kept && ferror(stdout)) w->stopped = true;
    w->next++;
    w->failed += failed;
    show_progress(w);
}

/* Those of other ranks before `row`. */
static bool write_others(sweep_work *w, long row)
{
    bool failed;
    while (w->next < row && !w->stopped) {
        if (!sweep_ranks_receive(&w->ranks, w->next, &w->line, &failed)) return false;
        write_line(w, failed);
    }
    return !w->stopped;
}

static int take_row(const keel_sweep_row *row, void *context)
{
    sweep_work *w = context;
    const bool failed = row->status != KEEL_OK && row->status != KEEL_EVENT;
    if (w->ranks.rank == 0 && w->next < row->row && !write_others(w, row->row)) {
        w->stopped = true;
        return 1;
    }
    if (w->set->json && !w->set->output) line_json(&w->line, w->cases.plan, w->cases.first, row);
    else line_row(&w->line, w->cases.plan, w->cases.first, row);
    if (w->ranks.rank > 0) sweep_ranks_send(&w->ranks, &w->line, failed);
    else write_line(w, failed);
    return w->stopped || interrupt_requested();
}

/* ---- the sweep -------------------------------------------------------------------------------- */

/* Which sweep a journal is of: the words of the command line but for those that do not matter, and of a
 * file of the user's which one it was. */
static char *identify(int argc, char **argv, const char *name)
{
    static const char *const alone[] = {"--resume", "--json", "--quiet", "--progress"};
    static const char *const pairs[] = {"--jobs", "--output"};
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    struct stat known;
    if (!file) return NULL;
    fprintf(file, "# keel %s sweep", keel_version());
    for (int i = 0; i < argc; i++) {
        bool skip = false;
        for (size_t k = 0; k < sizeof alone / sizeof *alone; k++) skip |= strcmp(argv[i], alone[k]) == 0;
        for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
            const size_t all = strlen(pairs[k]);
            if (strncmp(argv[i], pairs[k], all) != 0) continue;
            skip |= argv[i][all] == '\0' || argv[i][all] == '=';
            i += argv[i][all] == '\0';
            break;
        }
        if (!skip && i < argc) fprintf(file, " %s", argv[i]);
    }
    if (strchr(name, '.') && stat(name, &known) == 0)
        fprintf(file, " (%lld bytes of %lld)", (long long)known.st_size, (long long)known.st_mtime);
    fclose(file);
    for (char *c = text; c && *c; c++)
        if (*c == '\n') *c = ' ';
    return text;
}

/* The first row of rank r behind those that are done. */
static long first_row(const ranks *r, long done)
{
    const long ahead = (r->rank - done % r->size + r->size) % r->size;
    return done + ahead;
}

static int run_rows(sweep_work *w, const keel_options *options)
{
    char message[640];
    keel_sweep_spec spec = sweep_cases_spec(&w->cases);
    spec.jobs = (int)w->set->jobs;
    spec.first = first_row(&w->ranks, w->next);
    spec.stride = w->ranks.size;
    spec.row = take_row;
    const int status = keel_sweep(&spec, options, message, sizeof message);
    if (status < 0) return refuse_status("sweep", status, *message ? message : keel_status_text(status));
    if (status == KEEL_OK && w->ranks.rank == 0 && !write_others(w, spec.rows)) w->stopped = true;
    return EXIT_DONE;
}

static void begin_table(sweep_work *w)
{
    if (w->set->output || w->ranks.rank > 0) return;
    if (!w->set->json) {
        line_header(&w->line, w->cases.plan, w->cases.first);
        if (w->line.text) fputs(w->line.text, stdout);
        return;
    }
    w->json = (json_writer){.file = stdout};
    json_begin_object(&w->json, NULL);
    json_string(&w->json, "target", w->cases.first->bundled->name);
    json_begin_array(&w->json, "runs");
    putchar('\n');
}

static const char *word_of(const sweep_work *w, int code)
{
    if (code != EXIT_DONE) return code == EXIT_INTERRUPTED ? "interrupted" : "cannot-write";
    return w->failed > 0 ? "some-failed" : "ok";
}

/* Completes the object that begin_table began with the runs, or prints one without them. */
static void print_json(sweep_work *w, int code)
{
    json_writer *j = &w->json;
    if (w->set->output) {
        *j = (json_writer){.file = stdout};
        json_begin_object(j, NULL);
        json_string(j, "target", w->cases.first->bundled->name);
        json_string(j, "output", w->set->output);
    } else {
        json_end_array(j);
    }
    json_string(j, "status", word_of(w, code));
    json_integer(j, "rows", w->next);
    json_integer(j, "failed", w->failed);
    json_end_object(j);
}

/* After the last row: the table takes its place. */
static int end_table(sweep_work *w)
{
    int code = EXIT_DONE;
    if (w->stopped && w->set->output)
        code = refuse(EXIT_FAILED, "sweep", "cannot-write", "cannot write %s: %s", w->journal.path,
                      w->journal.error ? strerror(w->journal.error) : "no memory");
    else if (w->stopped) code = EXIT_FAILED;                    /* main says why */
    else if (interrupt_requested() && w->next < w->cases.plan->rows) code = EXIT_INTERRUPTED;
    if (code == EXIT_DONE && w->set->output) {
        line_header(&w->line, w->cases.plan, w->cases.first);
        code = w->line.failed ? refuse_status("sweep", KEEL_NO_MEMORY, "no memory")
                              : journal_finish(&w->journal, w->line.text);
    }
    if (code == EXIT_INTERRUPTED && !w->set->quiet)
        fprintf(stderr, "keel sweep: interrupted after %ld of %ld runs%s\n", w->next, w->cases.plan->rows,
                w->set->output ? "; --resume goes on" : "");
    if (w->set->json) print_json(w, code);
    else if (!w->set->quiet && code == EXIT_DONE)
        fprintf(stderr, "keel sweep: %ld runs, %ld failed%s%s\n", w->next, w->failed,
                w->set->output ? ", in " : "", w->set->output ? w->set->output : "");
    return code == EXIT_DONE && w->failed > 0 ? EXIT_FAILED : code;
}

static int sweep_all(sweep_work *w, const keel_options *options, const char *identity)
{
    int code = EXIT_DONE;
    if (w->ranks.rank == 0 && w->set->output)
        code = journal_open(&w->journal, w->set->output, identity, w->cases.plan, w->set->resume);
    const long done = sweep_ranks_agree(&w->ranks, code == EXIT_DONE ? w->journal.rows : -1);
    if (done < 0) return code;
    w->next = done;
    w->failed = w->journal.failed;
    w->progress = progress_begin(0, 1, w->set->progress, w->set->quiet || w->ranks.rank > 0);
    interrupt_watch();
    begin_table(w);
    code = run_rows(w, options);
    progress_end(&w->progress);
    if (w->ranks.rank > 0) return code;
    if (code == EXIT_DONE) code = end_table(w);
    if (w->stopped || interrupt_requested()) {
        fflush(stdout);
        sweep_ranks_stop(&w->ranks, code);
    }
    return code;
}

static int sweep_target(const sweep_settings *set, keel_options *options, const char *name,
                        const char *identity)
{
    sweep_plan plan;
    row_settings settings = {0};
    target first = {0};
    sweep_work w = {.set = set};
    int code = sweep_plan_make(&plan, &set->target, set->samples, (unsigned long)set->seed);
    if (code == EXIT_DONE) code = sweep_first(&plan, name, &settings, &first);
    if (code == EXIT_DONE) {
        target_tolerances(&first, options);
        w.cases = (sweep_cases){&plan, name, &first, options->atol_each != NULL};
        code = sweep_ranks_begin(&w.ranks);
        if (code == EXIT_DONE) code = sweep_all(&w, options, identity);
        sweep_ranks_end(&w.ranks);
    }
    journal_close(&w.journal);
    line_free(&w.line);
    target_free(&first);
    row_settings_free(&settings);
    sweep_plan_free(&plan);
    return code;
}

static int check_settings(sweep_settings *set, keel_options *options)
{
    const size_t length = set->output ? strlen(set->output) : 0;
    if (set->output && (length < 5 || strcmp(set->output + length - 4, ".csv") != 0))
        return usage_error("sweep", "--output takes a file name that ends in .csv, not '%s'", set->output);
    if (set->resume && !set->output) return usage_error("sweep", "--resume needs --output FILE");
    if (set->seed >= 0 && set->samples == 0) return usage_error("sweep", "--seed needs --samples N");
    if (set->jobs > 1024) return usage_error("sweep", "--jobs takes at most 1024, not %ld", set->jobs);
    if (set->seed < 0) set->seed = 0;
    return method_choose_for("sweep", &set->method, options);
}

int sweep_command(int argc, char **argv)
{
    sweep_settings set = {.target = TARGET_STANDARD, .seed = -1};
    keel_options options = {0};
    const char *name;
    int code;

    switch (parse_arguments(&sweep_syntax, argc, argv, &set, &options, &name)) {
    case PARSED: code = check_settings(&set, &options); break;
    case PARSED_HELP: code = EXIT_DONE; name = NULL; break;
    default: code = EXIT_USAGE; break;
    }
    if (code == EXIT_DONE && name) {
        char *identity = identify(argc, argv, name);
        code = identity ? sweep_target(&set, &options, name, identity)
                        : refuse_status("sweep", KEEL_NO_MEMORY, "no memory");
        free(identity);
    }
    method_choice_free(&set.method);
    target_settings_free(&set.target);
    return code;
}
