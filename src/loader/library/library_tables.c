/* Fetches the symbols and function tables of a driver library, and the table version that it
 * supports. See library.h. */
#include "loader/library/library.h"

#include "base/assert.h"
#include "base/log.h"

#include <dlfcn.h>
#include <string.h>

/* Number of slots for a table: more than twice those of the largest table, because some drivers
 * fill all slots that they know instead of those of the requested version. */
#define TABLE_ROOM_SLOTS 256

typedef void (*any_fn)(void);
typedef ze_result_t(ZE_APICALL *table_getter)(ze_api_version_t version, void *table);

static const void *base_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* Rejects a symbol of the loader itself: dlsym also searches the library's dependencies, and a
 * library that only links the loader is not a driver. */
void *geo_library_tables_symbol(const struct geo_library *library, const char *name)
{
    static const char here;
    GEO_ASSERT(library->object);
    void *symbol = dlsym(library->object, name);
    return symbol && base_of(symbol) != base_of(&here) ? symbol : NULL;
}

/* Fetches a table at the library's version, cut to our size. All getters are called through one
 * function type, because they differ only in the type that their pointer refers to. */
#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
static ze_result_t table_fetch(table_getter get, ze_api_version_t version, void *table, size_t size)
{
    any_fn room[TABLE_ROOM_SLOTS] = {NULL};
    if (size > sizeof(room) / 2) {
        return ZE_RESULT_ERROR_INVALID_SIZE;
    }
    ze_result_t result = get(version, room);
    if (result == ZE_RESULT_SUCCESS) {
        memcpy(table, room, size);
    }
    return result;
}

ze_result_t geo_library_tables_agree(struct geo_library *library, const char *getter)
{
    table_getter get = (table_getter)geo_library_tables_symbol(library, getter);
    ze_result_t result = ZE_RESULT_ERROR_UNSUPPORTED_VERSION;
    for (uint32_t version = ZE_API_VERSION_CURRENT;
         result == ZE_RESULT_ERROR_UNSUPPORTED_VERSION && version >= ZE_API_VERSION_1_0;
         version--) {
        ze_global_dditable_t table;
        library->table_version = (ze_api_version_t)version;
        result = table_fetch(get, library->table_version, &table, sizeof(table));
    }
    return result;
}

bool geo_library_tables_are_full(const struct geo_ddi_table_set *tables)
{
    for (size_t i = 0; i < GEO_DDI_TABLE_COUNT; i++) {
        const any_fn *slots = geo_ddi_table_of_const(tables, (enum geo_ddi_table_id)i);
        for (size_t slot = 0; slot < geo_ddi_tables[i].slot_count; slot++) {
            if (!slots[slot]) {
                return false;
            }
        }
    }
    return true;
}

void geo_library_tables_fetch(struct geo_library *library)
{
    GEO_ASSERT(library->tables && library->direct && !library->open);
    library->slots = library->filled_slots = 0;
    for (size_t i = 0; i < GEO_DDI_TABLE_COUNT; i++) {
        const struct geo_ddi_table *info = &geo_ddi_tables[i];
        any_fn *slots = geo_ddi_table_of(library->tables, (enum geo_ddi_table_id)i);
        table_getter get = (table_getter)geo_library_tables_symbol(library, info->getter);
        ze_result_t result =
            get ? table_fetch(get, library->table_version, slots, info->slot_count * sizeof(any_fn))
                : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
        if (get && result != ZE_RESULT_SUCCESS) {
            geo_log("loader", GEO_LOG_DEBUG, "%s: %s gave %s", library->path, info->getter,
                    geo_ddi_result_name(result));
        }
        for (size_t slot = 0; slot < info->slot_count; slot++) {
            library->slots++;
            library->filled_slots += slots[slot] != NULL;
        }
    }
    geo_ddi_loader_tables_complete(library->tables, &geo_loader_stubs);
    *library->direct = *library->tables;
    geo_ddi_loader_tables_own(library->direct);
    GEO_ASSERT(geo_library_tables_are_full(library->tables));
    GEO_ASSERT(geo_library_tables_are_full(library->direct));
}
