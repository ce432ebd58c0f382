/* Functions and dispatch tables: look-up, address in a set, and copying of the part that a caller's
 * version has. */
#include <string.h>

#include "ddi/geo_ddi.h"

const struct geo_ddi_function *geo_ddi_function_find(const char *name)
{
    for (size_t i = 0; i < GEO_DDI_FUNCTION_COUNT; i++) {
        if (strcmp(geo_ddi_functions[i].name, name) == 0) {
            return &geo_ddi_functions[i];
        }
    }
    return NULL;
}

const struct geo_ddi_table *geo_ddi_table_find(const char *getter)
{
    for (size_t i = 0; i < GEO_DDI_TABLE_COUNT; i++) {
        if (strcmp(geo_ddi_tables[i].getter, getter) == 0) {
            return &geo_ddi_tables[i];
        }
    }
    return NULL;
}

size_t geo_ddi_table_size(const struct geo_ddi_table *table, ze_api_version_t version)
{
    const uint32_t number = (uint32_t)version;
    if (ZE_MAJOR_VERSION(number) != 1) {
        return 0;
    }
    const uint32_t minor = ZE_MINOR_VERSION(number);
    return table->slots[minor < GEO_DDI_MINOR ? minor : GEO_DDI_MINOR] * sizeof(void *);
}

ze_result_t geo_ddi_table_copy(enum geo_ddi_table_id id, ze_api_version_t version, const void *from,
                               void *out)
{
    if (out == NULL) {
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    }
    if (ZE_MAJOR_VERSION((uint32_t)version) != 1) {
        return ZE_RESULT_ERROR_UNSUPPORTED_VERSION;
    }
    memcpy(out, from, geo_ddi_table_size(&geo_ddi_tables[id], version));
    return ZE_RESULT_SUCCESS;
}

const void *geo_ddi_table_of_const(const struct geo_ddi_table_set *tables, enum geo_ddi_table_id id)
{
    static const size_t container[GEO_DDI_API_COUNT] = {
        [GEO_DDI_ZE] = offsetof(struct geo_ddi_table_set, ze),
        [GEO_DDI_ZES] = offsetof(struct geo_ddi_table_set, zes),
        [GEO_DDI_ZET] = offsetof(struct geo_ddi_table_set, zet),
        [GEO_DDI_ZER] = offsetof(struct geo_ddi_table_set, zer),
    };
    const struct geo_ddi_table *table = &geo_ddi_tables[id];
    return (const char *)tables + container[table->api] + table->container_offset;
}

void *geo_ddi_table_of(struct geo_ddi_table_set *tables, enum geo_ddi_table_id id)
{
    return (void *)geo_ddi_table_of_const(tables, id);
}
