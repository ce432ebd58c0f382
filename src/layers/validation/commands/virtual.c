/* Checks address reservations and physical memory: their mappings, and the order of destruction.
 * See mappings.h. */
#include "layers/validation/address/mappings.h"
#include "layers/validation/address/ranges.h"
#include "layers/validation/model/model.h"
#include "layers/validation/objects/devices.h"
#include "layers/validation/objects/rules.h"

#include "ddi/geo_ddi_chain.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define ARGUMENT(call, i, type) (*(type *)(call)->arguments[i])

static struct geo_val_owner owner_of(const void *physical)
{
    const struct geo_val_object *object = geo_val_data_kind_object(GEO_VAL_PHYSICAL, physical);
    return (struct geo_val_owner){physical, object ? atomic_load(&object->life) >> 2 : 0};
}

/* ---- pages ---- */

enum { DEVICES = 16 }; /* maximum number of devices of a driver that are examined */

/* Returns the devices of the call's context, at most DEVICES, or 0 when they are unknown. */
static uint32_t devices_of(const struct geo_layer_call *call, ze_device_handle_t devices[DEVICES])
{
    const struct geo_val_context *context =
        geo_val_devices_context(ARGUMENT(call, 0, const void *));
    uint32_t count = DEVICES;
    if (context && context->devices) {
        count = context->device_count < DEVICES ? context->device_count : DEVICES;
        memcpy(devices, context->devices, count * sizeof(*devices));
        return count;
    }
    return context && context->driver && geo_layer_next.ze.Device.pfnGet &&
                   geo_layer_next.ze.Device.pfnGet(context->driver, &count, devices) ==
                       ZE_RESULT_SUCCESS
               ? count
               : 0;
}

/* Returns the smallest page size for a range of that size among the devices of the call's context,
 * or 1 when it is unknown. A range must be a multiple of it on every device. */
static size_t page_least(const struct geo_layer_call *call, size_t size)
{
    ze_device_handle_t devices[DEVICES];
    const uint32_t count = devices_of(call, devices);
    size_t least = SIZE_MAX, page;
    for (uint32_t i = 0; i < count && geo_layer_next.ze.VirtualMem.pfnQueryPageSize; i++) {
        if (geo_layer_next.ze.VirtualMem.pfnQueryPageSize(ARGUMENT(call, 0, ze_context_handle_t),
                                                          devices[i], size,
                                                          &page) == ZE_RESULT_SUCCESS &&
            page != 0 && page < least) {
            least = page;
        }
    }
    return least == SIZE_MAX ? 1 : least;
}

/* Reports a size or offset that is not a multiple of a page. */
static ze_result_t pages_check(const struct geo_layer_call *call, const char *argument, size_t size)
{
    const size_t page = geo_val_on(GEO_VAL_PARAMETERS) && size != 0 ? page_least(call, size) : 1;
    if (size % page == 0) {
        return ZE_RESULT_SUCCESS;
    }
    const struct geo_val_place place = {.call = call, .argument = argument};
    geo_val_tell(GEO_VAL_WRONG_SIZE, &place,
                 "%zu bytes are not a multiple of a page of %zu (zeVirtualMemQueryPageSize)", size,
                 page);
    return geo_val_refusal(ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
}

static ze_result_t reserve_check(const struct geo_layer_call *call)
{
    return pages_check(call, "size", ARGUMENT(call, 2, size_t));
}

static ze_result_t physical_check(const struct geo_layer_call *call)
{
    const ze_physical_mem_desc_t *desc = ARGUMENT(call, 2, const ze_physical_mem_desc_t *);
    if (!ARGUMENT(call, 1, const void *) &&
        !(desc->flags & ZE_PHYSICAL_MEM_FLAG_ALLOCATE_ON_HOST) && geo_val_on(GEO_VAL_PARAMETERS)) {
        const struct geo_val_place place = {.call = call, .argument = "hDevice"};
        geo_val_tell(GEO_VAL_NULL_HANDLE, &place,
                     "is null, which needs ZE_PHYSICAL_MEM_FLAG_ALLOCATE_ON_HOST");
        return geo_val_refusal(ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    }
    return pages_check(call, "desc->size", desc->size);
}

/* ---- mappings ---- */

static ze_result_t map_check(const struct geo_layer_call *call)
{
    const uintptr_t base = ARGUMENT(call, 1, uintptr_t);
    const size_t size = ARGUMENT(call, 2, size_t), offset = ARGUMENT(call, 4, size_t);
    const ze_physical_mem_handle_t physical = ARGUMENT(call, 3, ze_physical_mem_handle_t);
    ze_physical_mem_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_PROPERTIES};
    struct geo_val_range range;
    char text[160];
    ze_result_t result = pages_check(call, "size", size);
    result = result == ZE_RESULT_SUCCESS ? pages_check(call, "offset", offset) : result;
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    if (!geo_val_on(GEO_VAL_MEMORY)) {
        return ZE_RESULT_SUCCESS;
    }
    if (geo_val_range_find(base, &range) && !range.freed &&
        range.releaser == GEO_DDI_FN_zeVirtualMemFree && size > range.base + range.size - base) {
        snprintf(text, sizeof(text), "and %zu bytes from there: the reservation has %zu left", size,
                 (size_t)(range.base + range.size - base));
        geo_val_model_object_tell(call, GEO_VAL_OUT_OF_RANGE, 1, (const void *)base, text);
    } else if (geo_layer_next.ze.PhysicalMem.pfnGetProperties &&
               geo_layer_next.ze.PhysicalMem.pfnGetProperties(
                   ARGUMENT(call, 0, ze_context_handle_t), physical, &properties) ==
                   ZE_RESULT_SUCCESS &&
               (offset > properties.size || size > properties.size - offset)) {
        snprintf(text, sizeof(text), "has %llu bytes, and %zu from %zu on are mapped",
                 (unsigned long long)properties.size, size, offset);
        geo_val_model_object_tell(call, GEO_VAL_OUT_OF_RANGE, 3, physical, text);
    }
    return ZE_RESULT_SUCCESS;
}

static void map_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    const struct geo_val_owner physical = owner_of(ARGUMENT(call, 3, const void *));
    geo_val_mapping_add(ARGUMENT(call, 1, uintptr_t), ARGUMENT(call, 2, size_t), &physical);
}

/* Removes the mapping before the call, because the addresses may be reserved and mapped again
 * afterwards. */
static void *unmap_prepare(const struct geo_layer_call *call)
{
    geo_val_mapping_remove(ARGUMENT(call, 1, uintptr_t), ARGUMENT(call, 2, size_t));
    atomic_fetch_add(&geo_val_endings, 1);
    return NULL;
}

/* Warns about an object that is destroyed although mappings use it. This is legal, but rarely
 * intended. */
static void mapped_tell(const struct geo_layer_call *call, size_t count, const char *rest)
{
    char text[192];
    snprintf(text, sizeof(text), "%zu mapping%s need%s it: zeVirtualMemUnmap removes them, %s",
             count, count == 1 ? "" : "s", count == 1 ? "s" : "", rest);
    geo_val_model_object_tell(call, GEO_VAL_STILL_MAPPED, 1, ARGUMENT(call, 1, const void *), text);
}

static ze_result_t reservation_end_check(const struct geo_layer_call *call)
{
    const size_t count =
        geo_val_mapping_count(ARGUMENT(call, 1, uintptr_t), ARGUMENT(call, 2, size_t));
    if (count > 0 && geo_val_on(GEO_VAL_MEMORY)) {
        mapped_tell(call, count, "or they go with the addresses");
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t physical_end_check(const struct geo_layer_call *call)
{
    const struct geo_val_owner physical = owner_of(ARGUMENT(call, 1, const void *));
    const size_t count = geo_val_mapping_count_of(&physical);
    if (count > 0 && geo_val_on(GEO_VAL_MEMORY)) {
        mapped_tell(call, count, "which comes before the memory's end");
    }
    return ZE_RESULT_SUCCESS;
}

const struct geo_val_rule geo_val_virtual_rules[] = {
    {.function = GEO_DDI_FN_zeVirtualMemReserve, .check = reserve_check},
    {.function = GEO_DDI_FN_zePhysicalMemCreate, .check = physical_check},
    {.function = GEO_DDI_FN_zeVirtualMemMap, .check = map_check, .note = map_note},
    {.function = GEO_DDI_FN_zeVirtualMemUnmap, .prepare = unmap_prepare},
    {.function = GEO_DDI_FN_zeVirtualMemFree,
     .check = reservation_end_check,
     .prepare = unmap_prepare},
    {.function = GEO_DDI_FN_zePhysicalMemDestroy, .check = physical_end_check},
    {.function = GEO_DDI_FUNCTION_COUNT}};
