/* Reads the files of frequency policies. See policy.h. */
#include "backend/cpu/sysman/policy.h"

#include "base/room.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct geo_tree_path geo_policy_file(const struct geo_policy *policy, const char *name)
{
    return geo_tree_path("%s/%s", policy->path.text, name);
}

ze_result_t geo_policy_mhz(const struct geo_tree *tree, const struct geo_policy *policy,
                           const char *name, double *mhz, struct geo_strbuf *why)
{
    int64_t khz;
    struct geo_tree_path path = geo_policy_file(policy, name);
    ze_result_t result = geo_tree_number(tree, path.text, &khz, why);
    if (result == ZE_RESULT_SUCCESS && khz < 0) {
        if (why) {
            geo_strbuf_printf(why, "file %s contains a negative frequency", path.text);
        }
        result = ZE_RESULT_ERROR_UNKNOWN;
    }
    if (result == ZE_RESULT_SUCCESS) {
        *mhz = (double)khz / GEO_POLICY_PER_MHZ;
    }
    return result;
}

double geo_policy_known(const struct geo_tree *tree, const struct geo_policy *policy,
                        const char *name)
{
    int64_t khz = geo_tree_known(tree, geo_policy_file(policy, name).text, -1);
    return khz < 0 ? -1 : (double)khz / GEO_POLICY_PER_MHZ;
}

/* Finds the folder of a policy. Sets *cpu to the CPU of a folder of an old system, or to -1 for a
 * policy's folder. Returns false when the name is neither. */
static bool policy_locate(const char *name, int *cpu, struct geo_tree_path *path)
{
    *cpu = -1;
    if (strncmp(name, "policy", 6) == 0) {
        *path = geo_tree_path(GEO_POLICY_FOLDER "/%s", name);
        return true;
    }
    *path = geo_tree_path(GEO_POLICY_OLD_FOLDER "/%s/cpufreq", name);
    return sscanf(name, "cpu%d", cpu) == 1; /* rejects "cpuidle", which is in the same folder */
}

bool geo_policy_read(const struct geo_sysman *sysman, const struct geo_sysman_unit *unit,
                     const char *name, struct geo_policy *policy)
{
    const struct geo_tree *tree = &sysman->tree;
    cpu_set_t cpus;
    int cpu;
    if (!policy_locate(name, &cpu, &policy->path) ||
        !geo_finding_cpus_read(sysman, geo_policy_file(policy, "affected_cpus").text, &cpus) ||
        (cpu >= 0 && cpu != geo_finding_first_cpu(&cpus))) {
        return false; /* the other CPUs of a policy would show it again */
    }
    CPU_AND(&cpus, &cpus, &unit->cpus);
    policy->cpus = (uint32_t)CPU_COUNT(&cpus);
    policy->first_cpu = (uint32_t)geo_finding_first_cpu(&cpus);
    policy->min = geo_policy_known(tree, policy, "cpuinfo_min_freq");
    policy->max = geo_policy_known(tree, policy, "cpuinfo_max_freq");
    return policy->cpus != 0 && policy->min >= 0 && policy->max >= policy->min && policy->max > 0 &&
           geo_tree_has(tree, geo_policy_file(policy, "scaling_cur_freq").text);
}

/* ---- clocks ---- */

static int doubles_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static uint32_t doubles_unique(double *values, uint32_t count)
{
    qsort(values, count, sizeof(values[0]), doubles_compare);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (kept == 0 || values[i] > values[kept - 1]) {
            values[kept++] = values[i];
        }
    }
    return kept;
}

static uint32_t listed_read(const struct geo_tree *tree, const struct geo_policy *policy,
                            double *clocks)
{
    enum { BYTES = 4096 };
    GEO_ROOM(char, text, BYTES);
    size_t length;
    uint32_t count = 0;
    if (!text) {
        geo_tree_starve();
        return 0;
    }
    if (geo_tree_bytes(tree, geo_policy_file(policy, "scaling_available_frequencies").text, text,
                       BYTES - 1, &length, NULL) != ZE_RESULT_SUCCESS) {
        return 0;
    }
    text[length] = '\0';
    for (char *at = text, *end; count < GEO_POLICY_CLOCKS; at = end) {
        unsigned long long khz = strtoull(at, &end, 10);
        if (end == at) {
            break;
        }
        double mhz = (double)khz / GEO_POLICY_PER_MHZ;
        if (mhz >= policy->min && mhz <= policy->max) {
            clocks[count++] = mhz;
        }
    }
    return count;
}

static uint32_t named_read(const struct geo_tree *tree, const struct geo_policy *policy,
                           double *clocks)
{
    double base = geo_policy_known(tree, policy, "base_frequency");
    clocks[0] = policy->min;
    clocks[1] = policy->max;
    clocks[2] = base >= policy->min && base <= policy->max ? base : policy->max;
    return 3;
}

/* Merges the frequencies of all policies. The policies of a machine have few different lists, so
 * the result stays short. */
uint32_t geo_policy_clocks(const struct geo_tree *tree, const struct geo_policy *policies,
                           uint32_t count, double clocks[2 * GEO_POLICY_CLOCKS])
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t more = listed_read(tree, &policies[i], clocks + all);
        more = more ? more : named_read(tree, &policies[i], clocks + all);
        all = doubles_unique(clocks, all + more);
        all = all > GEO_POLICY_CLOCKS ? GEO_POLICY_CLOCKS : all;
    }
    return all;
}
