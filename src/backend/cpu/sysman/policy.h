/* Policies of frequency scaling: groups of CPUs that share a frequency. */
#ifndef GEO_BACKEND_CPU_SYSMAN_POLICY_H
#define GEO_BACKEND_CPU_SYSMAN_POLICY_H

#include "backend/cpu/sysman/finding.h"

#define GEO_POLICY_FOLDER "/sys/devices/system/cpu/cpufreq"
/* Folder of each CPU's policy on Linux before 4.3. */
#define GEO_POLICY_OLD_FOLDER "/sys/devices/system/cpu"
#define GEO_POLICY_CLOCKS     256u   /* maximum, of one policy and of all together */
#define GEO_POLICY_PER_MHZ    1000.0 /* the system's unit is kHz */

struct geo_policy {
    struct geo_tree_path path;
    uint32_t cpus; /* number of its CPUs in the unit */
    uint32_t first_cpu;
    double min, max; /* hardware limits in MHz */
};

/* Reads a policy by its folder name: "policy3", or "cpu3" on an old system. Returns false when it
 * has none of the unit's CPUs, or its limits are unknown. */
bool geo_policy_read(const struct geo_sysman *sysman, const struct geo_sysman_unit *unit,
                     const char *name, struct geo_policy *policy);

struct geo_tree_path geo_policy_file(const struct geo_policy *policy, const char *name);

/* Reads a required frequency, in MHz. */
ze_result_t geo_policy_mhz(const struct geo_tree *tree, const struct geo_policy *policy,
                           const char *name, double *mhz, struct geo_strbuf *why);
/* Reads an optional frequency, in MHz. Returns -1 without one. */
double geo_policy_known(const struct geo_tree *tree, const struct geo_policy *policy,
                        const char *name);

/* Returns the frequencies of all policies, ascending: the listed ones, else the named ones. Returns
 * their number, at least 1. */
uint32_t geo_policy_clocks(const struct geo_tree *tree, const struct geo_policy *policies,
                           uint32_t count, double clocks[2 * GEO_POLICY_CLOCKS]);

#endif
