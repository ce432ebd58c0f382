/* Parses lists of numbers and ranges. See number_list.h. */
#include "backend/cpu/sysman/number_list.h"

#include <stdlib.h>

bool geo_number_list_parse(const char *text, uint32_t limit,
                           void (*set)(void *data, uint32_t number), void *data)
{
    do {
        char *end;
        unsigned long first = strtoul(text, &end, 10), last = first;
        if (end == text) {
            return false;
        }
        if (*end == '-') {
            text = end + 1;
            last = strtoul(text, &end, 10);
            if (end == text) {
                return false;
            }
        }
        for (unsigned long i = first; i <= last && i < limit; i++) {
            set(data, (uint32_t)i);
        }
        text = *end == ',' || *end == ' ' ? end + 1 : end;
        if (text == end && *end != '\0') {
            return false;
        }
    } while (*text != '\0');
    return true;
}
