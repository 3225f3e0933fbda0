/* convergence.h -- orders of convergence, measured: the runs of keel converge, and their report. */
#ifndef KEEL_CLI_CONVERGENCE_H
#define KEEL_CLI_CONVERGENCE_H

#include "cli/levels.h"
#include "cli/method_facts.h"
#include "cli/study.h"
#include "report/output.h"

enum { EXPERIMENTS_MOST = 3, HALVINGS_MOST = 24 };

/* One way of integrating, at all step sizes. */
typedef struct experiment {
    char title[80], label[40];   /* for tables, for pictures                           */
    keel_options options;
    int predicted[3];            /* by group                                           */
    int count;
    study_run *run;
} experiment;

typedef struct convergence {
    study study;
    const char *method;
    bool known;                  /* the method is one, with these facts                */
    keel_general_analysis facts;
    int ratio;                   /* of one step size to the next                       */
    bool scaled;                 /* errors are shown divided by a power of h           */
    int experiments;
    experiment experiment[EXPERIMENTS_MOST];
    bool interrupted;
} convergence;

static inline bool is_projected(const keel_options *options)
{
    return options->projection != KEEL_PROJECT_NONE;
}

/* "hidden", "recursion", ... */
const char *multipliers_word(const keel_options *options);

void convergence_print(const convergence *c);
void convergence_json(const convergence *c);
/* What failed, on standard error. */
void convergence_failures(const convergence *c);
/* 0, or -1 after a complaint. */
int convergence_draw(const convergence *c, output *file);

#endif
