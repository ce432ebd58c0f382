/* Reserved addresses and physical memory: what is mapped where, and what goes before its mapping.
 * See mappings.h. */
#include "layers/validation/mappings.h"
#include "layers/validation/model.h"
#include "layers/validation/ranges.h"
#include "layers/validation/rules.h"

#include "ddi/geo_ddi_chain.h"

#include <stdio.h>

#define ARGUMENT(call, i, type) (*(type *)(call)->arguments[i])

static struct geo_val_owner owner_of(const void *physical)
{
    const struct geo_val_object *object = geo_val_kind_object(GEO_VAL_PHYSICAL, physical);
    return (struct geo_val_owner){physical, object ? atomic_load(&object->life) >> 2 : 0};
}

static ze_result_t map_check(const struct geo_layer_call *call)
{
    const uintptr_t base = ARGUMENT(call, 1, uintptr_t);
    const size_t size = ARGUMENT(call, 2, size_t), offset = ARGUMENT(call, 4, size_t);
    const ze_physical_mem_handle_t physical = ARGUMENT(call, 3, ze_physical_mem_handle_t);
    ze_physical_mem_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_PROPERTIES};
    struct geo_val_range range;
    char text[160];
    if (!geo_val_on(GEO_VAL_MEMORY))
        return ZE_RESULT_SUCCESS;
    if (geo_val_range_find(base, &range) && !range.freed &&
        range.releaser == GEO_DDI_FN_zeVirtualMemFree && size > range.base + range.size - base) {
        snprintf(text, sizeof(text), "and %zu bytes from there: the reservation has %zu left", size,
                 (size_t)(range.base + range.size - base));
        geo_val_object_tell(call, GEO_VAL_OUT_OF_RANGE, 1, (const void *)base, text);
    } else if (geo_layer_next.ze.PhysicalMem.pfnGetProperties &&
               geo_layer_next.ze.PhysicalMem.pfnGetProperties(
                   ARGUMENT(call, 0, ze_context_handle_t), physical, &properties) ==
                   ZE_RESULT_SUCCESS &&
               (offset > properties.size || size > properties.size - offset)) {
        snprintf(text, sizeof(text), "has %llu bytes, and %zu from %zu on are mapped",
                 (unsigned long long)properties.size, size, offset);
        geo_val_object_tell(call, GEO_VAL_OUT_OF_RANGE, 3, physical, text);
    }
    return ZE_RESULT_SUCCESS;
}

static void map_note(const struct geo_layer_call *call, void *prepared)
{
    (void)prepared;
    const struct geo_val_owner physical = owner_of(ARGUMENT(call, 3, const void *));
    geo_val_mapping_add(ARGUMENT(call, 1, uintptr_t), ARGUMENT(call, 2, size_t), &physical);
}

/* Before the call: afterwards the addresses may be reserved and mapped again. */
static void *unmap_prepare(const struct geo_layer_call *call)
{
    geo_val_mapping_remove(ARGUMENT(call, 1, uintptr_t), ARGUMENT(call, 2, size_t));
    atomic_fetch_add(&geo_val_endings, 1);
    return NULL;
}

/* What goes although mappings need it: legal, and seldom meant. */
static void mapped_tell(const struct geo_layer_call *call, size_t count, const char *rest)
{
    char text[192];
    snprintf(text, sizeof(text), "%zu mapping%s need%s it: zeVirtualMemUnmap removes them, %s",
             count, count == 1 ? "" : "s", count == 1 ? "s" : "", rest);
    geo_val_object_tell(call, GEO_VAL_STILL_MAPPED, 1, ARGUMENT(call, 1, const void *), text);
}

static ze_result_t reservation_end_check(const struct geo_layer_call *call)
{
    const size_t count =
        geo_val_mapping_count(ARGUMENT(call, 1, uintptr_t), ARGUMENT(call, 2, size_t));
    if (count > 0 && geo_val_on(GEO_VAL_MEMORY))
        mapped_tell(call, count, "or they go with the addresses");
    return ZE_RESULT_SUCCESS;
}

static ze_result_t physical_end_check(const struct geo_layer_call *call)
{
    const struct geo_val_owner physical = owner_of(ARGUMENT(call, 1, const void *));
    const size_t count = geo_val_mapping_count_of(&physical);
    if (count > 0 && geo_val_on(GEO_VAL_MEMORY))
        mapped_tell(call, count, "which comes before the memory's end");
    return ZE_RESULT_SUCCESS;
}

const struct geo_val_rule geo_val_virtual_rules[] = {
    {.function = GEO_DDI_FN_zeVirtualMemMap, .check = map_check, .note = map_note},
    {.function = GEO_DDI_FN_zeVirtualMemUnmap, .prepare = unmap_prepare},
    {.function = GEO_DDI_FN_zeVirtualMemFree,
     .check = reservation_end_check,
     .prepare = unmap_prepare},
    {.function = GEO_DDI_FN_zePhysicalMemDestroy, .check = physical_end_check},
    {.function = GEO_DDI_FUNCTION_COUNT}};
