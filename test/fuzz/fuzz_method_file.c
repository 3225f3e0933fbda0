/* fuzz_method_file.c -- keel_method_read: any file is a method with finite coefficients, or there is a
 * sentence that says why not. */
#include <math.h>
#include <unistd.h>

#include "keel/keel.h"
#include "test/fuzz/fuzz.h"

static void check_method(const keel_method *m)
{
    const keel_tableau *t = keel_method_tableau(m);
    const keel_general_linear *g = keel_method_general_linear(m);
    PROMISE(g && g->stages >= 1 && g->stages <= KEEL_STAGES_MOST);
    PROMISE(g->values >= 1 && g->values <= KEEL_VALUES_MOST);
    for (int i = 0; i < g->stages * g->stages; i++) PROMISE(isfinite(g->A[i]));
    for (int i = 0; t && i < t->stages; i++) PROMISE(isfinite(t->b[i]) && isfinite(t->c[i]));
    for (const char *c = g->name; *c; c++) PROMISE((unsigned char)*c >= ' ');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    keel_method *m = NULL;
    char path[60];
    snprintf(path, sizeof path, "fuzz-%ld.method", (long)getpid());
    FILE *file = fopen(path, "wb");
    PROMISE(file != NULL);
    fwrite(data, 1, size, file);
    fclose(file);
    int rc = keel_method_read(&m, path);
    PROMISE(m != NULL);
    if (rc) PROMISE(is_sentence(keel_method_message(m)));
    else check_method(m);
    keel_method_free(m);
    remove(path);
    return 0;
}
