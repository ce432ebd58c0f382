/* The loader's dispatch tables. The exported functions are generated (target geoid_ddi_loader) and
 * all have this form:
 *
 *     ze_result_t zeMemFree(hContext, ptr) {
 *         return geo_ddi_loader_active()->ze.Mem.pfnFree(hContext, ptr);
 *     }
 *
 * The table set that geo_loader points to therefore decides what a call does. No slot of a set is
 * ever NULL. Because geo_loader is a single pointer, a set is exchanged atomically while other
 * threads call. Layers stand between two such pointers:
 *
 *     zeMemFree --> geo_loader --> thunk of a layer --> relay --> geo_loader_base --> driver
 *
 * Without layers both point to the same set. See src/ddi/README.md. */
#ifndef GEO_DDI_LOADER_H
#define GEO_DDI_LOADER_H

#include <stdatomic.h>

#include "ddi/geo_ddi.h"

/* The set that exported functions call through. Initially geo_loader_start. */
extern _Atomic(const struct geo_ddi_table_set *) geo_loader;
/* The set below all layers: geo_loader_start, the tables of one library, or geo_loader_dispatch. */
extern _Atomic(const struct geo_ddi_table_set *) geo_loader_base;

static inline const struct geo_ddi_table_set *geo_ddi_loader_active(void)
{
    return atomic_load_explicit(&geo_loader, memory_order_acquire);
}

static inline const struct geo_ddi_table_set *geo_ddi_loader_base_active(void)
{
    return atomic_load_explicit(&geo_loader_base, memory_order_acquire);
}

/* A set in which every slot is a function that returns geo_loader_missing(its id). */
extern const struct geo_ddi_table_set geo_loader_stubs;
/* The set before initialisation. It equals geo_loader_stubs, but functions that take no handle have
 * the loader's own functions in their slots (ddi/geo_loader_own.h), as in geo_loader_dispatch. */
extern const struct geo_ddi_table_set geo_loader_start;
/* A set for several drivers: every slot is a function that calls through the tables at the start of
 * its handle. */
extern const struct geo_ddi_table_set geo_loader_dispatch;
/* A set in which every slot is a function that calls through geo_loader_base. The lowest layer
 * wraps this set, which never changes. */
extern const struct geo_ddi_table_set geo_loader_relays;
/* A set in which every slot is the exported function itself. */
extern const struct geo_ddi_table_set geo_loader_exports;

/* Defined by the loader: returns the result of a call that has no function to go to. It is
 * ZE_RESULT_ERROR_UNINITIALIZED before initialisation and after teardown, otherwise
 * ZE_RESULT_ERROR_UNSUPPORTED_FEATURE. */
ze_result_t geo_loader_missing(enum geo_ddi_function_id id);

/* Defined by the loader: the body of every exported z*Get*ProcAddrTable. */
ze_result_t geo_loader_fill_table(enum geo_ddi_table_id id, ze_api_version_t version, void *out);

/* Fills each NULL slot of `tables` from `fallback`. */
void geo_ddi_loader_tables_complete(struct geo_ddi_table_set *tables,
                                    const struct geo_ddi_table_set *fallback);

/* Sets the slots of functions that take no handle to the loader's own functions. */
void geo_ddi_loader_tables_own(struct geo_ddi_table_set *tables);

#endif
