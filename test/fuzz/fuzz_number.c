/* fuzz_number.c -- the reader and the writer of numbers: what is written is read back, exactly; and
 * expressions of method files. */
#include <math.h>

#include "core/number.h"
#include "core/text.h"
#include "method/expression.h"
#include "test/fuzz/fuzz.h"

static void round_trip(double value)
{
    char text[40], *end;
    int length = number_print(text, sizeof text, "%.17g", value);
    PROMISE(length > 0 && length < (int)sizeof text && !strchr(text, ','));
    double again = number_read(text, &end);
    PROMISE(*end == '\0' && (again == value || (isnan(again) && isnan(value))));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *end, shown[64];
    double value = number_read(text, &end);
    PROMISE(end >= text && end <= text + strlen(text));
    PROMISE(value == strtod(text, NULL) || isnan(value));     /* the locale here is "C" */
    round_trip(value);
    if (size >= sizeof value) {
        memcpy(&value, data, sizeof value);
        round_trip(value);
    }
    const char *at = text;
    if (parse_expression(&at, &value)) round_trip(value);
    PROMISE(at >= text && at <= text + strlen(text));
    size_t whole = text_show(shown, sizeof shown, text);
    PROMISE(strlen(shown) <= whole && (!*text || !*shown || is_sentence(shown)));
    free(text);
    return 0;
}
