/* test_memory_slow.c -- memory runs out: every integrator with every form, by every call. */
#define _POSIX_C_SOURCE 200809L
#include "test/fault/lives.h"

static void all_with_all(void **state)
{
    (void)state;
    if (!MEMORY_CAN_FAIL) {
        print_message("malloc cannot be replaced here\n");
        skip();
    }
    for (int m = 0; m < KINDS; m++)
        for (int k = 0; k < SUBJECTS; k++)
            if (!is_sparse(k) || has_sparse())
                every_life(&subjects[k], &(keel_options){.method = kinds[m].name,
                                                         .step = kinds[m].step}, 3);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_with_all)};
    (void)argc;
    with_one_thread(argv);
    return cmocka_run_group_tests_name("no memory, all with all", tests, enough_at_first, NULL);
}
