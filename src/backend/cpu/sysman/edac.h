/* Memory errors that the memory controllers count (/sys/devices/system/edac/mc). */
#ifndef GEO_BACKEND_CPU_SYSMAN_EDAC_H
#define GEO_BACKEND_CPU_SYSMAN_EDAC_H

#include "backend/cpu/sysman/tree.h"

enum geo_edac_count {
    GEO_EDAC_CORRECTED,
    GEO_EDAC_UNCORRECTED,
};

/* Returns the number of controllers; 0: the system does not count errors. */
uint32_t geo_edac_controllers(const struct geo_tree *tree);

/* Returns the sum over all controllers. */
ze_result_t geo_edac_count(const struct geo_tree *tree, enum geo_edac_count what, uint64_t *count,
                           struct geo_strbuf *why);

/* Resets the counts of both kinds on all controllers. The system has one switch for both. */
ze_result_t geo_edac_clear(const struct geo_tree *tree, struct geo_strbuf *why);

/* Returns whether memory corrects errors: a controller counts them, and none reports that it
 * corrects none. */
bool geo_edac_corrects(const struct geo_tree *tree);

/* Writes the type of the memory modules ("Registered-DDR4"). Returns false when it is unknown. */
bool geo_edac_memory_type(const struct geo_tree *tree, char *text, size_t size);

#endif
