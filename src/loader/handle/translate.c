/* Translates arrays of handles and returned handles. See translate.h. */
#include "loader/handle/translate.h"

#include "base/assert.h"

#include <stdlib.h>
#include <string.h>

/* The program's arrays of handles have many types. All of them hold pointers. */
static void *place_read(const void *places, size_t index)
{
    void *value;
    memcpy(&value, (const char *)places + index * sizeof(value), sizeof(value));
    return value;
}

static void place_write(void *places, size_t index, const void *value)
{
    memcpy((char *)places + index * sizeof(value), &value, sizeof(value));
}

/* ---- handles passed in ---- */

ze_result_t geo_translate_array_fill(struct geo_translate_array *array,
                                     const struct geo_handle *lead, size_t count, const void *given)
{
    GEO_ASSERT(geo_handle_is_valid(lead) && given && count && !array->heap);
    array->items = array->few;
    if (count > GEO_TRANSLATE_ARRAY) {
        array->items = array->heap = malloc(count * sizeof(*array->heap));
        if (!array->heap) {
            return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        }
    }
    for (size_t i = 0; i < count; i++) {
        const ze_result_t result = geo_translate_in(lead, place_read(given, i), &array->items[i]);
        if (result != ZE_RESULT_SUCCESS) {
            return result;
        }
    }
    return ZE_RESULT_SUCCESS;
}

void geo_translate_array_free(struct geo_translate_array *array)
{
    free(array->heap);
}

/* ---- handles returned ---- */

static ze_result_t handle_get(const struct geo_handle *lead, enum geo_ddi_handle_id type,
                              void *driver, struct geo_handle **handle)
{
    *handle = driver ? geo_handle_get(geo_handle_translation(lead), type, driver) : NULL;
    return driver && !*handle ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY : ZE_RESULT_SUCCESS;
}

ze_result_t geo_translate_out(const struct geo_handle *lead, enum geo_ddi_handle_id type,
                              ze_result_t result, void *driver, void *given)
{
    struct geo_handle *handle = NULL;
    if (!given || driver == GEO_TRANSLATE_UNWRITTEN ||
        (result != ZE_RESULT_SUCCESS && driver != NULL)) {
        return result;
    }
    if (driver) {
        result = handle_get(lead, type, driver, &handle);
    }
    if (result == ZE_RESULT_SUCCESS || !driver) {
        place_write(given, 0, handle);
    }
    return result;
}

/* Translates handles in place. Without memory it writes NULL, so that no driver handle is left
 * where the program could read it. */
static ze_result_t places_translate(const struct geo_handle *lead, enum geo_ddi_handle_id type,
                                    size_t count, const void *drivers, void *given)
{
    ze_result_t result = ZE_RESULT_SUCCESS;
    for (size_t i = 0; i < count; i++) {
        struct geo_handle *handle = NULL;
        if (result == ZE_RESULT_SUCCESS) {
            result = handle_get(lead, type, place_read(drivers, i), &handle);
        }
        place_write(given, i, handle);
    }
    return result;
}

ze_result_t geo_translate_list(const struct geo_handle *lead, enum geo_ddi_handle_id type,
                               uint32_t room, uint32_t count, void *given)
{
    return places_translate(lead, type, count < room ? count : room, given, given);
}

ze_result_t geo_translate_array_out(const struct geo_translate_array *array,
                                    const struct geo_handle *lead, enum geo_ddi_handle_id type,
                                    size_t count, void *given)
{
    return given ? places_translate(lead, type, count, array->items, given) : ZE_RESULT_SUCCESS;
}

ze_result_t geo_translate_reserve(const struct geo_handle *lead, enum geo_ddi_handle_id type,
                                  size_t count, struct geo_handle **reserved)
{
    GEO_ASSERT(geo_handle_is_valid(lead));
    *reserved = geo_handle_reserve(geo_handle_translation(lead), type, count);
    return count && !*reserved ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY : ZE_RESULT_SUCCESS;
}

void geo_translate_made(struct geo_handle *reserved, bool made, const void *driver, size_t count,
                        void *given)
{
    struct geo_handle *left = reserved;
    for (size_t i = 0; made && left && i < count; i++) {
        struct geo_handle *handle = left, *next = atomic_load(&left->next);
        void *object = place_read(driver, i);
        if (object) {
            handle = geo_handle_made(handle, object);
            left = next;
        }
        place_write(given, i, object ? handle : NULL);
    }
    geo_handle_unreserve(left);
}
