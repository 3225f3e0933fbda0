/* test_checkpoint_slow.c -- twenty random kills for each class of method. */
#define _POSIX_C_SOURCE 200809L
#include "test/cli/killing.h"

enum { KILLS = 20 };

static void twenty_kills(void **state)
{
    (void)state;
    for (int k = 0; k < CLASSES; k++) {
        int resumed = kill_and_resume(classes[k], KILLS);
        print_message("%s: %d of %d went on from a checkpoint\n", classes[k], resumed, KILLS);
        if (resumed < KILLS / 2) fail_msg("%s: only %d were resumed", classes[k], resumed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(twenty_kills)};
    return cmocka_run_group_tests_name("checkpoint, killed", tests, make_folder, remove_folder);
}
