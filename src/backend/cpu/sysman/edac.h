/* Errors of memory, as the controllers count them (/sys/devices/system/edac/mc). */
#ifndef GEO_BACKEND_CPU_SYSMAN_EDAC_H
#define GEO_BACKEND_CPU_SYSMAN_EDAC_H

#include "backend/cpu/sysman/tree.h"

enum geo_edac_count {
    GEO_EDAC_CORRECTED,
    GEO_EDAC_UNCORRECTED,
};

/* How many controllers there are; 0: the system counts no errors. */
uint32_t geo_edac_controllers(const struct geo_tree *tree);

/* The sum over the controllers. */
ze_result_t geo_edac_count(const struct geo_tree *tree, enum geo_edac_count what, uint64_t *count,
                           struct geo_strbuf *why);

/* Sets the counts of all controllers to 0, of both kinds: the system has one switch for them. */
ze_result_t geo_edac_clear(const struct geo_tree *tree, struct geo_strbuf *why);

/* Whether memory corrects errors: a controller counts them, and none says that it corrects none. */
bool geo_edac_corrects(const struct geo_tree *tree);

/* The name of the modules' type ("Registered-DDR4"); false: nobody tells. */
bool geo_edac_memory_type(const struct geo_tree *tree, char *text, size_t size);

#endif
