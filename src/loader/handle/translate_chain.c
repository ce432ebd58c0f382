/* Translates handles behind untyped pointers: in chains of structures, and as values of kernel
 * arguments. See translate.h.
 *
 * The value of an image or sampler argument is its handle, but nothing in the call says so. Each
 * value is looked up among the records. Records are memory of the loader, so no other value can be
 * mistaken for a handle. */
#include "loader/handle/translate.h"

#include "base/assert.h"
#include "ddi/geo_ddi_chain.h"

#include <stdlib.h>
#include <string.h>

static bool value_find(const struct geo_handle *lead, void *value, void **driver)
{
    struct geo_translation *translation = geo_handle_translation(lead);
    const struct geo_handle *handle =
        geo_handle_find(translation, GEO_DDI_HANDLE_ze_image_handle_t, value);
    if (!handle) {
        handle = geo_handle_find(translation, GEO_DDI_HANDLE_ze_sampler_handle_t, value);
    }
    *driver = handle ? geo_handle_driver(handle) : NULL;
    return *driver != NULL;
}

void *geo_translate_chain_address(const struct geo_handle *lead, enum geo_ddi_handle_id type,
                                  const void *given)
{
    const struct geo_handle *handle = geo_handle_find(geo_handle_translation(lead), type, given);
    return handle ? geo_handle_driver(handle) : (void *)(uintptr_t)given;
}

bool geo_translate_chain_value(const struct geo_handle *lead, size_t size, const void *value,
                               void **driver)
{
    void *content;
    if (!value || size != sizeof(content)) {
        return false;
    }
    memcpy(&content, value, sizeof(content));
    return value_find(lead, content, driver);
}

/* ---- chains ---- */

static void *place_read(const void *structure, size_t offset)
{
    void *value;
    memcpy(&value, (const char *)structure + offset, sizeof(value));
    return value;
}

static void place_write(void *structure, size_t offset, const void *value)
{
    memcpy((char *)structure + offset, &value, sizeof(value));
}

static const struct geo_translate_link *link_find(const ze_base_properties_t *link)
{
    for (size_t i = 0; i < geo_translate_link_count; i++) {
        if (geo_translate_links[i].stype == (uint32_t)link->stype) {
            return &geo_translate_links[i];
        }
    }
    return NULL;
}

/* Finds the driver's handle for the argument value in a structure. Returns false when the value is
 * not a handle. */
static bool link_value(const struct geo_handle *lead, const struct geo_translate_link *info,
                       const void *link, void **driver)
{
    size_t size;
    if (!info->value) {
        return false;
    }
    memcpy(&size, (const char *)link + info->value_size, sizeof(size));
    return geo_translate_chain_value(lead, size, place_read(link, info->value), driver);
}

static bool link_carries(const struct geo_handle *lead, const void *link)
{
    void *driver;
    const struct geo_translate_link *info = link_find(link);
    return info && ((info->handle && place_read(link, info->handle)) ||
                    link_value(lead, info, link, &driver));
}

/* Returns how many structures from the start of the chain must be copied, and their total size in
 * bytes. */
static ze_result_t chain_measure(const struct geo_handle *lead, const void *given, size_t *count,
                                 size_t *bytes)
{
    size_t seen = 0, sum = 0;
    bool known = true;
    *count = *bytes = 0;
    for (struct geo_chain walk = geo_chain_begin(given); walk.link; geo_chain_step(&walk)) {
        const struct geo_translate_link *info = link_find(walk.link);
        known &= info != NULL;
        seen++;
        sum += info ? info->size + sizeof(void *) : 0;
        if (link_carries(lead, walk.link)) {
            if (!known) {
                return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
            }
            *count = seen;
            *bytes = sum;
        }
    }
    return ZE_RESULT_SUCCESS;
}

/* Takes space from the chain's memory. Stays aligned, because the size of each structure is a
 * multiple of the pointer size. */
static void *chain_take(struct geo_translate_chain *chain, size_t bytes)
{
    unsigned char *memory = chain->heap ? chain->heap : chain->few;
    void *place = memory + chain->used;
    chain->used += bytes;
    return place;
}

/* Copies one structure and replaces its handles by the driver's. */
static ze_result_t link_copy(struct geo_translate_chain *chain, const struct geo_handle *lead,
                             const void *link, void **copy)
{
    const struct geo_translate_link *info = link_find(link);
    void *driver = NULL;
    GEO_ASSERT(info); /* the measured part of a chain has known structures only */
    *copy = memcpy(chain_take(chain, info->size), link, info->size);
    if (link_value(lead, info, link, &driver)) {
        void *value = chain_take(chain, sizeof(driver));
        place_write(value, 0, driver);
        place_write(*copy, info->value, value);
    }
    if (!info->handle) {
        return ZE_RESULT_SUCCESS;
    }
    const ze_result_t result = geo_translate_in(lead, place_read(link, info->handle), &driver);
    place_write(*copy, info->handle, driver);
    return result;
}

ze_result_t geo_translate_chain_begin(struct geo_translate_chain *chain,
                                      const struct geo_handle *lead, const void *given,
                                      const void **driver)
{
    size_t count, bytes;
    GEO_ASSERT(geo_handle_is_valid(lead) && !chain->heap);
    ze_result_t result = chain_measure(lead, given, &count, &bytes);
    *driver = given;
    chain->used = 0;
    if (result == ZE_RESULT_SUCCESS && bytes > sizeof(chain->few)) {
        chain->heap = malloc(bytes);
        result = chain->heap ? result : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    ze_base_properties_t *before = NULL;
    for (size_t i = 0; result == ZE_RESULT_SUCCESS && i < count; i++) {
        void *copy;
        result = link_copy(chain, lead, given, &copy);
        if (before) {
            before->pNext = copy;
        } else {
            *driver = copy;
        }
        before = copy;
        given = before->pNext;
        GEO_ASSERT(chain->used <= bytes && chain->used % sizeof(void *) == 0);
    }
    return result;
}

void geo_translate_chain_free(struct geo_translate_chain *chain)
{
    free(chain->heap);
}
