/* Layers: libraries that stand between the exported functions and the drivers.
 *
 *     zeX --> geo_loader --> tracing --> validation --> relay --> geo_loader_base --> driver
 *
 * Each is there or not. Which layers there are is decided once per process: validation by its
 * variable at the first initialisation or tracing call, tracing by its variable or whenever a call
 * asks for it. Each wraps the tables of the one below it once, and the relays under them never
 * change, so tables in use are never written to. Tracing is switched at run time by the pointer
 * that exported functions call through; it wraps what validation made, as upstream's loader has it.
 *
 * What a layer's library exports:
 *
 *   z*Get*ProcAddrTable(version, table)   each of them may be missing: those functions go past it.
 *                                         In: what to call next, in every slot, until the process
 *                                         ends. Out: what to call instead. A layer may refuse
 *                                         versions that it does not know: it is asked for older
 *                                         ones then
 *   zelLoaderGetVersion(version)          its line in zelLoaderGetVersions; may be missing
 *   geoidLayerEnd(void)                   called once before the drivers are called for the last
 *                                         time, after the application's teardown callbacks, while
 *                                         other threads may still be calling; may be missing
 *
 * and the tracing layer besides zelGetTracerApiProcAddrTable, every zelTracer<Name>RegisterCallback
 * and zelTracerResetAllCallbacks; of its zetGetTracerExpProcAddrTable the functions come from the
 * layer itself. */
#ifndef GEO_LOADER_LAYERS_H
#define GEO_LOADER_LAYERS_H

#include "ddi/geo_ddi_loader.h"

#include <level_zero/loader/ze_loader.h>

/* Opens the layers that the environment asks for, when that was not done before. True when exported
 * functions lead somewhere else since this very call. */
bool geo_layers_begin(void);

/* Under the lock: from now on this lies below the layers. */
void geo_layers_publish(const struct geo_ddi_table_set *base);

/* Tells the layers that the drivers are about to go. */
void geo_layers_end(void);

/* The tracing layer's function of that name, or its table; opens the layer when it is not there.
 * NULL: there is none. */
void *geo_layers_tracing_symbol(const char *name);
const struct geo_ddi_table_set *geo_layers_tracing_tables(void);

/* Writes the versions of the layers that are there, at most `room`; returns their number. */
size_t geo_layers_versions(zel_component_version_t *versions, size_t room);

/* Under the lock: the records of the layers that were looked for, for explanations; NULL at the
 * end. */
const struct geo_library *geo_layers_record(size_t index);

#endif
