/* CPUs and packages of the device, and helpers of the component classes. See finding.h. */
#include "backend/cpu/sysman/finding.h"

#include "base/number_list.h"
#include "base/room.h"

/* ---- location ---- */

static bool cpus_include(const cpu_set_t *all, const cpu_set_t *some)
{
    cpu_set_t both;
    CPU_AND(&both, all, some);
    return CPU_EQUAL(&both, some);
}

bool geo_finding_place(const struct geo_sysman *sysman, const cpu_set_t *cpus, int32_t *subdevice)
{
    cpu_set_t ours;
    CPU_AND(&ours, cpus, &sysman->whole.cpus);
    if (CPU_COUNT(&ours) == 0) {
        return false;
    }
    *subdevice = -1;
    for (uint32_t i = 0; i < sysman->part_count; i++) {
        if (cpus_include(&sysman->parts[i].cpus, &ours)) {
            *subdevice = sysman->parts[i].subdevice;
            break;
        }
    }
    return true;
}

void geo_finding_packages(const struct geo_sysman *sysman, struct geo_sysman_packages *out)
{
    static const char folder[] = "/sys/devices/system/cpu";
    for (int cpu = 0; cpu < GEO_SYSMAN_CPUS; cpu++) {
        out->package[cpu] = out->die[cpu] = -1;
        if (CPU_ISSET((size_t)cpu, &sysman->whole.cpus)) {
            out->package[cpu] = (int32_t)geo_tree_known(
                &sysman->tree,
                geo_tree_path("%s/cpu%d/topology/physical_package_id", folder, cpu).text, -1);
            out->die[cpu] = (int32_t)geo_tree_known(
                &sysman->tree, geo_tree_path("%s/cpu%d/topology/die_id", folder, cpu).text, -1);
        }
    }
}

void geo_finding_package_cpus(const struct geo_sysman_packages *packages, int32_t package,
                              int32_t die, cpu_set_t *out)
{
    CPU_ZERO(out);
    for (size_t cpu = 0; cpu < GEO_SYSMAN_CPUS; cpu++) {
        if (package >= 0 && packages->package[cpu] == package &&
            (die < 0 || packages->die[cpu] == die)) {
            CPU_SET(cpu, out);
        }
    }
}

static void cpu_add(void *set, uint32_t cpu)
{
    CPU_SET(cpu, (cpu_set_t *)set);
}

bool geo_finding_cpus_read(const struct geo_sysman *sysman, const char *path, cpu_set_t *out)
{
    enum { BYTES = 4096 };
    GEO_ROOM(char, text, BYTES);
    size_t length;
    CPU_ZERO(out);
    if (!text) {
        geo_tree_starve();
        return false;
    }
    if (geo_tree_bytes(&sysman->tree, path, text, BYTES, &length, NULL) != ZE_RESULT_SUCCESS) {
        return false;
    }
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == ' ')) {
        length--;
    }
    if (length == BYTES) {
        return false;
    }
    text[length] = '\0';
    return geo_number_list_parse(text, GEO_SYSMAN_CPUS, cpu_add, out);
}

/* ---- lists ---- */

struct geo_tree_names geo_finding_names(struct geo_finding *finding, const char *folder,
                                        const char *prefix)
{
    struct geo_tree_names names;
    if (finding->list->failed ||
        !geo_tree_list(&finding->sysman->tree, folder, prefix, &finding->scratch, &names)) {
        finding->list->failed = true;
        return (struct geo_tree_names){0};
    }
    return names;
}

/* ---- helpers ---- */

ze_result_t geo_finding_unsupported(struct geo_strbuf *why, const char *what)
{
    geo_strbuf_printf(why, "%s", what);
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

uint64_t geo_finding_monotonic(_Atomic uint64_t *last, uint64_t now)
{
    uint64_t before = atomic_load_explicit(last, memory_order_relaxed);
    while (before < now && !atomic_compare_exchange_weak_explicit(
                               last, &before, now, memory_order_relaxed, memory_order_relaxed)) {
    }
    return before < now ? now : before;
}
