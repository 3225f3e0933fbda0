/* templates.h -- the files that `keel new` writes, one per form; made from templates/. */
#ifndef KEEL_CLI_TEMPLATES_H
#define KEEL_CLI_TEMPLATES_H

typedef struct file_template {
    const char *form;            /* NULL behind the last                       */
    const char *const *lines;    /* NULL behind the last                       */
} file_template;

/* @FILE@ in the lines stands for the name of the file, @NAME@ for that of the problem. */
extern const file_template file_templates[];

#endif
