/* sweep_table.h -- the rows of a sweep as lines of a table, and the file that they are kept in until
 * the table is complete.
 *
 * NAME.rows holds a first line that says which sweep it is of, and one line for each row so far, in
 * order.  Lines are added and never changed, so that a process that is killed leaves whole lines and
 * perhaps the beginning of one more; a sweep that goes on cuts that off.  At the end the table NAME
 * is made of them in one move, and NAME.rows removed.
 */
#ifndef KEEL_CLI_SWEEP_TABLE_H
#define KEEL_CLI_SWEEP_TABLE_H

#include "cli/sweep_plan.h"

/* A line that grows. */
typedef struct line {
    char *text;                  /* owned                                      */
    size_t length, room;
    bool failed;                 /* there was no memory                        */
} line;

/* The names of all columns, and one row; both end with a newline. */
void line_header(line *l, const sweep_plan *plan, const target *first);
void line_row(line *l, const sweep_plan *plan, const target *first, const keel_sweep_row *row);
/* The row as a JSON object. */
void line_json(line *l, const sweep_plan *plan, const target *first, const keel_sweep_row *row);
void line_free(line *l);

typedef struct journal {
    const char *name;            /* of the table                               */
    char *path;                  /* NAME.rows                                  */
    FILE *file;
    long rows;                   /* in it                                      */
    long failed;                 /* of these: runs that did not come to their end */
    int error;                   /* errno of the first failure                 */
} journal;

/* Begins a journal for the table `name`, or goes on with one of the same sweep.  Returns EXIT_DONE, or
 * another exit status after saying what is wrong. */
int journal_open(journal *j, const char *name, const char *identity, const sweep_plan *plan, bool resume);
/* Adds a line; false: it could not be written. */
bool journal_add(journal *j, const char *text, size_t length);
/* Makes the table and removes the journal; EXIT_DONE or EXIT_FAILED after saying why not. */
int journal_finish(journal *j, const char *header);
/* Leaves the journal to a sweep that goes on. */
void journal_close(journal *j);

#endif
