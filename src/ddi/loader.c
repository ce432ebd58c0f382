/* Completes the loader's table sets. A table is handled as an array of function pointers. */
#include "ddi/geo_ddi_loader.h"

typedef void (*any_fn)(void);

void geo_ddi_loader_tables_complete(struct geo_ddi_table_set *tables,
                                    const struct geo_ddi_table_set *fallback)
{
    for (int id = 0; id < GEO_DDI_TABLE_COUNT; id++) {
        any_fn *slots = geo_ddi_table_of(tables, (enum geo_ddi_table_id)id);
        const any_fn *other = geo_ddi_table_of_const(fallback, (enum geo_ddi_table_id)id);
        for (size_t i = 0; i < geo_ddi_tables[id].slot_count; i++) {
            if (slots[i] == NULL) {
                slots[i] = other[i];
            }
        }
    }
}

void geo_ddi_loader_tables_own(struct geo_ddi_table_set *tables)
{
    for (int id = 0; id < GEO_DDI_TABLE_COUNT; id++) {
        any_fn *slots = geo_ddi_table_of(tables, (enum geo_ddi_table_id)id);
        const any_fn *own = geo_ddi_table_of_const(&geo_loader_start, (enum geo_ddi_table_id)id);
        const any_fn *stub = geo_ddi_table_of_const(&geo_loader_stubs, (enum geo_ddi_table_id)id);
        for (size_t i = 0; i < geo_ddi_tables[id].slot_count; i++) {
            if (own[i] != stub[i]) {
                slots[i] = own[i];
            }
        }
    }
}
