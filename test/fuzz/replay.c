/* replay.c -- gives the files of a folder to a fuzz target, without a fuzzer.
 *
 *     fuzz_X CORPUS                 each file once
 *     fuzz_X CORPUS COUNT [FIRST]   COUNT mutations of them, from number FIRST on
 *
 * Mutation number k is always the same: its random numbers begin with k.  The file `fuzz-at` has the number
 * of the present one, so that after a crash  fuzz_X CORPUS 1 $(cat fuzz-at)  shows it again. */
#include <dirent.h>

#include "test/fuzz/fuzz.h"

enum { LARGEST = 1 << 21, MOST_FILES = 2000, MOST_LENGTH = 4000 };

typedef struct input { uint8_t *data; size_t size; } input;

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int read_input(const char *path, input *to)
{
    FILE *file = fopen(path, "rb");
    if (!file) return -1;
    to->data = malloc(LARGEST);
    PROMISE(to->data != NULL);
    to->size = fread(to->data, 1, LARGEST, file);
    fclose(file);
    uint8_t *fitting = realloc(to->data, to->size + 1);
    if (fitting) to->data = fitting;
    return 0;
}

static int read_corpus(const char *folder, input *all)
{
    struct dirent **entry;
    int count = 0, files = scandir(folder, &entry, NULL, by_name);
    for (int i = 0; i < files; i++) {
        char path[2000];
        snprintf(path, sizeof path, "%s/%s", folder, entry[i]->d_name);
        if (entry[i]->d_name[0] != '.' && count < MOST_FILES && read_input(path, &all[count]) == 0) count++;
        free(entry[i]);
    }
    if (files >= 0) free(entry);
    return count;
}

/* splitmix64 [Steele, Lea, Flood, OOPSLA 2014] */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static size_t below(uint64_t *state, size_t limit) { return limit ? (size_t)(draw(state) % limit) : 0; }

/* Replaces `gone` bytes at `at` by others, within the room. */
static size_t splice(uint8_t *text, size_t size, size_t at, size_t gone, const uint8_t *more, size_t count)
{
    if (at > size) at = size;
    if (gone > size - at) gone = size - at;
    if (size - gone + count > MOST_LENGTH) return size;
    memmove(text + at + count, text + at + gone, size - at - gone);
    if (count) memmove(text + at, more, count);
    return size - gone + count;
}

static const char *const words[] = {
    "0", "1", "-1", "2147483647", "1e12", "1e308", "1e-308", "0.5", "der(", "pre(", "end", "end ",
    "if ", "then ", "else ", "for i in 1:3 loop ", "when ", "sample(0, 0.1)", "{", "}", "[", "]", "(",
    ")", ";", ",", ":", "=", ":=", "==", "<", "+", "-", "*", "/", "^", ".*", ".^", " and ", " or ",
    "not ", "each ", "final ", "parameter ", "constant ", "extends ", "import ", "model A ",
    "function f ", "record R ", "connector C ", "package P ", "equation ", "algorithm ", "initial ",
    "Real ", "Integer ", "Boolean ", "String ", "x", "time", "size(", "sum(", "zeros(", "fill(", "cat(",
    "linspace(", "connect(", "reinit(", "\"", "'", "/*", "//", "\n", "\xff", "start = ", "input ",
    "output ", "flow ", "protected ", "annotation(", "while ", "return;", "break;", "enumeration(",
    "noEvent("};

static size_t mutate(uint8_t *text, size_t size, const input *all, int count, uint64_t *state)
{
    const size_t at = below(state, size + 1), length = 1 + below(state, 20);
    switch (below(state, 8)) {
    case 0: return splice(text, size, at, length, NULL, 0);
    case 1: {
        const uint8_t byte = (uint8_t)draw(state);
        return splice(text, size, at, below(state, 2), &byte, 1);
    }
    case 2: case 3: case 4: {
        const char *word = words[below(state, sizeof words / sizeof *words)];
        return splice(text, size, at, below(state, 3) ? 0 : length, (const uint8_t *)word, strlen(word));
    }
    case 5: {                                            /* a part of it once more */
        uint8_t copy[200];
        const size_t from = below(state, size + 1), left = size - from;
        const size_t part = left < 1 ? 0 : 1 + below(state, left);
        const size_t used = part < sizeof copy ? part : sizeof copy;
        memcpy(copy, text + from, used);
        return splice(text, size, at, 0, copy, used);
    }
    case 6: {                                            /* a part of another */
        const input *other = &all[below(state, (size_t)count)];
        const size_t from = below(state, other->size + 1), left = other->size - from;
        const size_t part = left < 100 ? left : 1 + below(state, 100);
        return splice(text, size, at, length, other->data + from, part);
    }
    default: return size < 2 ? size : (text[at % size] ^= (uint8_t)(1u << below(state, 7)), size);
    }
}

static void note(FILE *file, long k)
{
    rewind(file);
    fprintf(file, "%-12ld\n", k);
    fflush(file);
}

static void mutations(const input *all, int count, long first, long runs)
{
    uint8_t text[MOST_LENGTH + 1];
    FILE *at = fopen("fuzz-at", "w");
    for (long k = first; k < first + runs; k++) {
        uint64_t state = (uint64_t)k;
        const input *seed = &all[below(&state, (size_t)count)];
        const size_t from = seed->size > MOST_LENGTH ? below(&state, seed->size - MOST_LENGTH) : 0;
        size_t size = seed->size < MOST_LENGTH ? seed->size : MOST_LENGTH;
        memcpy(text, seed->data + from, size);
        for (size_t i = 1 + below(&state, 6); i > 0; i--) size = mutate(text, size, all, count, &state);
        uint8_t *exact = malloc(size + 1);               /* so that reading beyond it is seen */
        PROMISE(exact != NULL);
        memcpy(exact, text, size);
        if (at) note(at, k);
        LLVMFuzzerTestOneInput(exact, size);
        free(exact);
        if ((k - first + 1) % 100000 == 0) fprintf(stderr, "%ld mutations\n", k - first + 1);
    }
    if (at) fclose(at);
    remove("fuzz-at");
    printf("%ld mutations of %d inputs\n", runs, count);
}

int main(int argc, char **argv)
{
    static input all[MOST_FILES];
    const int count = argc > 1 ? read_corpus(argv[1], all) : 0;
    if (count == 0) return fprintf(stderr, "usage: %s CORPUS [COUNT [FIRST]]\n", argv[0]), 1;
    if (argc > 2) mutations(all, count, argc > 3 ? atol(argv[3]) : 1, atol(argv[2]));
    for (int i = 0; i < count; i++) {
        if (argc == 2) LLVMFuzzerTestOneInput(all[i].data, all[i].size);
        free(all[i].data);
    }
    if (argc == 2) printf("%d inputs\n", count);
    return 0;
}
