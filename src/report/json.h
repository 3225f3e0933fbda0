/* json.h -- write one JSON document [RFC 8259], member by member.
 *
 *   json_writer w = { .file = stdout };
 *   json_begin_object(&w, NULL);
 *   json_number(&w, "t", 0.5);
 *   json_end_object(&w);              the outermost end also ends the line
 *
 * Every call takes the member's key, or NULL inside arrays and for the document itself.
 */
#ifndef KEEL_REPORT_JSON_H
#define KEEL_REPORT_JSON_H

#include <stdbool.h>
#include <stdio.h>

typedef struct json_writer {
    FILE *file;
    int depth;                   /* open objects and arrays                  */
    bool follows;                /* a member precedes in the innermost one   */
    bool in_page;                /* inside of HTML, where "</script>" ends it: "<" is escaped */
} json_writer;

void json_begin_object(json_writer *w, const char *key);
void json_end_object(json_writer *w);
void json_begin_array(json_writer *w, const char *key);
void json_end_array(json_writer *w);

void json_string(json_writer *w, const char *key, const char *text);   /* NULL: null */
void json_number(json_writer *w, const char *key, double value);       /* not finite: null */
void json_integer(json_writer *w, const char *key, long value);
void json_bool(json_writer *w, const char *key, bool value);

void json_numbers(json_writer *w, const char *key, const double *values, int count);
void json_strings(json_writer *w, const char *key, const char *const *texts, int count);

#endif
