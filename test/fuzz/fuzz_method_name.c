/* fuzz_method_name.c -- names of methods, which may hold numbers and expressions. */
#include <math.h>

#include "keel/keel.h"
#include "test/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    keel_method *m = NULL;
    keel_method_info info;
    char *name = fuzz_text(data, size);
    int rc = keel_method_named(&m, name);
    PROMISE(m != NULL);
    if (rc) PROMISE(is_sentence(keel_method_message(m)));
    const keel_tableau *t = rc ? NULL : keel_method_tableau(m);
    for (int i = 0; t && i < t->stages; i++) PROMISE(isfinite(t->b[i]) && isfinite(t->c[i]));
    int found = keel_method_find(name, &info);
    PROMISE(rc || found == KEEL_OK);
    if (!found) PROMISE(info.name && info.family && info.summary);
    keel_method_free(m);
    free(name);
    return 0;
}
