#define _POSIX_C_SOURCE 200809L
#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t requested;         /* a signal handler can reach nothing else */

static void request(int signal_number)
{
    (void)signal_number;
    requested = 1;
}

void interrupt_watch(void)
{
    struct sigaction action = {.sa_handler = request, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

bool interrupt_requested(void)
{
    return requested != 0;
}
