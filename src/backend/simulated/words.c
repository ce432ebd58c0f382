/* The words of the format: the API's enumerators, taken from the registry. See read.h. */
#include "backend/simulated/read.h"

#include "ddi/geo_ddi.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Returns whether this is the last enumerator, which only fixes the type's size. */
static bool is_filler(const struct geo_ddi_value *value)
{
    return value->value == 0x7fffffff;
}

/* Returns the length of the prefix that all enumerators share, up to an underscore. The last
 * enumerator is included, so that later additions do not change the words. */
static size_t prefix_length(const struct geo_ddi_enum *type)
{
    const struct geo_ddi_value *values = &geo_ddi_values[type->value_first];
    size_t length = strlen(values[0].name);
    for (uint32_t i = 1; i < type->value_count; i++) {
        size_t same = 0;
        while (same < length && values[i].name[same] == values[0].name[same]) {
            same++;
        }
        length = same;
    }
    while (length > 0 && values[0].name[length - 1] != '_') {
        length--;
    }
    return length;
}

/* Writes the rest of an enumerator's name in lower case. */
static void word_write(const char *rest, char *out, size_t size)
{
    snprintf(out, size, "%s", rest);
    for (char *c = out; *c; c++) {
        *c = (char)tolower((unsigned char)*c);
    }
}

const char *sim_word(const char *type, uint32_t number, char *out, size_t size, int64_t *value)
{
    const struct geo_ddi_enum *found = geo_ddi_enum_find(type);
    if (!found || number >= found->value_count ||
        is_filler(&geo_ddi_values[found->value_first + number])) {
        return NULL;
    }
    const struct geo_ddi_value *at = &geo_ddi_values[found->value_first + number];
    word_write(at->name + prefix_length(found), out, size);
    *value = at->value;
    return out;
}

bool sim_word_find(const char *type, const char *text, double *out)
{
    const struct geo_ddi_enum *found = geo_ddi_enum_find(type);
    const size_t prefix = found ? prefix_length(found) : 0;
    char word[96];
    for (uint32_t i = 0; found && i < found->value_count; i++) {
        const struct geo_ddi_value *at = &geo_ddi_values[found->value_first + i];
        word_write(at->name + prefix, word, sizeof(word));
        if (!is_filler(at) && strcmp(word, text) == 0) {
            *out = at->value;
            return true;
        }
    }
    return false;
}
