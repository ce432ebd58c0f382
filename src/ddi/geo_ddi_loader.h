/* The loader's calling tables. The exported functions are generated (target geoid_ddi_loader) and
 * all have the form
 *
 *     ze_result_t zeMemFree(hContext, ptr) {
 *         return geo_loader_active()->ze.Mem.pfnFree(hContext, ptr);
 *     }
 *
 * so what a call does is decided by the set of tables that geo_loader points to; no slot of it is
 * ever NULL. One pointer, so that a set is exchanged at once while other threads call. Layers stand
 * between two such pointers:
 *
 *     zeMemFree --> geo_loader --> thunk of a layer --> relay --> geo_loader_base --> driver
 *
 * and without layers both are the same. See src/ddi/README.md.
 */
#ifndef GEO_DDI_LOADER_H
#define GEO_DDI_LOADER_H

#include <stdatomic.h>

#include "ddi/geo_ddi.h"

/* What exported functions call through. Starts as geo_loader_start. */
extern _Atomic(const struct geo_ddi_table_set *) geo_loader;
/* What lies below all layers: geo_loader_start, the tables of one library, geo_loader_dispatch. */
extern _Atomic(const struct geo_ddi_table_set *) geo_loader_base;

static inline const struct geo_ddi_table_set *geo_loader_active(void)
{
    return atomic_load_explicit(&geo_loader, memory_order_acquire);
}

static inline const struct geo_ddi_table_set *geo_loader_base_active(void)
{
    return atomic_load_explicit(&geo_loader_base, memory_order_acquire);
}

/* Every slot: a function that returns geo_loader_missing(its id). */
extern const struct geo_ddi_table_set geo_loader_stubs;
/* The same, but for the functions that no handle leads to a driver: the loader's own
 * (ddi/geo_loader_own.h), as in geo_loader_dispatch. */
extern const struct geo_ddi_table_set geo_loader_start;
/* Every slot: a function that calls through the tables of its handle (several drivers). */
extern const struct geo_ddi_table_set geo_loader_dispatch;
/* Every slot: a function that calls through geo_loader_base. What layers wrap: it never changes. */
extern const struct geo_ddi_table_set geo_loader_relays;
/* Every slot: the exported function itself. */
extern const struct geo_ddi_table_set geo_loader_exports;

/* Written by the loader: the answer where there is nothing to call. ZE_RESULT_ERROR_UNINITIALIZED
 * before initialisation and after teardown, else ZE_RESULT_ERROR_UNSUPPORTED_FEATURE. */
ze_result_t geo_loader_missing(enum geo_ddi_function_id id);

/* Written by the loader: the body of every exported z*Get*ProcAddrTable. */
ze_result_t geo_loader_fill_table(enum geo_ddi_table_id id, ze_api_version_t version, void *out);

/* For each slot of `tables` that is NULL, takes the one of `fallback`. */
void geo_loader_tables_complete(struct geo_ddi_table_set *tables,
                                const struct geo_ddi_table_set *fallback);

/* Puts the loader's own functions into the slots that no handle leads to. */
void geo_loader_tables_own(struct geo_ddi_table_set *tables);

#endif
