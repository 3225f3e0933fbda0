/* terminal.h -- standard output and error where the locale has no UTF-8: ASCII only. */
#ifndef KEEL_CLI_TERMINAL_H
#define KEEL_CLI_TERMINAL_H

/* To be called before anything is printed.  Files are not concerned: they are UTF-8 everywhere. */
void terminal_begin(void);

#endif
