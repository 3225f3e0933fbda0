/* verbs.h -- the verbs of the command; each gets the arguments after its name. */
#ifndef KEEL_CLI_VERBS_H
#define KEEL_CLI_VERBS_H

/* What the process returns. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_INTERRUPTED = 130 };

int run_command(int argc, char **argv);
int sweep_command(int argc, char **argv);
int bvp_command(int argc, char **argv);
int converge_command(int argc, char **argv);
int compare_command(int argc, char **argv);
int manifold_command(int argc, char **argv);
int check_command(int argc, char **argv);
int new_command(int argc, char **argv);
int problems_command(int argc, char **argv);
int methods_command(int argc, char **argv);
int method_command(int argc, char **argv);

#endif
