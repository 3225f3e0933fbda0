/* method_report.h -- a method and what is known about it, for people and for programs. */
#ifndef KEEL_CLI_METHOD_REPORT_H
#define KEEL_CLI_METHOD_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "keel/keel.h"
#include "report/json.h"

typedef struct method_report {
    const keel_method *method;
    const keel_general_linear *matrices;         /* of every method                          */
    keel_general_analysis general;
    const keel_tableau *tableau;                 /* Runge-Kutta methods, else NULL           */
    keel_analysis analysis;
    const keel_multistep *formula;               /* multistep methods, else NULL             */
    const char *family, *summary, *citation;     /* any may be NULL                          */
} method_report;

/* Texts of the method itself win over those of `info`, which may be NULL.  A status. */
int method_report_of(method_report *r, const keel_method *method, const keel_method_info *info);

/* Whether the tableau has less than the order that it claims. */
bool order_refuted(const method_report *r);

void method_print(const method_report *r, FILE *file);
/* One object, without coefficients and predicted orders if `brief`. */
void method_json(json_writer *w, const method_report *r, bool brief);
/* The same for a name that stands for several methods: its texts. */
void variable_json(json_writer *w, const keel_method_info *info);

/* "embedded", "added", "doubling", "carried", "none": for programs. */
const char *estimate_word(keel_estimate estimate);

/* The cases of the table of predicted orders; index 1 knows no projection. */
typedef struct order_row {
    const char *title;
    bool nonlinear, projected;
    keel_multipliers multipliers;
} order_row;

enum { ORDER_ROWS = 8 };
extern const order_row order_rows[ORDER_ROWS];
/* Of index 0 to 3. */
extern const char *const order_groups[4][3];

/* "yes", "no" or "undecided". */
const char *decided(int property);

#endif
