/* test_reader_memory.c -- reading with every allocation failing in turn: KEEL_NO_MEMORY, nothing lost. */
#include "test/fault/memory.h"
#include "test/support/flat_text.h"

#include "keel/status.h"

static const char text[] =
    "connector Pin Real v; flow Real i; end Pin; model G Pin p; equation p.v = 0; end G;\n"
    "function root input Real a; output Real x; algorithm x := a; while x*x > a loop x := x/2; end while; end root;\n"
    "model M parameter Integer n = 200; Modelica.Units.SI.Length x[n](each start = 1); G g[20]; Real y; Integer k;\n"
    "equation for i in 1:n loop der(x[i]) = -i*x[i]^2; end for; y = root(x[1]); connect(g[1].p, g[2].p);\n"
    "algorithm when sample(0, 1) then k := k + 1; end when; end M;";

static int read_once(void)
{
    source *s = source_create();
    flat_model *m = NULL;
    if (!s) return KEEL_NO_MEMORY;
    int rc = KEEL_NO_MEMORY, number = source_add(s, "m.mo", text, strlen(text));
    if (number >= 0) rc = flat_read(&m, s, number, NULL, NULL, 0);
    if (rc) assert_null(m);
    if (!rc && m->functions) {
        double in[1] = {4}, out[1];
        m->function[0].evaluate(m->function[0].self, in, out);
    }
    source_messages(s);
    flat_free(m);
    source_free(s);
    return rc;
}

static void every_allocation(void **state)
{
    (void)state;
    if (!MEMORY_CAN_FAIL) skip();
    assert_int_equal(read_once(), KEEL_OK);
    memory_watched = 1;
    memory_calls = memory_fails_at = 0;
    read_once();
    long calls = memory_calls;
    assert_true(calls > 20);
    for (memory_fails_on = 0; memory_fails_on < 2; memory_fails_on++)
        for (long k = 1; k <= calls; k++) {
            memory_calls = 0;
            memory_fails_at = k;
            int rc = read_once();
            if (rc != KEEL_OK && rc != KEEL_NO_MEMORY) {
                memory_watched = 0;
                fail_msg("allocation %ld of %ld: status %d", k, calls, rc);
            }
        }
    memory_watched = 0;
    assert_int_equal(read_once(), KEEL_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
