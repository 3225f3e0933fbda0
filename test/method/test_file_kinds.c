/* test_file_kinds.c -- multistep and general linear methods from text files: those shown in
 * docs/methods.md, all named ones written and read, and what is said about wrong ones. */
#include "method/method.h"       /* before cmocka, whose fail() is a macro */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "method/multistep.h"
#include "method/tables.h"

static const char file[] = "test_file_kinds.method";

#include "test/method/files.h"

/* The fenced block of docs/methods.md that begins with that line. */
static char *example(const char *first)
{
    char *text = calloc(1, 1 << 20);
    FILE *f = fopen(KEEL_SOURCE_DIR "/docs/methods.md", "r");
    assert_true(text && f);
    assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
    fclose(f);
    char *begin = strstr(text, first), *end = begin ? strstr(begin, "```") : NULL;
    if (!end) fail_msg("no example '%s' in docs/methods.md", first);
    *end = '\0';
    memmove(text, begin, (size_t)(end - begin) + 1);
    return text;
}

static void documented(void **state)
{
    keel_method *m;
    char *text = example("# The difference corrected BDF of two steps");
    (void)state;
    if (read_text(&m, text)) fail_msg("%s", keel_method_message(m));
    const keel_multistep *f = keel_method_multistep(m);
    assert_int_equal(f->steps, 2);
    assert_int_equal(f->order, 3);
    assert_int_equal(f->blocking, KEEL_BLOCKED);
    keel_method_free(m);
    free(text);
    text = example("# A DIMSIM of order 2");
    if (read_text(&m, text)) fail_msg("%s", keel_method_message(m));
    const keel_general_linear *g = keel_method_general_linear(m);
    assert_int_equal(keel_method_kind_of(m), KEEL_METHOD_GENERAL_LINEAR);
    assert_int_equal(g->order, 2);
    assert_int_equal(g->stage_order, 2);
    keel_method_free(m);
    free(text);
}

/* ---- what is written comes back -------------------------------------------------------------- */

static void formulas_come_back(void **state)
{
    static const char *const blockings[] = {"constrain-first", "blocked", "constrain-last"};
    (void)state;
    for (int i = 0; multistep_table(i, 0); i++)
        for (int variant = 0; variant < MULTISTEP_VARIANTS; variant++) {
            keel_method *m, *again;
            if (!multistep_table(i, variant)) continue;
            assert_int_equal(keel_method_named(&m, multistep_table(i, variant)->name), KEEL_OK);
            const keel_multistep *f = keel_method_multistep(m), *g;
            int count = f->steps + 1;
            FILE *out = fopen(file, "w");
            assert_non_null(out);
            fprintf(out, "name: %s\norder: %d\nblocking: %s\n", f->name, f->order,
                    blockings[f->blocking]);
            put(out, "alpha", f->alpha, 1, count);
            put(out, "beta", f->beta, count, 1);
            put(out, "gamma", f->gamma, 1, count);
            fclose(out);
            if (keel_method_read(&again, file)) fail_msg("%s", keel_method_message(again));
            g = keel_method_multistep(again);
            assert_string_equal(g->name, f->name);
            assert_int_equal(g->blocking, f->blocking);
            same(g->alpha, f->alpha, count);
            same(g->beta, f->beta, count);
            same(g->gamma, f->gamma, count);
            keel_method_free(again);
            keel_method_free(m);
        }
    remove(file);
}

static void matrices_come_back(void **state)
{
    static const char *const names[] = {"dimsim-1", "dimsim-2", "dimsim-3", "bdf-4", "adams-3"};
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        keel_method *m, *again;
        assert_int_equal(keel_method_named(&m, names[k]), KEEL_OK);
        const keel_general_linear *g = keel_method_general_linear(m), *h;
        int s = g->stages, r = g->values;
        FILE *out = fopen(file, "w");
        assert_non_null(out);
        fprintf(out, "name: %s\norder: %d\nstage_order: %d\n", g->name, g->order, g->stage_order);
        put(out, "A", g->A, s, s);
        put(out, "U", g->U, s, r);
        put(out, "B", g->B, r, s);
        put(out, "V", g->V, r, r);
        put(out, "c", g->c, 1, s);
        put(out, "W", g->W, r, g->order + 1);
        fclose(out);
        if (keel_method_read(&again, file)) fail_msg("%s", keel_method_message(again));
        h = keel_method_general_linear(again);
        assert_int_equal(keel_method_kind_of(again), KEEL_METHOD_GENERAL_LINEAR);
        assert_int_equal(h->order, g->order);
        same(h->A, g->A, s * s);
        same(h->U, g->U, s * r);
        same(h->B, g->B, r * s);
        same(h->V, g->V, r * r);
        same(h->c, g->c, s);
        same(h->W, g->W, r * (g->order + 1));
        keel_method_free(again);
        keel_method_free(m);
    }
    remove(file);
}

/* ---- wrong files ----------------------------------------------------------------------------- */

#define BDF2 "alpha: 1/2 -2 3/2\nbeta: 0 0 1\n"
#define EULER "A: 1\nU: 1\nB: 1\nV: 1\nc: 1\n"

static void wrong_files(void **state)
{
    static const struct { const char *text, *message; } bad[] = {
        {"alpha: -1 1\n", "'beta:' is missing"},
        {"beta: 0 1\n", "'alpha:' is missing"},
        {"alpha: 1\nbeta: 1\n", ":1: alpha has 1 numbers; 2 to 13 are possible"},
        {"alpha: 1 -1\nbeta: 1\n", ":2: beta has 1 numbers instead of 2"},
        {BDF2 "gamma: 1 -1\n", ":3: gamma has 2 numbers instead of 3"},
        {BDF2 "blocking: sometimes\n",
         ":3: blocking is constrain-first, blocked or constrain-last"},
        {BDF2 "blocking: blocked\n", "a blocked method needs gamma"},
        {BDF2 "gamma: 1 -2 1\nblocking: constrain-last\n", "gamma is of use for blocked methods"},
        {BDF2 "b: 1\n", ":3: 'b:' does not belong to a multistep method"},
        {BDF2 "U: 1\n", ":3: 'U:' does not belong to a multistep method"},
        {BDF2 "order: 3\n", "claims order 3, but has order 2"},
        {"alpha: -1 1\nbeta: 1 0\n", "explicit multistep methods"},
        {"A: 1\nU: 1\nB: 1\nV: 1\n", "'c:' is missing"},
        {"A: 1\nB: 1\n", "'U:' is missing"},
        {EULER "b: 1\n", ":6: 'b:' does not belong to a general linear method"},
        {EULER "W: 1 0\n", ":6: W has one column more than the order: 'order:' is missing"},
        {EULER "order: 1\nW: 1\n", ":7: W has 1 rows of 1 numbers instead of 1 of 2"},
        {"A: 1\nU: 1 0\nB: 1\nV: 1\nc: 1\n", ":2: U has 1 rows of 2 numbers instead of 1 of 1"},
        {"A: 1 0\nU: 1\nB: 1\nV: 1\nc: 1\n", ":1: A has 1 rows of 2 numbers instead of 1 of 1"},
        {"A: 0\nU: 1\nB: 1\nV: 1\nc: 1\n", "A is singular"},
        {"A:\nU: 1\nB: 1\nV: 1\nc: 1\n", ":1: A has 0 rows"},
        {"A: 1\nU: 1\nB: 1 0\nV: 1\nc: 1\n", ":3: B has 1 rows of 2 numbers instead of 1 of 1"},
        {"A: 1\nU: 1\nB: 1\nV: 1 0\nc: 1\n", ":4: V has 1 rows of 2 numbers instead of 1 of 1"},
        {"A: 1\nU: 1\nB: 1\nV: 1\nc: 1 1\n", ":5: c has 2 numbers instead of 1"},
        {"alpha: -1 1 0 0 0 0 0 0 0 0 0 0 0 0\nbeta: 0 1\n", ":1: alpha has 14 numbers"},
        {"A: 0 0\n 1/2 0\nb: 0 1\nA_extra:\n", ":4: A_extra has 0 rows"},
        {"A: 0 0 0\n 1/2 0 0\nb: 0 1\n", ":1: A has 2 rows of 3 numbers; it must be square"},
        {"A: 1\nU: 1\nB: 1\nV:\nc: 1\n", ":4: V has 0 rows"},
        {EULER "stage_order: 2\n", "claims stage order 2, but has 1"},
        {EULER "alpha: 1\n", ":6: 'alpha:' does not belong to a general linear method"},
        {"alpha: 1 x\n", ":1: 'x' is not a number"},
    };
    keel_method *m;
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        assert_int_equal(read_text(&m, bad[k].text), KEEL_BAD_ARGUMENT);
        const char *said = keel_method_message(m);
        if (strncmp(said, file, strlen(file)) != 0 || !strstr(said, bad[k].message))
            fail_msg("'%s' gives '%s'", bad[k].text, said);
        keel_method_free(m);
    }
    assert_int_equal(read_text(&m, EULER), KEEL_OK);
    assert_int_equal(keel_method_general_linear(m)->order, 1);
    keel_method_free(m);
    assert_int_equal(read_text(&m, BDF2), KEEL_OK);
    assert_int_equal(keel_method_multistep(m)->order, 2);
    keel_method_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documented), cmocka_unit_test(formulas_come_back),
        cmocka_unit_test(matrices_come_back), cmocka_unit_test(wrong_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
