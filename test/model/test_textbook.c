/* test_textbook.c -- small models in the manner of textbooks, with values that are known from elsewhere.
 *
 * textbook/FILE.mo has models, each followed by what is known of it at a time:
 *
 *     //= Class at T: name value, name value, ...
 *
 * Values are closed forms or come from another program.  With rtol = atol = 1e-10 they are met to 1e-8, at the
 * default tolerance to 1e-6 (relative to 1 + |value|); `at T tight:` at 1e-10 only, for errors that grow.
 *
 * textbook/wrong.txt has models that must be refused, each preceded by where and with which words:
 *
 *     //! LINE words | more words            line 0: wherever
 *
 * Lines count from the one after the mark.
 *
 * As a program: test_model_textbook FILE [CLASS] runs one file or one class and shows what differs. */
#define _XOPEN_SOURCE 700
#include "test/model/model.h"

#include <dirent.h>
#include <stdlib.h>

#define FOLDER KEEL_SOURCE_DIR "/test/model/textbook/"

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *text = calloc(1, 1000000);
    if (text) text[fread(text, 1, 999999, file)] = '\0';
    fclose(file);
    return text;
}

/* Values "name value, name value" at the point of a solver; how many differ. */
static int compare(const model_run *r, const char *title, const char *line, double tolerance)
{
    int wrong = 0, used;
    char name[100];
    double wanted, value;
    while (sscanf(line, " %99s %lf%n", name, &wanted, &used) == 2) {
        if (keel_model_name_value(r->model, r->solver, name, &value) != KEEL_OK) value = NAN;
        if (!(fabs(value - wanted) <= tolerance * (1 + fabs(wanted)))) {
            print_error("%s: %s is %.15g, not %.15g (%.1e)\n", title, name, value, wanted, value - wanted);
            wrong++;
        }
        line += used;
        if (*line != ',') break;
        line++;
    }
    return wrong;
}

/* Runs the class to t; the number of values that differ, or 1 with a message. */
static int run_class(const char *path, const char *text, const char *class_, double t, double tolerance,
                     const char *values)
{
    model_run r = {0};
    keel_start_spec start;
    char title[400];
    int wrong = 1;
    const keel_options options = {.rtol = tolerance, .atol = tolerance};
    snprintf(title, sizeof title, "%s, %s, %g", strrchr(path, '/') ? strrchr(path, '/') + 1 : path, class_,
             tolerance);
    r.status = keel_model_read_text(&r.model, "test.mo", text, strlen(text), class_);
    const keel_problem *problem = r.status == KEEL_OK ? keel_model_problem(r.model) : NULL;
    if (!problem) {
        print_error("%s: %s\n", title, keel_model_message(r.model));
    } else {
        keel_model_start(r.model, &start);
        r.status = keel_solver_create(&r.solver, problem, tolerance > 0 ? &options : NULL);
        if (r.status == KEEL_OK) r.status = keel_start_with(r.solver, &start);
        if (r.status == KEEL_OK && t != start.t) r.status = keel_advance_to(r.solver, t);
        if (r.status != KEEL_OK && r.status != KEEL_EVENT)
            print_error("%s: %s: %s\n", title, keel_status_name(r.status), keel_message(r.solver));
        else wrong = compare(&r, title, values, tolerance > 0 ? 1e-8 : 1e-6);
    }
    close_run(&r);
    return wrong;
}

/* All lines of expectations of a file, or those of one class; how many failed. */
static int run_file(const char *path, const char *only, int *count)
{
    char *text = read_text(path), class_[100];
    int wrong = 0, used;
    double t;
    if (!text) return 1;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        if (*line == '\n') line++;
        if (strncmp(line, "//= ", 4) != 0) continue;
        if (sscanf(line, "//= %99s at %lf%n", class_, &t, &used) != 2) {
            print_error("%s: what is %.40s?\n", path, line);
            wrong++;
            continue;
        }
        if (only && strcmp(only, class_) != 0) continue;
        const int tight = strncmp(line + used, " tight", 6) == 0;
        const char *list = strchr(line, ':') + 1;
        if (!tight) wrong += run_class(path, text, class_, t, 0, list) > 0;
        wrong += run_class(path, text, class_, t, 1e-10, list) > 0;
        ++*count;
    }
    free(text);
    return wrong;
}

static void values(void **state)
{
    (void)state;
    struct dirent **entry;
    int wrong = 0, count = 0, files = scandir(FOLDER, &entry, NULL, alphasort);
    assert_true(files > 0);
    for (int i = 0; i < files; i++) {
        const size_t length = strlen(entry[i]->d_name);
        char path[600];
        snprintf(path, sizeof path, FOLDER "%s", entry[i]->d_name);
        if (length > 3 && strcmp(entry[i]->d_name + length - 3, ".mo") == 0)
            wrong += run_file(path, NULL, &count);
        free(entry[i]);
    }
    free(entry);
    print_message("%d models with values\n", count);
    assert_int_equal(wrong, 0);
}

/* Variables that are only shown have values, too. */
static int not_finite(const model_run *r, char *said, size_t room)
{
    keel_model_variable v;
    double value;
    for (int i = 0; i < keel_model_variable_count(r->model); i++) {
        keel_model_variable_at(r->model, i, &v);
        if (keel_model_name_value(r->model, r->solver, v.name, &value) != KEEL_NOT_FINITE) continue;
        snprintf(said, room, "%s is %s", v.name, isnan(value) ? "not a number" : "infinite");
        return 1;
    }
    return 0;
}

/* What is said of a text: by the reader, the structure, the start or the run to t = 1. */
static int refused(const char *text, size_t length, char *said, size_t room)
{
    model_run r = {0};
    keel_start_spec start;
    r.status = keel_model_read_text(&r.model, "test.mo", text, length, NULL);
    const keel_problem *problem = r.status == KEEL_OK ? keel_model_problem(r.model) : NULL;
    snprintf(said, room, "%s", keel_model_message(r.model));
    int no = !problem;
    if (problem) {
        keel_model_start(r.model, &start);
        r.status = keel_solver_create(&r.solver, problem, NULL);
        if (r.status == KEEL_OK) r.status = keel_start_with(r.solver, &start);
        if (r.status == KEEL_OK) r.status = keel_advance_to(r.solver, 1);
        no = r.status != KEEL_OK && r.status != KEEL_EVENT;
        const size_t at = strlen(said);
        if (no) snprintf(said + at, room - at, "%s", keel_message(r.solver));
        else no = not_finite(&r, said + at, room - at);
    }
    close_run(&r);
    return no;
}

/* One wrong text with its mark "//! LINE words | words"; 1: accepted, or something else is said. */
static int check_wrong(const char *mark, const char *text, size_t length)
{
    static char said[20000];
    char words[300], place[40];
    int line, used, wrong = !refused(text, length, said, sizeof said);
    if (sscanf(mark, "//! %d %n", &line, &used) != 1) return 1;
    snprintf(words, sizeof words, "%.*s", (int)strcspn(mark + used, "\n"), mark + used);
    snprintf(place, sizeof place, "test.mo:%d:", line);
    if (line > 0 && !strstr(said, place)) wrong = 1;
    for (char *word = words, *next; word && *word; word = next) {
        next = strstr(word, " | ");
        if (next) *next = '\0', next += 3;
        if (!strstr(said, word)) wrong = 1;
    }
    if (wrong)
        print_error("%.*s: %s\n%s\n", (int)strcspn(mark, "\n"), mark,
                    *said ? "said is" : "accepted", said);
    return wrong;
}

static int run_wrong(const char *path)
{
    char *text = read_text(path);
    int wrong = 0, count = 0;
    if (!text) return 1;
    for (const char *mark = strstr(text, "\n//! "), *next; mark; mark = next) {
        const char *body = strchr(++mark, '\n');
        if (!body) break;
        next = strstr(body++, "\n//! ");
        wrong += check_wrong(mark, body, next ? (size_t)(next + 1 - body) : strlen(body));
        count++;
    }
    free(text);
    print_message("%d wrong models\n", count);
    return wrong;
}

static void wrong_models(void **state)
{
    (void)state;
    assert_int_equal(run_wrong(FOLDER "wrong.txt"), 0);
}

int main(int argc, char **argv)
{
    int count = 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(wrong_models)};
    if (argc == 1) return cmocka_run_group_tests(tests, NULL, NULL);
    const size_t length = strlen(argv[1]);
    if (length > 4 && strcmp(argv[1] + length - 4, ".txt") == 0) return run_wrong(argv[1]) > 0;
    return run_file(argv[1], argc > 2 ? argv[2] : NULL, &count) > 0;
}
