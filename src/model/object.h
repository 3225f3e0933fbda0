/* object.h -- a keel_model: the text, what was found in it, and the problem that came out. */
#ifndef KEEL_MODEL_OBJECT_H
#define KEEL_MODEL_OBJECT_H

#include "core/message.h"
#include "keel/model.h"
#include "model/discrete.h"
#include "model/evaluation.h"
#include "model/levels.h"
#include "model/nonzeros.h"
#include "model/system.h"

/* A condition of the start, or a value that it begins with. */
typedef struct plan_entry {
    keel_model_given given;
    int variable, initial;               /* of the flat model, or -1; its initial equation, or -1 */
    int unknown;                         /* of the problem, or -1                               */
    double value;
} plan_entry;

typedef struct plan {
    double *y;
    keel_mark *marks;
    plan_entry *entry;
    int entries, room;
    expr *equation;                      /* residuals                                           */
    char **name;
    int equations;
    int conditions;                      /* fixed values and equations                          */
    buffer remark;
} plan;

/* Where a variable should be. */
typedef struct model_bound {
    int variable;
    double least, most;                  /* infinite: not given                                 */
} model_bound;

/* Parts that evaluations of a mechanical problem ask for together: tapes, smallest first. */
enum { MECHANICAL_TAPES = 6 };
extern const unsigned mechanical_tapes[MECHANICAL_TAPES];

/* Numbers of tapes in the evaluation, -1: there is none. */
typedef struct programs {
    int rate, level[KEEL_LEVELS_MOST], jacobian, level_jacobian[KEEL_LEVELS_MOST];
    int signals, start, output, watch, bounds;
    int *item, *fires, *action;
    int parts[MECHANICAL_TAPES], force_jacobian;       /* of a mechanical problem              */
    int callbacks;                       /* how many of the first tapes steps run               */
    int acting_needs;                    /* what happens at events contains what is solved      */
} programs;

typedef struct override { char *name, *value; } override;
typedef struct start_override { char *name; double value; } start_override;

struct keel_model {
    keel_frame plain;                    /* what callbacks of problems without a frame get      */
    message message;
    source *source;
    int text, status, built;
    int levelled;                        /* nonzero: no special form is looked for              */
    int lambda_set;                      /* nonzero: homotopy is a mixture [homotopy.c]         */
    double lambda;                       /* part of `actual` in it                              */
    int start_sought;                    /* nonzero: homotopy was followed, or not needed       */
    char *path, *class_name;
    override *parameter;
    int parameters;
    start_override *start;
    int starts;
    buffer all_messages;

    flat_model *flat;
    model_system system;
    mechanical mechanical;
    levels levels;
    discrete discrete;
    evaluation evaluation;
    programs programs;
    nonzeros jacobian, level_jacobian[KEEL_LEVELS_MOST];  /* output k of a tape is the k-th value */
    int clock_only;                      /* nonzero: y is the time alone                        */
    const char **names, **row_names;
    char **made;                         /* names that were made here                           */
    int made_count;
    keel_pattern pattern;
    int *column_start, *row_index;
    plan plan;
    model_bound *bound;                  /* of variables that have one                          */
    int bounds;
    int *mode_start;
    double *value_start;
    const char **mode_names, **value_names, **switch_names, **clock_names;
    keel_clock *clock;
    keel_problem *problem;
    const char *reason;
    buffer shown;                        /* for answers                                         */
    struct native *native;               /* compiled callbacks, or their compiler at work       */
};

static inline keel_model *model_of(const void *context)
{
    return ((const keel_frame *)context)->context;
}

static inline model_point point_at(const void *context, double t, const double *y, const double *z)
{
    const keel_frame *f = context;
    return (model_point){t, y, z, f->modes, f->pre_modes, f->values, f->pre_values, 0};
}

/* All return KEEL_OK, KEEL_BAD_ARGUMENT after a message, or KEEL_NO_MEMORY. */
int programs_compile(keel_model *m);
int plan_make(keel_model *m);
int bounds_compile(keel_model *m);
int plan_equations(double t, const double *y, const double *yp, double *value, void *context);
/* Start values and conditions as planned. */
int model_start_spec(keel_model *m, keel_start_spec *spec);
/* The same text, parameters and start values with a mixture in place of homotopy; NULL without memory. */
keel_model *model_at(const keel_model *m, double lambda);
int homotopy_occurs(const pool *p);
void homotopy_mix(pool *p, double lambda);
/* Start values that homotopy leads to, if there are no others; on failure a message of the model. */
int homotopy_start(keel_model *m);
int discrete_begin(keel_model *m);       /* where modes and values begin */
int problem_make(keel_model *m);
/* A problem with M, f, g and G; patterns are left to the model. */
int mechanical_make(keel_model *m, keel_problem **problem, keel_frame_spec frame, void *context);
/* Accelerations at a point: evaluation.solve; NAN where M is singular. */
void mechanical_accelerations(void *model, workspace *w, const model_point *p, double *a);

int model_switches(double t, const double *y, const double *yp, double *s, void *context);
int model_next_time(double t, double *next, void *context);
int model_action(keel_event *event, void *context);
int model_watch(double t, const double *y, const double *yp, char *text, int size, void *context);

/* Ends the compiler, and forgets what it made. */
void native_free(keel_model *m);

/* A name that belongs to the model; NULL without memory. */
const char *model_keep(keel_model *m, const char *text);
/* min and max of a variable. */
model_bound bound_of(keel_model *m, int variable);
/* Where it stands in the text; 0: nowhere. */
int model_line(const keel_model *m, span where);
/* Unknown of the problem that a variable is, up to the sign; -1: it is none. */
int model_unknown(const keel_model *m, int variable);

#endif
