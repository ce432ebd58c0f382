/* Memory that commands read and write: a table of functions. See access.h. */
#include "layers/validation/access.h"

/* Where a size comes from. */
enum size_source { SIZE_PARAM, SIZE_BYTES, SIZE_REGION };

struct access_row {
    uint16_t function;
    uint8_t param;
    bool write;
    uint8_t source;  /* enum size_source */
    uint8_t size;    /* the parameter with the size or region; the bytes */
    uint8_t context; /* the parameter with the memory's context, 0: none */
    bool host;       /* no command */
};

/* Pitches stand behind a region. Images leave the size to their format: the first byte counts. */
static const struct access_row rows[] = {
    {GEO_DDI_FN_zeCommandListAppendMemoryCopy, 1, true, SIZE_PARAM, 3, 0, false},
    {GEO_DDI_FN_zeCommandListAppendMemoryCopy, 2, false, SIZE_PARAM, 3, 0, false},
    {GEO_DDI_FN_zeCommandListAppendMemoryCopyWithParameters, 1, true, SIZE_PARAM, 3, 0, false},
    {GEO_DDI_FN_zeCommandListAppendMemoryCopyWithParameters, 2, false, SIZE_PARAM, 3, 0, false},
    {GEO_DDI_FN_zeCommandListAppendMemoryFill, 1, true, SIZE_PARAM, 4, 0, false},
    {GEO_DDI_FN_zeCommandListAppendMemoryFillWithParameters, 1, true, SIZE_PARAM, 4, 0, false},
    {GEO_DDI_FN_zeCommandListAppendMemoryCopyRegion, 1, true, SIZE_REGION, 2, 0, false},
    {GEO_DDI_FN_zeCommandListAppendMemoryCopyRegion, 5, false, SIZE_REGION, 6, 0, false},
    {GEO_DDI_FN_zeCommandListAppendMemoryCopyFromContext, 1, true, SIZE_PARAM, 4, 0, false},
    {GEO_DDI_FN_zeCommandListAppendMemoryCopyFromContext, 3, false, SIZE_PARAM, 4, 2, false},
    {GEO_DDI_FN_zeRTASBuilderCommandListAppendCopyExt, 1, true, SIZE_PARAM, 3, 0, false},
    {GEO_DDI_FN_zeRTASBuilderCommandListAppendCopyExt, 2, false, SIZE_PARAM, 3, 0, false},
    {GEO_DDI_FN_zeCommandListAppendImageCopyToMemory, 1, true, SIZE_BYTES, 1, 0, false},
    {GEO_DDI_FN_zeCommandListAppendImageCopyToMemoryExt, 1, true, SIZE_BYTES, 1, 0, false},
    {GEO_DDI_FN_zeCommandListAppendImageCopyFromMemory, 2, false, SIZE_BYTES, 1, 0, false},
    {GEO_DDI_FN_zeCommandListAppendImageCopyFromMemoryExt, 2, false, SIZE_BYTES, 1, 0, false},
    {GEO_DDI_FN_zeCommandListAppendWriteGlobalTimestamp, 1, true, SIZE_BYTES, 8, 0, false},
    {GEO_DDI_FN_zeCommandListAppendQueryKernelTimestamps, 3, true, SIZE_BYTES, 1, 0, false},
    {GEO_DDI_FN_zeCommandListAppendLaunchKernelIndirect, 2, false, SIZE_BYTES, 12, 0, false},
    {GEO_DDI_FN_zeCommandListAppendLaunchMultipleKernelsIndirect, 3, false, SIZE_BYTES, 4, 0,
     false},
    {GEO_DDI_FN_zeCommandListAppendLaunchMultipleKernelsIndirect, 4, false, SIZE_BYTES, 12, 0,
     false},
    {GEO_DDI_FN_zeCommandListAppendMemoryPrefetch, 1, false, SIZE_PARAM, 2, 0, true},
    {GEO_DDI_FN_zeCommandListAppendMemAdvise, 2, false, SIZE_PARAM, 3, 0, true},
    {GEO_DDI_FN_zeContextMakeMemoryResident, 2, false, SIZE_PARAM, 3, 0, true},
    {GEO_DDI_FN_zeContextEvictMemory, 2, false, SIZE_PARAM, 3, 0, true},
    {GEO_DDI_FN_zeMemGetIpcHandle, 1, false, SIZE_BYTES, 1, 0, true},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static uint8_t first_row[GEO_DDI_FUNCTION_COUNT]; /* + 1; 0: none */

__attribute__((constructor)) static void rows_index(void)
{
    for (size_t i = ROWS; i-- > 0;)
        first_row[rows[i].function] = (uint8_t)(i + 1);
}

bool geo_val_has_accesses(enum geo_ddi_function_id id)
{
    return first_row[id] != 0;
}

/* From the region's first byte to its last. */
static void region_extent(const struct geo_layer_call *call, const struct access_row *row,
                          struct geo_val_access *access)
{
    const ze_copy_region_t *region = *(const ze_copy_region_t *const *)call->arguments[row->size];
    const size_t pitch = *(const uint32_t *)call->arguments[row->size + 1u];
    const size_t slice = *(const uint32_t *)call->arguments[row->size + 2u];
    if (!region || region->width == 0 || region->height == 0)
        return;
    const size_t depth = region->depth > 1 ? region->depth : 1;
    access->base += region->originX + region->originY * pitch + region->originZ * slice;
    access->size = region->width + (region->height - 1) * pitch + (depth - 1) * slice;
}

size_t geo_val_accesses(const struct geo_layer_call *call,
                        struct geo_val_access accesses[GEO_VAL_ACCESSES])
{
    const struct geo_ddi_param *params = geo_ddi_function_params(&geo_ddi_functions[call->id]);
    size_t count = 0;
    if (first_row[call->id] == 0)
        return 0;
    for (const struct access_row *row = &rows[first_row[call->id] - 1];
         row < rows + ROWS && row->function == call->id; row++) {
        struct geo_val_access *access = &accesses[count];
        *access = (struct geo_val_access){.argument = params[row->param].name,
                                          .base = *(const uintptr_t *)call->arguments[row->param],
                                          .size = row->size,
                                          .write = row->write,
                                          .command = !row->host};
        if (access->base == 0)
            continue;
        if (row->source == SIZE_PARAM)
            access->size = *(const size_t *)call->arguments[row->size];
        else if (row->source == SIZE_REGION)
            region_extent(call, row, access);
        if (row->context != 0)
            access->context = *(const uintptr_t *)call->arguments[row->context];
        count += access->size > 0;
    }
    return count;
}
