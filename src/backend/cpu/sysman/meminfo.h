/* Reads memory statistics of the system (/proc/meminfo) or of one memory node. */
#ifndef GEO_BACKEND_CPU_SYSMAN_MEMINFO_H
#define GEO_BACKEND_CPU_SYSMAN_MEMINFO_H

#include "backend/cpu/sysman/tree.h"

#define GEO_MEMINFO_MACHINE "/proc/meminfo"
#define GEO_MEMINFO_MISSING UINT64_MAX

/* Each value is in bytes, or GEO_MEMINFO_MISSING if the system does not report it. */
struct geo_meminfo {
    uint64_t total, free;
    uint64_t available; /* missing for a node */
    uint64_t active_files, inactive_files;
    uint64_t broken; /* memory of pages taken out of use; missing for a node */
};

/* Reads the statistics. Returns NOT_AVAILABLE when total or free is missing. */
ze_result_t geo_meminfo_read(const struct geo_tree *tree, const char *path,
                             struct geo_meminfo *info, struct geo_strbuf *why);

#endif
