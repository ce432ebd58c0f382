/* The driver's inventory: ZE_AFFINITY_MASK is read, once, when it is filled. See affinity.h. */
#include "driver/core/affinity.h"

#include "base/log.h"

#include <string.h>

/* One entry "d" without blanks around; false for anything else. At most nine digits count. */
static bool entry_parse(const char *text, size_t length, uint32_t *ordinal)
{
    if (length == 0 || length > 9) {
        return false;
    }
    *ordinal = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return false;
        }
        *ordinal = *ordinal * 10 + (uint32_t)(text[i] - '0');
    }
    return true;
}

static void entry_trim(const char **text, size_t *length)
{
    while (*length && (**text == ' ' || **text == '\t')) {
        (*text)++;
        (*length)--;
    }
    while (*length && ((*text)[*length - 1] == ' ' || (*text)[*length - 1] == '\t')) {
        (*length)--;
    }
}

uint32_t geo_affinity_select(const char *mask, uint32_t count, bool *selected)
{
    bool all = !mask || *mask == '\0';
    for (uint32_t i = 0; i < count; i++) {
        selected[i] = all;
    }
    for (const char *at = mask; !all && at;) {
        const char *comma = strchr(at, ',');
        const char *text = at;
        size_t length = comma ? (size_t)(comma - at) : strlen(at);
        entry_trim(&text, &length);
        uint32_t ordinal;
        if (entry_parse(text, length, &ordinal) && ordinal < count) {
            selected[ordinal] = true;
        } else {
            geo_log("driver", GEO_LOG_WARN, "ZE_AFFINITY_MASK entry \"%.*s\" names no device",
                    (int)(length < 64 ? length : 64), text);
        }
        at = comma ? comma + 1 : NULL;
    }
    uint32_t chosen = 0;
    for (uint32_t i = 0; i < count; i++) {
        chosen += selected[i];
    }
    return chosen;
}
