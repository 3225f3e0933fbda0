/* fuzz_option.c -- keel_option_set: the first line is the name (or the number of a row), the rest the
 * value.  What is accepted is what a solver accepts; what is not is explained. */
#include "core/options.h"
#include "test/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    keel_options options = {0}, resolved;
    char *text = fuzz_text(data, size), *value = strchr(text, '\n'), sentence[200] = "";
    message m = {""};
    int count;
    const keel_option *row = keel_option_table(&count);
    if (value) *value++ = '\0';
    else value = text + strlen(text);
    const char *name = size && text[0] < count && text[0] > 0 ? row[(int)text[0]].name : text;
    int rc = keel_option_set(&options, name, value, sentence, sizeof sentence);
    if (rc) PROMISE(is_sentence(sentence));
    else PROMISE(options_resolve(&resolved, &options, sizeof options, &m) == KEEL_OK);
    if (!rc) PROMISE(sentence[0] == '\0');
    char small[4] = "";                          /* no room for the sentence */
    keel_option_set(&options, name, value, small, sizeof small);
    PROMISE(strlen(small) < sizeof small);
    free(text);
    return 0;
}
