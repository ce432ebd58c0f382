/* Walking the loader's sets of tables. A table is an array of function pointers, a set is an array
 * of tables. */
#include "ddi/geo_ddi_loader.h"

typedef void (*any_fn)(void);

const void *geo_loader_table_const(const struct geo_loader_tables *tables, enum geo_ddi_table_id id)
{
    static const size_t container[GEO_DDI_API_COUNT] = {
        [GEO_DDI_ZE] = offsetof(struct geo_loader_tables, ze),
        [GEO_DDI_ZES] = offsetof(struct geo_loader_tables, zes),
        [GEO_DDI_ZET] = offsetof(struct geo_loader_tables, zet),
        [GEO_DDI_ZER] = offsetof(struct geo_loader_tables, zer),
    };
    const struct geo_ddi_table *table = &geo_ddi_tables[id];
    return (const char *)tables + container[table->api] + table->container_offset;
}

void *geo_loader_table(struct geo_loader_tables *tables, enum geo_ddi_table_id id)
{
    return (void *)geo_loader_table_const(tables, id);
}

void geo_loader_tables_complete(struct geo_loader_tables *tables,
                                const struct geo_loader_tables *fallback)
{
    for (int id = 0; id < GEO_DDI_TABLE_COUNT; id++) {
        any_fn *slots = geo_loader_table(tables, (enum geo_ddi_table_id)id);
        const any_fn *other = geo_loader_table_const(fallback, (enum geo_ddi_table_id)id);
        for (size_t i = 0; i < geo_ddi_tables[id].slot_count; i++) {
            if (slots[i] == NULL)
                slots[i] = other[i];
        }
    }
}
