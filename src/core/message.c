#include "core/message.h"

#include <stdarg.h>
#include <stdio.h>

int fail(message *m, int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(m->text, sizeof m->text, format, arguments);
    va_end(arguments);
    return status;
}
