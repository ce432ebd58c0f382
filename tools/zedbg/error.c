/* Keeps the text of the last error. See error.h. */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>

static char text[512];

bool error_set(const char *format, ...)
{
    char made[sizeof(text)]; /* an argument may be the old text */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(made, sizeof(made), format, arguments);
    va_end(arguments);
    snprintf(text, sizeof(text), "%s", made);
    return false;
}

const char *error_text(void)
{
    return text;
}
