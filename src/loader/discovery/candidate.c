/* Lists of driver candidates, and the comma-separated lists in environment variables. See
 * candidate.h. */
#include "loader/discovery/candidate.h"

#include "base/array.h"
#include "base/assert.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *geo_candidate_origin_text(enum geo_candidate_origin from)
{
    switch (from) {
    case GEO_FROM_ALT_DRIVERS:
        return "named by ZE_ENABLE_ALT_DRIVERS";
    case GEO_FROM_NULL_DRIVER:
        return "asked for by ZE_ENABLE_NULL_DRIVER";
    case GEO_FROM_KNOWN_NAME:
        return "established driver name";
    case GEO_FROM_MANIFEST:
        return "manifest";
    case GEO_FROM_HOME:
        return "delivered with the loader";
    case GEO_FROM_LAYER:
        return "layer";
    }
    return "unknown";
}

bool geo_candidate_is_valid(const struct geo_candidate *candidate)
{
    const bool is_manifest = candidate->manifest != NULL;
    return candidate->name && is_manifest == (candidate->from == GEO_FROM_MANIFEST) &&
           (is_manifest || !(candidate->label || candidate->refusal || candidate->declared));
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

struct geo_discovery_part geo_candidate_cut(struct geo_discovery_part *rest, char separator)
{
    const char *end = memchr(rest->text, separator, rest->length);
    struct geo_discovery_part part = {rest->text, end ? (size_t)(end - rest->text) : rest->length};
    size_t gone = part.length + (end != NULL);
    rest->text += gone;
    rest->length -= gone;
    while (part.length && is_blank(part.text[0])) {
        part.text++;
        part.length--;
    }
    while (part.length && is_blank(part.text[part.length - 1])) {
        part.length--;
    }
    return part;
}

bool geo_candidates_take(struct geo_candidates *candidates, const struct geo_candidate *candidate)
{
    struct geo_candidate taken = *candidate;
    GEO_ASSERT(geo_candidate_is_valid(candidate));
    if (!geo_array_reserve(candidates, 1)) {
        geo_candidate_finish(&taken);
        return false;
    }
    candidates->items[candidates->count++] = taken;
    return true;
}

bool geo_candidates_add(struct geo_candidates *candidates, enum geo_candidate_origin from,
                        const char *name, size_t length)
{
    struct geo_candidate candidate = {.name = strndup(name, length), .from = from};
    return candidate.name && geo_candidates_take(candidates, &candidate);
}

char *geo_candidate_text(const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text) {
        vsnprintf(text, (size_t)length + 1, format, again);
    }
    va_end(again);
    va_end(args);
    return text;
}

void geo_candidate_finish(struct geo_candidate *candidate)
{
    free(candidate->name);
    free(candidate->manifest);
    free(candidate->label);
    free(candidate->refusal);
    *candidate = (struct geo_candidate){0};
}

void geo_candidates_finish(struct geo_candidates *candidates)
{
    for (size_t i = 0; i < candidates->count; i++) {
        geo_candidate_finish(&candidates->items[i]);
    }
    geo_array_finish(candidates);
}
