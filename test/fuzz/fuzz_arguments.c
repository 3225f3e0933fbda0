/* fuzz_arguments.c -- command lines, a word in each line: parse_arguments and read_reals. */
#include <math.h>

#include "cli/arguments.h"
#include "test/fuzz/fuzz.h"

typedef struct settings {
    bool quiet;
    double t_end;
    long points;
    const char *output;
    assignments parameters;
} settings;

static const argument rows[] = {
    {"quiet", ARGUMENT_FLAG, offsetof(settings, quiet), 0, NULL, "say less"},
    {"t-end", ARGUMENT_REAL, offsetof(settings, t_end), 0, "T", "end"},
    {"points", ARGUMENT_COUNT, offsetof(settings, points), 0, "N", "how many"},
    {"output", ARGUMENT_TEXT, offsetof(settings, output), 0, "FILE", "where"},
    {"param", ARGUMENT_ASSIGNMENT, offsetof(settings, parameters), 0, "NAME=X", "parameter"}};
static const syntax words_of = {.verb = "run", .operand = "TARGET", .purpose = "Runs.",
                                .arguments = rows, .argument_count = 5, .solver_options = true};

static void parse(char **words, int count)
{
    settings s = {0};
    keel_options options = {0};
    const char *operand = NULL;
    parse_outcome outcome = parse_arguments(&words_of, count, words, &s, &options, &operand);
    PROMISE(outcome == PARSED || outcome == PARSED_HELP || outcome == PARSED_WRONG);
    PROMISE(isfinite(s.t_end) && s.t_end >= 0 && s.points >= 0);
    for (int i = 0; i < s.parameters.count; i++) {
        PROMISE(isfinite(s.parameters.each[i].value) && s.parameters.each[i].name_length > 0);
    }
    free(s.parameters.each);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { WORDS = 16 };
    char *text = fuzz_text(data, size), *words[WORDS + 1] = {NULL};
    double *values = NULL;
    int count = 0, numbers = 0;
    if (read_reals(text, &values, &numbers))
        for (int i = 0; i < numbers; i++) PROMISE(isfinite(values[i]));
    free(values);
    for (char *at = text; at && count < WORDS;) {
        words[count++] = at;
        at = strchr(at, '\n');
        if (at) *at++ = '\0';
    }
    words[count] = NULL;
    parse(words, count);
    free(text);
    return 0;
}
