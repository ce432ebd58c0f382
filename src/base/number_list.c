/* Parses lists of numbers and ranges. See number_list.h. */
#include "base/number_list.h"

#include <stdlib.h>

/* Parses a decimal number without sign or leading space. */
static bool number_next(const char **text, uint64_t *number)
{
    if (**text < '0' || **text > '9') {
        return false;
    }
    char *end;
    *number = strtoull(*text, &end, 10); /* ULLONG_MAX when it does not fit */
    *text = end;
    return true;
}

bool geo_number_list_next(const char **text, uint64_t *first, uint64_t *last)
{
    if (!number_next(text, first)) {
        return false;
    }
    *last = *first;
    if (**text != '-') {
        return true;
    }
    ++*text;
    return number_next(text, last);
}

bool geo_number_list_parse(const char *text, uint32_t limit,
                           void (*set)(void *data, uint32_t number), void *data)
{
    for (;;) {
        uint64_t first, last;
        if (!geo_number_list_next(&text, &first, &last)) {
            return false;
        }
        for (uint64_t i = first; i <= last && i < limit; i++) {
            set(data, (uint32_t)i);
        }
        if (*text == '\0' || (*text == '\n' && text[1] == '\0')) {
            return true;
        }
        if (*text != ',' && *text != ' ') {
            return false;
        }
        text++;
    }
}
