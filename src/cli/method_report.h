/* method_report.h -- a method and what is known about it, for people and for programs. */
#ifndef KEEL_CLI_METHOD_REPORT_H
#define KEEL_CLI_METHOD_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "keel/method.h"
#include "report/json.h"

typedef struct method_report {
    const keel_method *method;
    const keel_tableau *tableau;
    keel_analysis analysis;
    const char *family, *summary, *citation;     /* any may be NULL                          */
} method_report;

/* Whether the tableau has less than the order that it claims. */
bool order_refuted(const method_report *r);

void method_print(const method_report *r, FILE *file);
/* One object, without the tableau if `brief`. */
void method_json(json_writer *w, const method_report *r, bool brief);

/* "embedded", "added", "doubling", for lists and programs. */
const char *estimate_word(keel_estimate estimate);

#endif
