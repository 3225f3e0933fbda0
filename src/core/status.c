/* status.c -- names and general sentences of the status codes. */
#include "keel/status.h"

#include <stddef.h>

typedef struct status_row { int status; const char *name, *text; } status_row;

static const status_row table[] = {
    {KEEL_OK, "KEEL_OK", "done"},
    {KEEL_STOP_REACHED, "KEEL_STOP_REACHED", "the stop time has been reached"},
    {KEEL_STEP_LIMIT, "KEEL_STEP_LIMIT", "the step limit has been reached"},
    {KEEL_EVENT, "KEEL_EVENT", "an event ended the run"},
    {KEEL_BAD_ARGUMENT, "KEEL_BAD_ARGUMENT", "an argument or option is out of range"},
    {KEEL_NO_MEMORY, "KEEL_NO_MEMORY", "no memory"},
    {KEEL_CALLBACK_FAILED, "KEEL_CALLBACK_FAILED", "a callback failed"},
    {KEEL_NOT_FINITE, "KEEL_NOT_FINITE", "a callback gave a value that is not finite"},
    {KEEL_SINGULAR, "KEEL_SINGULAR", "the iteration matrix is singular"},
    {KEEL_STEP_TOO_SMALL, "KEEL_STEP_TOO_SMALL", "the step size fell to rounding level"},
    {KEEL_NOT_CONVERGED, "KEEL_NOT_CONVERGED", "Newton's method did not converge"},
    {KEEL_INCONSISTENT, "KEEL_INCONSISTENT", "no consistent initial values were found"},
    {KEEL_REDUNDANT, "KEEL_REDUNDANT", "the constraints depend on each other"},
    {KEEL_WRONG_INDEX, "KEEL_WRONG_INDEX", "the declared index does not fit the equations"},
    {KEEL_UNKNOWN_NAME, "KEEL_UNKNOWN_NAME", "there is nothing of that name"},
    {KEEL_UNSUPPORTED, "KEEL_UNSUPPORTED", "this combination is not supported"},
    {KEEL_WRONG_DERIVATIVE, "KEEL_WRONG_DERIVATIVE",
     "a derivative that was given does not fit its function"},
    {KEEL_BAD_FILE, "KEEL_BAD_FILE",
     "a checkpoint cannot be written or read, or is of another run"},
    {KEEL_ILL_CONDITIONED, "KEEL_ILL_CONDITIONED",
     "rounding errors do not allow for the accuracy asked for"},
    {KEEL_ASSERTION, "KEEL_ASSERTION", "something that must hold does not"},
    {KEEL_EVENT_CYCLE, "KEEL_EVENT_CYCLE", "the actions at one instant do not come to an end"},
    {KEEL_CHATTERING, "KEEL_CHATTERING", "events accumulate at ever shorter times"},
};

static const status_row *find(int status)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].status == status) return &table[i];
    return NULL;
}

const char *keel_status_name(int status)
{
    const status_row *row = find(status);
    return row ? row->name : "unknown status";
}

const char *keel_status_text(int status)
{
    const status_row *row = find(status);
    return row ? row->text : "unknown status";
}

const char *keel_version(void)
{
    return KEEL_VERSION;
}
