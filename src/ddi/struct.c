/* Structures and structure types: which type identifies which structure, and which structure may
 * extend which. */
#include <string.h>

#include "ddi/geo_ddi_internal.h"

const struct geo_ddi_struct *geo_ddi_struct_find(const char *name)
{
    for (size_t i = 0; i < GEO_DDI_STRUCT_COUNT; i++) {
        if (strcmp(geo_ddi_structs[i].name, name) == 0) {
            return &geo_ddi_structs[i];
        }
    }
    return NULL;
}

/* geo_ddi_stypes is sorted by API, then by number. */
static const struct geo_ddi_stype *stype_find(enum geo_ddi_api api, uint32_t stype)
{
    size_t first = 0;
    size_t end = GEO_DDI_STYPE_COUNT;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        const struct geo_ddi_stype *s = &geo_ddi_stypes[middle];
        if (s->api == api && s->value == stype) {
            return s;
        }
        if (s->api < api || (s->api == api && s->value < stype)) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return NULL;
}

const struct geo_ddi_struct *geo_ddi_stype_struct(enum geo_ddi_api api, uint32_t stype)
{
    const struct geo_ddi_stype *s = stype_find(api, stype);
    return s ? &geo_ddi_structs[s->index] : NULL;
}

const char *geo_ddi_stype_name(enum geo_ddi_api api, uint32_t stype)
{
    const struct geo_ddi_stype *s = stype_find(api, stype);
    return s ? s->name : NULL;
}

static bool extends_place(const struct geo_ddi_struct *extension, size_t place)
{
    for (size_t i = 0; i < extension->extends_count; i++) {
        if (geo_ddi_extends[extension->extends_first + i] == place) {
            return true;
        }
    }
    return false;
}

bool geo_ddi_struct_extends(const struct geo_ddi_struct *extension,
                            const struct geo_ddi_struct *base)
{
    return extends_place(extension, (size_t)(base - geo_ddi_structs));
}

bool geo_ddi_struct_follows(const struct geo_ddi_struct *extension,
                            const struct geo_ddi_struct *base)
{
    for (size_t i = 0; i < extension->extends_count; i++) {
        const size_t place = geo_ddi_extends[extension->extends_first + i];
        if (place < GEO_DDI_STRUCT_COUNT &&
            (&geo_ddi_structs[place] == base ||
             geo_ddi_struct_extends(&geo_ddi_structs[place], base))) {
            return true;
        }
    }
    return false;
}

bool geo_ddi_struct_extends_call(const struct geo_ddi_struct *extension,
                                 enum geo_ddi_function_id function)
{
    return extends_place(extension, (size_t)GEO_DDI_STRUCT_COUNT + function);
}
