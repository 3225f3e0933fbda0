/* reader.h -- what the files that turn a parsed text into a flat model share.
 *
 * Order of work: parse; instantiate the class that is run (a tree of instances with their
 * modifications, sizes and conditions evaluated on the way, on demand); flatten its variables;
 * flatten its equations, connections last.
 */
#ifndef KEEL_MODEL_READER_H
#define KEEL_MODEL_READER_H

#include "model/flat.h"
#include "model/value.h"

typedef struct instance instance;
typedef struct frame frame;

typedef struct loop { const char *name; value value; const struct loop *next; } loop;

/* Where an expression stands: names are looked up in the loops, in the function that is executed,
 * in the instance, and in the classes around. */
typedef struct context {
    struct reader *r;
    instance *self;                      /* NULL: in a class, where there are constants only   */
    const ast_class *lexical;
    const loop *loops;
    frame *frame;                        /* an algorithm is being executed; NULL: none         */
    int end;                             /* what `end` means in a subscript; -1: nothing       */
} context;

/* Where a modification value goes when it is handed to elements and fields: index (>= 0) or field. */
typedef struct step { const struct step *before; const char *field; int index; } step;

/* One modification that acts on an instance; first ones win. */
typedef struct layer {
    const ast_modification *modification;
    instance *self;
    const ast_class *lexical;
    const step *path, *path_before;      /* path_before: without the last component, for `each` */
    unsigned char final_;
    span where;
    struct layer *next;
} layer;

enum { FRESH, BUSY, DONE };
/* in_class: only constants exist; GHOST: a record for its type and defaults, no variables. */
enum { IN_CLASS = 1, GHOST = 2 };

struct instance {
    const char *name;
    instance *parent;                    /* NULL: the model, or a class with constants         */
    const int *index;                    /* element of an array of components: its subscripts  */
    const ast_component *component;
    const ast_class *class_;             /* of what has members                                */
    value_type type;                     /* kind != RECORD: a leaf                             */
    ast_prefix prefix;
    layer *layer;
    const ast_expr **dimension;          /* all dimensions as written, with where they stand   */
    const context *dimension_context;
    int rank;
    int *dim;
    const ast_class **index_type;        /* per dimension: enumeration or Boolean, else NULL    */
    unsigned char shape_state, members_state, bind_state, absent, in_class, is_element, connector;
    instance **member;
    int members, member_room;
    instance **slot;                     /* hash table of members                              */
    int slots;
    instance **element;                  /* array of components: its elements                  */
    uint32_t first;                      /* leaf: number of its first variable                 */
    int numbered;
    expr *constant;                      /* leaf that is a constant: its values                */
    int unit;
    const char *path;
};

typedef struct trail { expr *at; expr old; } trail;

typedef struct local {                   /* a variable of a function                           */
    const ast_component *component;
    value_type type;
    int unit, rank, *dim, count;
    expr *cell;                          /* 0: not assigned yet                                */
    unsigned char flexible;              /* a dimension is `:`                                 */
} local;

struct frame {
    const ast_class *function;           /* NULL: an algorithm section of a model              */
    local *local;
    int locals;
    int depth;
    int initial;                         /* an initial algorithm                               */
    frame *caller;
};

typedef struct connection connection;

typedef struct limits {
    int scalars;                         /* of one array, of all variables, of all equations   */
    long work;                           /* expressions that are looked at                     */
    size_t memory;                       /* bytes                                              */
} limits;

typedef struct reader {
    region keep, scratch;                /* as long as the model; as long as an equation       */
    jmp_buf stop;
    int why;                             /* it stopped: REGION_FULL ... or STOP_WORK ...       */
    names names;
    source *s;
    ast_class *root, *builtin, *library;
    flat_model *m;
    pool *p;
    instance *top;
    limits limits;
    long work;
    int depth;                           /* of the recursion                                   */
    const char *working_on;              /* what is being read, for the message when it is too much */
    int variable_room, equation_room, initial_room, when_room, branch_room, action_room, assert_room,
        function_room, call_room;
    instance **leaf;                     /* variable to its leaf                               */
    int leaf_room;
    /* algorithms */
    expr *assigned;                      /* per variable: its value in the algorithm so far    */
    struct assignments *assignment;      /* per variable: how often it is assigned             */
    trail *trail;
    int trails, trail_room;
    struct actions *in_when;             /* of the when-statement that is executed; NULL: none */
    int undecided;                       /* branches around that are decided in the run        */
    expr guard;                          /* their conditions; 0: none                          */
    int numeric;                         /* a function is being computed, not translated       */
    struct computer *computer;
    /* parameters as numbers */
    double *known;
    unsigned char *known_state;
    uint32_t known_room;
    uint32_t *visited, visit;            /* per expression: the last visit that saw it; visits     */
    const char **text;                   /* String values                                      */
    int texts, text_room;
    struct unit *unit;
    int units, unit_room;
    struct cached *cached;               /* values of modifications that elements share        */
    int cached_slots, cached_count;
    connection *connection;
    int connections, connection_room;
    const flat_override *override;
    char *override_used;
    int overrides;
    const char *indices;                 /* "i = 1" of the for-equations around                */
    const char *from;                    /* the component whose equations are read             */
    struct made_function **made;         /* functions that are called                          */
    int made_count, made_room;
    unsigned char *shadowed;             /* functions of the language whose name a class has    */
    const char *chars;                   /* the text, for functions that are called            */
    size_t length;
} reader;

/* ---- reader.c ---- */
__attribute__((noreturn)) void reader_stop(reader *r, int why);
enum { STOP_WORK = 3, STOP_POOL = 4, STOP_SCALARS = 5 };
enum { STOP_DEPTH = 6 };
void reader_work(reader *r, long amount);
void reader_enter(reader *r);            /* one level deeper; leave by r->depth-- */
void reader_leave(reader *r);
const char *reader_name(reader *r, const char *text);                /* interned */
/* "; did you mean `x`?" if one of the names is near enough, else "". */
const char *reader_suggestion(reader *r, const char *name, const char *const *among, int count);
expr reader_text(reader *r, const char *text);                       /* a String as a constant */
const char *reader_text_of(reader *r, expr e);
context context_of(reader *r, instance *self, const ast_class *lexical);
__attribute__((format(printf, 3, 4)))
value complain(const context *c, span where, const char *format, ...);    /* an error; value_error */

/* ---- scope.c ---- */
ast_class *scope_class(reader *r, const ast_class *from, const ast_name *name, int parts);
ast_class *scope_class_or_say(reader *r, const ast_class *from, const ast_name *name);
ast_class *scope_nested(reader *r, const ast_class *c, const char *name);
const ast_component *scope_component(reader *r, const ast_class *c, const char *name);
/* The class itself, or what it is another name of. */
const ast_class *scope_target(reader *r, const ast_class *c);
int scope_is_package(const ast_class *c);
const char *scope_path(reader *r, const ast_class *c);
ast_class *scope_base(reader *r, const ast_class *c, int extends);
/* Names that can be seen from there. */
const char **scope_names(const context *c, int *count);

/* ---- instance.c ---- */
instance *instance_root(reader *r, const ast_class *c);
instance *instance_of_class(reader *r, const ast_class *c);          /* for its constants */
void instance_expand(reader *r, instance *i);
instance *instance_find(reader *r, instance *i, const char *name);   /* a member, or NULL */
int instance_shape(reader *r, instance *i);                          /* 0, or -1: said */
const char *instance_path(reader *r, instance *i);
int instance_is_leaf(const instance *i);
int instance_elements(const instance *i);
layer *layers_for(reader *r, const layer *all, const char *name);
value layer_value(reader *r, const layer *l);

/* ---- leaf.c ---- */
void leaf_number(reader *r, instance *leaf);
void leaf_bind(reader *r, instance *leaf);
void leaf_describe(reader *r, instance *leaf);                       /* attributes */
void leaf_equation(reader *r, instance *leaf);                       /* of a declaration */

/* ---- known.c ---- */
int known_value(reader *r, expr e, double *number);                  /* 1: it is a number */
int known_structural(reader *r, expr e, double *number);             /* marks its parameters */
int known_choice(reader *r, expr e, double *number);                 /* of Integers, Booleans: decided now */
int known_is_timed(reader *r, expr e);                               /* ... and time only */
int known_integer(const context *c, const ast_expr *e, int *number);
int known_is_parameter(reader *r, expr e);                           /* parameters and constants only */

/* ---- scalar.c and the files beside it ---- */
value scalar_value(const context *c, const ast_expr *e);
value scalar_reference(const context *c, const ast_expr *e);
value scalar_call(const context *c, const ast_expr *e);
value scalar_real(const context *c, value v);
expr scalar_condition(const context *c, const ast_expr *e);
value scalar_binary(const context *c, span where, token_kind op, const value *a, const value *b);
value scalar_if(const context *c, span where, expr condition, const value *a, const value *b);
value scalar_range(const context *c, const ast_expr *e);
value scalar_comprehension(const context *c, const ast_expr *e);
int scalar_each(const context *c, const ast_iterator *it, int iterators,
                int (*act)(const context *c, void *data), void *data, int *sizes);

#endif
