/* Layers: libraries between the exported functions and the drivers.
 *
 *     zeX --> geo_loader --> tracing --> tools --> validation --> relay --> geo_loader_base
 *                                                                       --> driver
 *
 * Each layer is optional. The layers are chosen once per process, at the first initialisation or
 * tracing call: validation by its variable, those of tools by GEOID_LAYERS. Tracing is chosen by
 * its variable or when a call requests it. Each layer wraps the tables of the layer below once. The
 * relays below all layers never change, so tables in use are never written. Tracing is switched at
 * run time through the pointer that exported functions use. It wraps validation, as in the
 * reference loader.
 *
 * Exports of a layer's library:
 *
 *     z*Get*ProcAddrTable(version, table)   optional; functions of a missing table bypass it. In:
 *                                           the next function to call in every slot, valid until
 *                                           the process ends. Out: the function to call instead. A
 *                                           layer may refuse a version; it is then asked for older
 *                                           ones
 *     zelLoaderGetVersion(version)          optional; its entry in zelLoaderGetVersions
 *     geoidLayerEnd(void)                   optional; called once at the teardown, after the
 *                                           application's callbacks and before the drivers' last
 *                                           calls, while other threads may still be calling
 *
 * The tracing layer also exports zelGetTracerApiProcAddrTable, every
 * zelTracer<Name>RegisterCallback and zelTracerResetAllCallbacks. The functions of its
 * zetGetTracerExpProcAddrTable are implemented by the layer itself. */
#ifndef GEO_LOADER_LAYERS_H
#define GEO_LOADER_LAYERS_H

#include "ddi/geo_ddi_loader.h"

#include <level_zero/loader/ze_loader.h>

/* Opens the layers that the environment requests, once. Returns true when this call changed where
 * exported functions lead. */
bool geo_layers_begin(void);

/* Sets the tables below the layers. The loader's lock is held. */
void geo_layers_publish(const struct geo_ddi_table_set *base);

/* Tells the layers that the drivers are about to be torn down. */
void geo_layers_end(void);

/* Return the tracing layer's function with this name, or its tables. Open the layer if needed.
 * Return NULL when the layer is missing. */
void *geo_layers_tracing_symbol(const char *name);
const struct geo_ddi_table_set *geo_layers_tracing_tables(void);

/* Writes the versions of at most `room` loaded layers. Returns the number of loaded layers. */
size_t geo_layers_versions(zel_component_version_t *versions, size_t room);

/* Returns the record of a layer that was searched, for explanations, or NULL when the index is out
 * of range. The loader's lock is held. */
const struct geo_library *geo_layers_record(size_t index);

#endif
