/* 10: the table of options, which bindings and programs can read; prints that of docs/options.md. */
#include <keel/keel.h>
#include <stdio.h>
#include <string.h>

/* The field of keel_options has the name of the option with _ for -. */
static void field_name(const char *name, char *field, size_t size)
{
    snprintf(field, size, "%s", name);
    for (char *dash = field; (dash = strchr(dash, '-')); ) *dash = '_';
}

/* The values that are allowed. */
static void print_range(const keel_option *option)
{
    if (option->kind == KEEL_OPTION_CHOICE) {
        for (const char *c = option->choices; *c; c++) {
            if (*c == '|') printf(", ");
            else putchar(*c);
        }
    } else if (option->kind == KEEL_OPTION_TEXT) printf("a name");
    else if (option->kind == KEEL_OPTION_FLAG) printf("0, 1");
    else if (option->most > 1e15) printf("> 0");
    else printf("%g to %g", option->least, option->most);
}

/* A default of 0 stands for one that the help explains; that of a choice is the first. */
static void print_default(const keel_option *option)
{
    if (option->kind == KEEL_OPTION_CHOICE)
        printf("%.*s", (int)strcspn(option->choices, "|"), option->choices);
    else if (option->standard != 0) printf("%g", option->standard);
}

int main(void)
{
    int count;
    const keel_option *options = keel_option_table(&count);
    printf("| option | field | values | default | |\n|---|---|---|---|---|\n");
    for (int i = 0; i < count; i++) {
        char field[64];
        field_name(options[i].name, field, sizeof field);
        printf("| `--%s` | `%s` | ", options[i].name, field);
        print_range(&options[i]);
        printf(" | ");
        print_default(&options[i]);
        printf(" | %s |\n", options[i].help);
    }
    return count > 0 ? 0 : 1;
}
