/* fuzz.h -- what all fuzz targets share.  A target is LLVMFuzzerTestOneInput, which aborts when a
 * reader breaks its promises; libFuzzer drives it (make fuzz), or replay.c over the corpus. */
#ifndef KEEL_TEST_FUZZ_FUZZ_H
#define KEEL_TEST_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PROMISE(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition); \
            abort(); \
        } \
    } while (0)

/* The input as a text, to be freed. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    PROMISE(text != NULL);
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

/* A sentence that can be shown: there is one, and no control character in it. */
static inline int is_sentence(const char *text)
{
    if (!*text) return 0;
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f) return 0;
    return 1;
}

#endif
