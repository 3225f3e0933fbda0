/* interrupt.h -- Ctrl-C: the first one ends the work at its next step or row, a second one the process. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

void interrupt_watch(void);
bool interrupt_requested(void);

#endif
