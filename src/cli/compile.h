/* compile.h -- C source of a user's own problem to a shared object, with the system's compiler. */
#ifndef KEEL_CLI_COMPILE_H
#define KEEL_CLI_COMPILE_H

/* Compiles `name` with $CC or cc, and $CFLAGS, into the user's cache, and says the command on
 * standard error; unless what is there was made of the same source, headers and command.  *object
 * is its path, to be freed.  Returns EXIT_DONE, or EXIT_FAILED after saying what is wrong, below
 * what the compiler says. */
int compile_target(const char *verb, const char *name, char **object);

#endif
