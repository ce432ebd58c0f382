/* The descriptions of parameters, and the iteration over the items of a call. See uses.h. */
#include "layers/validation/uses/uses.h"
#include "layers/validation/uses/images.h"
#include "layers/validation/uses/pools.h"

#include <string.h>

#define ARGUMENT(call, i, type) (*(type *)(call)->arguments[i])

/* --- the table --- */

#define FN(name)        .function = GEO_DDI_FN_ze##name
#define READS(i)        .param = (i), .role = GEO_VAL_ROLE_MEMORY, .reads = true
#define WRITES(i)       .param = (i), .role = GEO_VAL_ROLE_MEMORY, .writes = true
#define NEEDS(i)        .param = (i), .role = GEO_VAL_ROLE_MEMORY
#define READS_IMAGE(i)  .param = (i), .role = GEO_VAL_ROLE_IMAGE, .reads = true
#define WRITES_IMAGE(i) .param = (i), .role = GEO_VAL_ROLE_IMAGE, .writes = true
#define BYTES(n)        .extent = GEO_VAL_EXTENT_BYTES, .size = (n)
#define SIZE(i)         .extent = GEO_VAL_EXTENT_PARAM, .size = (i)
#define ARRAY(i, n)     .extent = GEO_VAL_EXTENT_ARRAY, .size = (i), .element = (n)
#define REGION(i)       .extent = GEO_VAL_EXTENT_REGION, .size = (i)
#define TIMESTAMPS(i)   .extent = GEO_VAL_EXTENT_TIMESTAMPS, .size = (i)
#define PIXELS(i)       .extent = GEO_VAL_EXTENT_PIXELS, .size = (i)
#define PACKED(at, i)   .extent = GEO_VAL_EXTENT_PACKED, .size = (i), .image = (at)
#define PITCHED(at, i)  .extent = GEO_VAL_EXTENT_PITCHED, .size = (i), .image = (at)
#define WHOLE           .extent = GEO_VAL_EXTENT_WHOLE
#define IS(i, what)     .param = (i), .role = GEO_VAL_ROLE_##what

/* Sorted by function, then by parameter. */
static const struct geo_val_row rows[] = {
    {FN(CommandListAppendWriteGlobalTimestamp), WRITES(1), BYTES(8)},
    {FN(CommandListAppendMemoryRangesBarrier), IS(2, HOST)},
    {FN(CommandListAppendMemoryRangesBarrier), IS(3, RANGES), .size = 2},
    {FN(CommandListAppendMemoryCopy), WRITES(1), SIZE(3)},
    {FN(CommandListAppendMemoryCopy), READS(2), SIZE(3)},
    {FN(CommandListAppendMemoryCopyWithParameters), WRITES(1), SIZE(3)},
    {FN(CommandListAppendMemoryCopyWithParameters), READS(2), SIZE(3)},
    {FN(CommandListAppendMemoryFill), WRITES(1), SIZE(4)},
    {FN(CommandListAppendMemoryFill), IS(2, HOST)},
    {FN(CommandListAppendMemoryFillWithParameters), WRITES(1), SIZE(4)},
    {FN(CommandListAppendMemoryFillWithParameters), IS(2, HOST)},
    {FN(CommandListAppendMemoryCopyRegion), WRITES(1), REGION(2)},
    {FN(CommandListAppendMemoryCopyRegion), IS(2, HOST)},
    {FN(CommandListAppendMemoryCopyRegion), READS(5), REGION(6)},
    {FN(CommandListAppendMemoryCopyRegion), IS(6, HOST)},
    {FN(CommandListAppendMemoryCopyFromContext), WRITES(1), SIZE(4)},
    {FN(CommandListAppendMemoryCopyFromContext), IS(2, OTHER)},
    {FN(CommandListAppendMemoryCopyFromContext), READS(3), SIZE(4), .context = 2},
    {FN(CommandListAppendImageCopy), WRITES_IMAGE(1), WHOLE},
    {FN(CommandListAppendImageCopy), READS_IMAGE(2), WHOLE},
    {FN(CommandListAppendImageCopyRegion), WRITES_IMAGE(1), PIXELS(3)},
    {FN(CommandListAppendImageCopyRegion), READS_IMAGE(2), PIXELS(4)},
    {FN(CommandListAppendImageCopyRegion), IS(3, HOST)},
    {FN(CommandListAppendImageCopyRegion), IS(4, HOST)},
    {FN(CommandListAppendImageCopyToMemory), WRITES(1), PACKED(2, 3)},
    {FN(CommandListAppendImageCopyToMemory), READS_IMAGE(2), PIXELS(3)},
    {FN(CommandListAppendImageCopyToMemory), IS(3, HOST)},
    {FN(CommandListAppendImageCopyToMemoryExt), WRITES(1), PITCHED(2, 3)},
    {FN(CommandListAppendImageCopyToMemoryExt), READS_IMAGE(2), PIXELS(3)},
    {FN(CommandListAppendImageCopyToMemoryExt), IS(3, HOST)},
    {FN(CommandListAppendImageCopyFromMemory), WRITES_IMAGE(1), PIXELS(3)},
    {FN(CommandListAppendImageCopyFromMemory), READS(2), PACKED(1, 3)},
    {FN(CommandListAppendImageCopyFromMemory), IS(3, HOST)},
    {FN(CommandListAppendImageCopyFromMemoryExt), WRITES_IMAGE(1), PIXELS(3)},
    {FN(CommandListAppendImageCopyFromMemoryExt), READS(2), PITCHED(1, 3)},
    {FN(CommandListAppendImageCopyFromMemoryExt), IS(3, HOST)},
    {FN(CommandListAppendMemoryPrefetch), NEEDS(1), SIZE(2), .host = true},
    {FN(CommandListAppendMemAdvise), IS(1, OTHER)},
    {FN(CommandListAppendMemAdvise), NEEDS(2), SIZE(3), .host = true},
    {FN(CommandListAppendSignalEvent), IS(1, SIGNAL)},
    {FN(CommandListAppendWaitOnEvents), IS(2, WAITS)},
    {FN(CommandListAppendEventReset), IS(1, RESET)},
    {FN(CommandListAppendQueryKernelTimestamps), IS(2, EVENTS)},
    {FN(CommandListAppendQueryKernelTimestamps), WRITES(3), TIMESTAMPS(1)},
    {FN(CommandListAppendQueryKernelTimestamps), IS(4, HOST)},
    {FN(CommandListAppendLaunchKernel), IS(1, KERNEL)},
    {FN(CommandListAppendLaunchKernel), IS(2, HOST)},
    {FN(CommandListAppendLaunchKernelWithParameters), IS(1, KERNEL)},
    {FN(CommandListAppendLaunchKernelWithParameters), IS(2, HOST)},
    {FN(CommandListAppendLaunchKernelWithArguments), IS(1, KERNEL)},
    {FN(CommandListAppendLaunchKernelWithArguments), IS(4, ARGUMENTS)},
    {FN(CommandListAppendLaunchCooperativeKernel), IS(1, KERNEL)},
    {FN(CommandListAppendLaunchCooperativeKernel), IS(2, HOST)},
    {FN(CommandListAppendLaunchKernelIndirect), IS(1, KERNEL)},
    {FN(CommandListAppendLaunchKernelIndirect), READS(2), BYTES(sizeof(ze_group_count_t))},
    {FN(CommandListAppendLaunchMultipleKernelsIndirect), IS(2, KERNELS)},
    {FN(CommandListAppendLaunchMultipleKernelsIndirect), READS(3), BYTES(sizeof(uint32_t))},
    {FN(CommandListAppendLaunchMultipleKernelsIndirect), READS(4),
     ARRAY(1, sizeof(ze_group_count_t))},
    {FN(CommandListAppendSignalExternalSemaphoreExt), IS(2, OBJECTS)},
    {FN(CommandListAppendSignalExternalSemaphoreExt), IS(3, HOST)},
    {FN(CommandListAppendWaitExternalSemaphoreExt), IS(2, OBJECTS)},
    {FN(CommandListAppendWaitExternalSemaphoreExt), IS(3, HOST)},
    {FN(CommandListAppendGraphExt), IS(1, GRAPH)},
    {FN(CommandListAppendHostFunction), IS(1, OTHER)},
    {FN(CommandListAppendHostFunction), IS(2, OTHER)}, /* the host function may use it in any way */
    {FN(CommandListImmediateAppendCommandListsExp), IS(2, LISTS)},
    {FN(CommandListImmediateAppendCommandListsWithParameters), IS(2, LISTS)},
    {FN(RTASBuilderCommandListAppendCopyExt), WRITES(1), SIZE(3)},
    {FN(RTASBuilderCommandListAppendCopyExt), READS(2), SIZE(3)},
    {FN(tCommandListAppendMetricStreamerMarker), IS(1, OBJECTS)},
    {FN(tCommandListAppendMetricQueryBegin), IS(1, OBJECTS)},
    {FN(tCommandListAppendMetricQueryEnd), IS(1, OBJECTS)},
    {FN(tCommandListAppendMarkerExp), IS(1, OTHER)},
    /* functions that append no command */
    {FN(ContextMakeMemoryResident), NEEDS(2), SIZE(3), .host = true},
    {FN(ContextEvictMemory), NEEDS(2), SIZE(3), .host = true},
    {FN(MemGetIpcHandle), NEEDS(1), BYTES(1), .host = true},
    {FN(MemGetIpcHandleWithProperties), NEEDS(1), BYTES(1), .host = true},
    {FN(MemGetAllocProperties), NEEDS(1), BYTES(1), .host = true, .question = true},
    {FN(MemGetAddressRange), NEEDS(1), BYTES(1), .host = true, .question = true},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static struct {
    uint8_t first, count;
} of_function[GEO_DDI_FUNCTION_COUNT];

const struct geo_val_row *geo_val_uses_rows(enum geo_ddi_function_id id, size_t *count)
{
    *count = of_function[id].count;
    return &rows[of_function[id].first];
}

bool geo_val_uses_appends(enum geo_ddi_function_id id)
{
    return strstr(geo_ddi_functions[id].name, "CommandListAppend") != NULL ||
           strstr(geo_ddi_functions[id].name, "AppendCommandLists") != NULL;
}

bool geo_val_uses_on_host(enum geo_ddi_function_id id)
{
    return of_function[id].count > 0 && !geo_val_uses_appends(id);
}

static const struct geo_val_row *row_find(enum geo_ddi_function_id id, size_t param)
{
    size_t count;
    const struct geo_val_row *row = geo_val_uses_rows(id, &count);
    for (size_t i = 0; i < count; i++) {
        if (row[i].param == param) {
            return &row[i];
        }
    }
    return NULL;
}

enum geo_val_role geo_val_uses_role(enum geo_ddi_function_id id, size_t param)
{
    const struct geo_val_row *row = row_find(id, param);
    if (row) {
        return (enum geo_val_role)row->role;
    }
    const struct geo_ddi_param *described = &geo_ddi_function_params(&geo_ddi_functions[id])[param];
    if (described->kind != GEO_DDI_HANDLE) {
        return described->chain ? GEO_VAL_ROLE_HOST : GEO_VAL_ROLE_NONE;
    }
    if (param == 0) {
        return GEO_VAL_ROLE_LIST;
    }
    if (strcmp(described->name, "hSignalEvent") == 0) {
        return GEO_VAL_ROLE_SIGNAL;
    }
    return strcmp(described->name, "phWaitEvents") == 0 ? GEO_VAL_ROLE_WAITS : GEO_VAL_ROLE_NONE;
}

/* --- extents of memory --- */

static struct geo_val_bytes region_bytes(const struct geo_layer_call *call,
                                         const struct geo_val_row *row, uintptr_t base)
{
    const ze_copy_region_t *region = ARGUMENT(call, row->size, const ze_copy_region_t *);
    const size_t pitch = ARGUMENT(call, row->size + 1u, uint32_t);
    const size_t slice = ARGUMENT(call, row->size + 2u, uint32_t);
    if (!region) {
        return geo_val_box_bytes_at(base, 1);
    }
    if (region->width == 0 || region->height == 0) {
        return geo_val_box_bytes_at(base, 0);
    }
    return (struct geo_val_bytes){.base = base + region->originX + region->originY * pitch +
                                          region->originZ * slice,
                                  .width = region->width,
                                  .pitch = pitch,
                                  .slice = slice,
                                  .rows = region->height,
                                  .slices = region->depth > 1 ? region->depth : 1};
}

/* Returns the region of timestamp results. For results at offsets it is the span from the first to
 * the last byte written; two commands that share this span need not overlap. */
static struct geo_val_bytes timestamp_bytes(const struct geo_layer_call *call,
                                            const struct geo_val_row *row, uintptr_t base)
{
    const uint32_t count = ARGUMENT(call, row->size, uint32_t);
    const size_t *offsets = ARGUMENT(call, row->param + 1u, const size_t *);
    const size_t each = sizeof(ze_kernel_timestamp_result_t);
    size_t first = SIZE_MAX, last = 0;
    if (!offsets || count == 0) {
        return geo_val_box_bytes_at(base, count * each);
    }
    for (uint32_t i = 0; i < count; i++) {
        first = offsets[i] < first ? offsets[i] : first;
        last = offsets[i] > last ? offsets[i] : last;
    }
    return geo_val_box_bytes_at(base + first, last - first + each);
}

/* Returns the memory region of an image region's pixels. For unknown formats and types it is the
 * first byte. */
static struct geo_val_bytes pixel_bytes(const struct geo_layer_call *call,
                                        const struct geo_val_row *row, uintptr_t base)
{
    const bool pitched = row->extent == GEO_VAL_EXTENT_PITCHED;
    const size_t pitch = pitched ? ARGUMENT(call, row->size + 1u, uint32_t) : 0;
    const size_t slice = pitched ? ARGUMENT(call, row->size + 2u, uint32_t) : 0;
    return geo_val_image_bytes(ARGUMENT(call, row->image, const void *),
                               ARGUMENT(call, row->size, const ze_image_region_t *), base, pitch,
                               slice);
}

static struct geo_val_bytes bytes_of(const struct geo_layer_call *call,
                                     const struct geo_val_row *row, uintptr_t base)
{
    switch ((enum geo_val_extent)row->extent) {
    case GEO_VAL_EXTENT_PARAM:
        return geo_val_box_bytes_at(base, ARGUMENT(call, row->size, size_t));
    case GEO_VAL_EXTENT_ARRAY:
        return geo_val_box_bytes_at(base,
                                    (size_t)row->element * ARGUMENT(call, row->size, uint32_t));
    case GEO_VAL_EXTENT_REGION:
        return region_bytes(call, row, base);
    case GEO_VAL_EXTENT_TIMESTAMPS:
        return timestamp_bytes(call, row, base);
    case GEO_VAL_EXTENT_PACKED:
    case GEO_VAL_EXTENT_PITCHED:
        return pixel_bytes(call, row, base);
    default:
        return geo_val_box_bytes_at(base, row->size);
    }
}

/* --- the walk --- */

struct walk {
    const struct geo_layer_call *call;
    geo_val_used_fn visit;
    void *user;
};

static void memory_walk(const struct walk *walk, const struct geo_val_row *row,
                        struct geo_val_used *used)
{
    const uintptr_t base = ARGUMENT(walk->call, row->param, uintptr_t);
    if (base == 0) {
        return;
    }
    used->bytes = bytes_of(walk->call, row, base);
    used->handle = (const void *)base;
    if (row->context != 0) {
        used->context = ARGUMENT(walk->call, row->context, uintptr_t);
    }
    if (used->bytes.width > 0) {
        walk->visit(used, walk->user);
    }
}

static void ranges_walk(const struct walk *walk, const struct geo_val_row *row,
                        struct geo_val_used *used)
{
    const uint32_t count = ARGUMENT(walk->call, row->size - 1u, uint32_t);
    const size_t *sizes = ARGUMENT(walk->call, row->size, const size_t *);
    const uintptr_t *bases = ARGUMENT(walk->call, row->param, const uintptr_t *);
    for (uint32_t i = 0; bases && sizes && i < count; i++) {
        if (bases[i] == 0 || sizes[i] == 0) {
            continue;
        }
        used->bytes = geo_val_box_bytes_at(bases[i], sizes[i]);
        used->handle = (const void *)bases[i];
        used->index = (int16_t)(i < INT16_MAX ? i : INT16_MAX);
        walk->visit(used, walk->user);
    }
}

static void object_walk(const struct walk *walk, struct geo_val_used *used, const void *handle)
{
    const struct geo_val_object *object = handle ? geo_val_object_find(used->type, handle) : NULL;
    if (!object || (used->kind == GEO_VAL_USED_EVENT && !geo_val_pools_event(handle))) {
        return;
    }
    used->handle = handle;
    used->life = atomic_load_explicit(&object->life, memory_order_relaxed) >> 2;
    walk->visit(used, walk->user);
}

static void image_walk(const struct walk *walk, const struct geo_val_row *row,
                       struct geo_val_used *used)
{
    const ze_image_region_t *region =
        row->extent == GEO_VAL_EXTENT_PIXELS
            ? ARGUMENT(walk->call, row->size, const ze_image_region_t *)
            : NULL;
    const void *handle = ARGUMENT(walk->call, row->param, const void *);
    used->kind = GEO_VAL_USED_IMAGE;
    used->handle = handle;
    geo_val_image_use(used, region);
    object_walk(walk, used, handle);
}

static void objects_walk(const struct walk *walk, struct geo_val_used *used,
                         const struct geo_ddi_param *param, size_t i)
{
    const bool events = geo_val_data_kind_is(GEO_VAL_EVENT, used->type);
    used->kind = events ? GEO_VAL_USED_EVENT : GEO_VAL_USED_OBJECT;
    if (param->depth == 0) {
        object_walk(walk, used, ARGUMENT(walk->call, i, const void *));
        return;
    }
    const void *const *handles = ARGUMENT(walk->call, i, const void *const *);
    const uint32_t count =
        param->count_param >= 0 ? ARGUMENT(walk->call, (unsigned)param->count_param, uint32_t) : 0;
    for (uint32_t k = 0; handles && k < count; k++) {
        used->index = (int16_t)(k < INT16_MAX ? k : INT16_MAX);
        object_walk(walk, used, handles[k]);
    }
}

/* The parameters that the iteration visits, computed once. */
enum { PARAMS = 16 };
static struct {
    uint8_t count;
    struct {
        uint8_t param, role;
        const struct geo_val_row *row; /* never NULL */
    } step[PARAMS];
} plans[GEO_DDI_FUNCTION_COUNT];

static bool is_visited(enum geo_val_role role)
{
    return role != GEO_VAL_ROLE_NONE && role != GEO_VAL_ROLE_HOST && role != GEO_VAL_ROLE_LIST &&
           role != GEO_VAL_ROLE_ARGUMENTS && role != GEO_VAL_ROLE_LISTS &&
           role != GEO_VAL_ROLE_OTHER;
}

static void plan_make(enum geo_ddi_function_id id)
{
    static const struct geo_val_row none = {0};
    for (size_t i = 0; i < geo_ddi_functions[id].param_count && i < PARAMS; i++) {
        const enum geo_val_role role = geo_val_uses_role(id, i);
        const struct geo_val_row *row = row_find(id, i);
        if (!is_visited(role)) {
            continue;
        }
        plans[id].step[plans[id].count].param = (uint8_t)i;
        plans[id].step[plans[id].count].role = (uint8_t)role;
        plans[id].step[plans[id].count++].row = row ? row : &none;
    }
}

static void step_walk(const struct walk *walk, size_t param, enum geo_val_role role,
                      const struct geo_val_row *row)
{
    const struct geo_ddi_param *described =
        &geo_ddi_function_params(&geo_ddi_functions[walk->call->id])[param];
    struct geo_val_used used = {.reads = row->reads,
                                .writes = row->writes,
                                .host = row->host,
                                .question = row->question,
                                .param = (uint8_t)param,
                                .argument = -1,
                                .index = -1};
    if (described->kind == GEO_DDI_HANDLE) {
        used.type = (uint8_t)described->index;
    }
    switch (role) {
    case GEO_VAL_ROLE_MEMORY:
        memory_walk(walk, row, &used);
        break;
    case GEO_VAL_ROLE_RANGES:
        ranges_walk(walk, row, &used);
        break;
    case GEO_VAL_ROLE_IMAGE:
        image_walk(walk, row, &used);
        break;
    default:
        objects_walk(walk, &used, described, param);
        break;
    }
}

void geo_val_uses_each(const struct geo_layer_call *call, geo_val_used_fn visit, void *user)
{
    const struct walk walk = {call, visit, user};
    for (size_t i = 0; i < plans[call->id].count; i++) {
        step_walk(&walk, plans[call->id].step[i].param,
                  (enum geo_val_role)plans[call->id].step[i].role, plans[call->id].step[i].row);
    }
}

void geo_val_uses_make(void)
{
    for (size_t i = 0; i < ROWS; i++) {
        if (of_function[rows[i].function].count++ == 0) {
            of_function[rows[i].function].first = (uint8_t)i;
        }
    }
    for (int i = 0; i < GEO_DDI_FUNCTION_COUNT; i++) {
        const enum geo_ddi_function_id id = (enum geo_ddi_function_id)i;
        if (geo_val_uses_appends(id) || geo_val_uses_on_host(id)) {
            plan_make(id);
        }
    }
}
