/* Engines: the CPUs of the device, or of each of its parts, as one group, in three views.
 *
 * ALL is what the system counts as work of anybody (/proc/stat: user, nice, system, interrupts),
 * the mean over the CPUs: a group whose CPUs are all busy is active for as long as the clock goes.
 * The system's unit is the tick, mostly 10 ms. Time that a hypervisor gave to others is not active.
 *
 * COMPUTE_ALL and COPY_ALL are what the device did: kernels, and copies and fills, of all processes
 * whose census may be read (backend/host/census.h), the mean over the workers that there are for
 * the CPUs. */
#include "backend/cpu/sysman/classes.h"
#include "backend/cpu/sysman/finding.h"
#include "backend/host/census.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- of anybody ---- */

struct engine {
    struct geo_sysman_engine engine; /* first */
    const struct geo_sysman_unit *unit;
    uint64_t tick_us;
    _Atomic uint64_t active_us; /* as last seen */
};

/* "cpu7 user nice system idle iowait irq softirq ...": the ticks of work. False: no such line. */
static bool line_parse(const char *line, size_t *cpu, uint64_t *ticks)
{
    enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, FIELDS };
    uint64_t fields[FIELDS] = {0};
    char *end;
    *cpu = strtoul(line + 3, &end, 10);
    if (end == line + 3 || *cpu >= GEO_SYSMAN_CPUS) {
        return false;
    }
    for (int i = 0; i < FIELDS; i++) {
        char *at = end;
        fields[i] = strtoull(at, &end, 10);
        if (end == at) {
            return false;
        }
    }
    *ticks = fields[USER] + fields[NICE] + fields[SYSTEM] + fields[IRQ] + fields[SOFTIRQ];
    return true;
}

static ze_result_t engine_activity(const struct geo_sysman_engine *object, uint32_t count,
                                   zes_engine_stats_t *stats, struct geo_strbuf *why)
{
    struct engine *engine = object->base.opaque;
    struct geo_tree_lines lines;
    uint64_t ticks = 0, more;
    uint32_t cpus = 0;
    size_t cpu;
    if (count == 0) {
        return ZE_RESULT_SUCCESS;
    }
    ze_result_t result = geo_tree_lines_open(&lines, &object->base.sysman->tree, "/proc/stat", why);
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    for (char *line; (line = geo_tree_lines_next(&lines)) && strncmp(line, "cpu", 3) == 0;) {
        if (line_parse(line, &cpu, &more) && CPU_ISSET(cpu, &engine->unit->cpus)) {
            ticks += more;
            cpus++;
        }
    }
    geo_tree_lines_close(&lines);
    if (cpus == 0) {
        geo_strbuf_printf(why, "/proc/stat tells nothing of the device's CPUs");
        return ZE_RESULT_ERROR_NOT_AVAILABLE;
    }
    uint64_t all = (uint64_t)CPU_COUNT(&engine->unit->cpus);
    stats[0].timestamp = geo_sysman_clock_us();
    stats[0].activeTime = geo_sysman_monotonic(&engine->active_us, ticks * engine->tick_us / all);
    return ZE_RESULT_SUCCESS;
}

static const struct geo_sysman_engine_ops engine_ops = {.activity = engine_activity};

/* ---- of the device ---- */

/* A sum that falls says that a process ended, or that somebody wrote nonsense, and one that grows
 * faster than the clock goes the latter, or that threads shared the CPU. So only growth from one
 * look to the next counts, and no more of it than there was time. */
struct worked {
    struct geo_sysman_engine engine; /* first */
    enum geo_busy_kind kind;
    uint32_t cpu_count, workers;
    const uint16_t *cpus; /* [cpu_count], rising */
    struct geo_object_lock lock;
    /* under the lock */
    uint64_t seen_us;   /* the last look */
    uint64_t active_ns; /* of all workers */
    uint64_t *sums;     /* [cpu_count] as last seen */
};

static void worked_add_locked(struct worked *worked, const uint64_t *sums, uint64_t now_us)
{
    const uint64_t elapsed_ns = (now_us - worked->seen_us) * GEO_NS_PER_US;
    const uint64_t most_ns = elapsed_ns * worked->workers;
    uint64_t more_ns = 0;
    for (uint32_t i = 0; i < worked->cpu_count; i++) {
        uint64_t grown = sums[i] > worked->sums[i] ? sums[i] - worked->sums[i] : 0;
        more_ns += grown < elapsed_ns ? grown : elapsed_ns;
        worked->sums[i] = sums[i];
    }
    worked->active_ns += more_ns < most_ns ? more_ns : most_ns;
    worked->seen_us = now_us;
}

/* The time of a look is that of its beginning: what ended since then is in the sums, and what has
 * begun is not. */
static ze_result_t worked_activity(const struct geo_sysman_engine *object, uint32_t count,
                                   zes_engine_stats_t *stats, struct geo_strbuf *why)
{
    struct worked *worked = object->base.opaque;
    uint64_t now_us = geo_sysman_clock_us();
    uint64_t *sums = malloc(worked->cpu_count * sizeof(*sums));
    if (!sums || !geo_census_busy(object->base.sysman->tree.root, worked->kind,
                                  now_us * GEO_NS_PER_US, worked->cpus, sums, worked->cpu_count)) {
        free(sums);
        geo_strbuf_printf(why, "no memory or descriptor to read the census in /dev/shm with");
        return ZE_RESULT_ERROR_NOT_AVAILABLE;
    }
    geo_object_lock_acquire(&worked->lock);
    if (now_us > worked->seen_us) { /* else somebody else was faster */
        worked_add_locked(worked, sums, now_us);
    }
    now_us = worked->seen_us;
    uint64_t active_us = worked->active_ns / worked->workers / GEO_NS_PER_US;
    geo_object_lock_release(&worked->lock);
    free(sums);
    if (count != 0) {
        stats[0] = (zes_engine_stats_t){.activeTime = active_us, .timestamp = now_us};
    }
    return ZE_RESULT_SUCCESS;
}

static const struct geo_sysman_engine_ops worked_ops = {.activity = worked_activity};

/* ---- finding ---- */

static void engine_add(struct geo_finding *finding, const struct geo_sysman_unit *unit)
{
    long ticks = sysconf(_SC_CLK_TCK);
    struct engine *engine =
        geo_finding_add(finding, sizeof(*engine), unit->subdevice, NULL, "cpus");
    if (engine) {
        engine->engine.base.opaque = engine;
        engine->engine.properties.type = ZES_ENGINE_GROUP_ALL;
        engine->engine.ops = &engine_ops;
        engine->unit = unit;
        engine->tick_us = 1000000u / (uint64_t)(ticks > 0 ? ticks : 100);
    }
}

static void worked_add(struct geo_finding *finding, const struct geo_sysman_unit *unit,
                       zes_engine_group_t type, enum geo_busy_kind kind, const char *name)
{
    const uint32_t cpus = (uint32_t)CPU_COUNT(&unit->cpus), workers = unit->device->crew.workers;
    uint16_t *numbers = geo_finding_memory(finding, (cpus + 1) * sizeof(*numbers));
    uint64_t *sums = geo_finding_memory(finding, (cpus + 1) * sizeof(*sums));
    struct worked *worked =
        cpus != 0 ? geo_finding_add(finding, sizeof(*worked), unit->subdevice, NULL, name) : NULL;
    if (!numbers || !sums || !worked) {
        return;
    }
    for (size_t cpu = 0; cpu < GEO_SYSMAN_CPUS; cpu++) {
        if (CPU_ISSET(cpu, &unit->cpus)) {
            numbers[worked->cpu_count++] = (uint16_t)cpu;
        }
    }
    worked->engine.base.opaque = worked;
    worked->engine.properties.type = type;
    worked->engine.ops = &worked_ops;
    worked->kind = kind;
    worked->workers = workers != 0 && workers < cpus ? workers : cpus;
    worked->cpus = numbers;
    worked->sums = sums;
}

void geo_cpu_sysman_find_engine(struct geo_finding *finding)
{
    uint32_t count;
    const struct geo_sysman_unit *units = geo_sysman_units(finding->sysman, &count);
    const bool ticks = geo_tree_has(&finding->sysman->tree, "/proc/stat");
    const bool census = geo_census_possible(finding->sysman->tree.root);
    for (uint32_t i = 0; i < count; i++) {
        if (ticks) {
            engine_add(finding, &units[i]);
        }
        if (census) {
            worked_add(finding, &units[i], ZES_ENGINE_GROUP_COMPUTE_ALL, GEO_BUSY_KERNEL,
                       "kernels");
            worked_add(finding, &units[i], ZES_ENGINE_GROUP_COPY_ALL, GEO_BUSY_COPY, "copies");
        }
    }
}
