/* Policies of frequency scaling: CPUs that have their frequency together. */
#ifndef GEO_BACKEND_CPU_SYSMAN_POLICY_H
#define GEO_BACKEND_CPU_SYSMAN_POLICY_H

#include "backend/cpu/sysman/finding.h"

#define GEO_POLICY_FOLDER "/sys/devices/system/cpu/cpufreq"
/* Where Linux before 4.3 has them: in a folder of each CPU. */
#define GEO_POLICY_OLD_FOLDER "/sys/devices/system/cpu"
#define GEO_POLICY_CLOCKS     256u   /* of one policy, and of all together */
#define GEO_POLICY_PER_MHZ    1000.0 /* the system's unit is kHz */

struct geo_policy {
    struct geo_tree_path path;
    uint32_t cpus; /* of the unit that it was read for */
    uint32_t first_cpu;
    double min, max; /* MHz, of the hardware */
};

/* "policy3", or "cpu3" of an old system. False: it has none of the unit's CPUs, or says not what
 * they can do. */
bool geo_policy_read(const struct geo_sysman *sysman, const struct geo_sysman_unit *unit,
                     const char *name, struct geo_policy *policy);

struct geo_tree_path geo_policy_file(const struct geo_policy *policy, const char *name);

/* A frequency that must be there, in MHz. */
ze_result_t geo_policy_mhz(const struct geo_tree *tree, const struct geo_policy *policy,
                           const char *name, double *mhz, struct geo_strbuf *why);
/* One that may be; -1: it is not. */
double geo_policy_known(const struct geo_tree *tree, const struct geo_policy *policy,
                        const char *name);

/* The clocks of all of them, ascending; those that the system lists, else those that it names. How
 * many they are, at least 1. */
uint32_t geo_policy_clocks(const struct geo_tree *tree, const struct geo_policy *policies,
                           uint32_t count, double clocks[2 * GEO_POLICY_CLOCKS]);

#endif
