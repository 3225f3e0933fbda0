/* refusal.c -- the sentence of a command that does no work. */
#include "cli/refusal.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/verbs.h"
#include "core/number.h"
#include "core/text.h"
#include "keel/status.h"
#include "report/json.h"

static bool as_json;             /* of the process: whoever refuses need not know the arguments */

void refuse_as_json(bool yes)
{
    as_json = yes;
}

static _Thread_local struct { char *text; size_t room; } heard;

void refuse_into(char *text, size_t room)
{
    heard.text = text;
    heard.room = room;
}

bool refused_into_text(void)
{
    return heard.text != NULL;
}

static int say(int code, const char *verb, const char *status, const char *message)
{
    char shown[4000];
    if (heard.text) {
        snprintf(heard.text, heard.room, "%s", message);
        return code;
    }
    if (as_json) {
        json_writer w = {.file = stdout};
        json_begin_object(&w, NULL);
        json_string(&w, "verb", verb);
        json_string(&w, "status", status);
        json_string(&w, "message", message);
        json_end_object(&w);
        fflush(stdout);
    }
    text_show(shown, sizeof shown, message);
    fprintf(stderr, "keel%s%s: %s\n", verb ? " " : "", verb ? verb : "", shown);
    return code;
}

int refuse(int code, const char *verb, const char *status, const char *format, ...)
{
    char message[2000];
    va_list values;
    va_start(values, format);
    number_print_list(message, sizeof message, format, values);
    va_end(values);
    return say(code, verb, status, message);
}

int usage_error(const char *verb, const char *format, ...)
{
    char message[2000];
    va_list values;
    va_start(values, format);
    number_print_list(message, sizeof message, format, values);
    va_end(values);
    return say(EXIT_USAGE, verb, "usage", message);
}

int refuse_status(const char *verb, int status, const char *message)
{
    char word[32];
    return refuse(EXIT_FAILED, verb, status_word(status, word), "%s: %s", keel_status_name(status),
                  message);
}

const char *status_word(int status, char text[32])
{
    if (status == KEEL_OK) return "ok";
    const char *name = keel_status_name(status);
    if (strncmp(name, "KEEL_", 5) == 0) name += 5;
    snprintf(text, 32, "%s", name);
    for (char *c = text; *c; c++)
        *c = *c == '_' || *c == ' ' ? '-' : (char)tolower((unsigned char)*c);
    return text;
}
