#include "core/message.h"

#include <stdarg.h>

#include "core/number.h"
#include "core/text.h"

int fail(message *m, int status, const char *format, ...)
{
    char formatted[sizeof m->text];              /* the old message may be a part of the new one */
    va_list arguments;
    va_start(arguments, format);
    formatted[0] = '\0';
    number_print_list(formatted, sizeof formatted, format, arguments);
    va_end(arguments);
    text_show(m->text, sizeof m->text, formatted);
    return status;
}
