/* Engines: the CPUs of the device, or of each sub-device, as one group in three views.
 *
 * ALL is the work of all processes on the system (/proc/stat: user, nice, system, interrupts), as
 * the mean over the CPUs. A group whose CPUs are all busy is active all the time. The system's unit
 * is the tick, usually 10 ms. Time that a hypervisor gave to other machines does not count.
 *
 * COMPUTE_ALL and COPY_ALL are the device's own work (kernels; copies and fills), as the mean over
 * the CPUs' workers. They cover all processes whose census may be read (backend/host/census.h). */
#include "backend/cpu/sysman/classes.h"
#include "backend/cpu/sysman/finding.h"
#include "backend/host/census.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- system work ---- */

struct engine {
    struct geo_sysman_engine engine; /* first */
    const struct geo_sysman_unit *unit;
    uint64_t tick_us;
    _Atomic uint64_t active_us; /* at the last query */
};

/* Parses a line "cpu7 user nice system idle iowait irq softirq ..." and sums up the ticks of work.
 * Returns false for other lines. */
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
        geo_strbuf_printf(why, "/proc/stat lists none of the device's CPUs");
        return ZE_RESULT_ERROR_NOT_AVAILABLE;
    }
    uint64_t all = (uint64_t)CPU_COUNT(&engine->unit->cpus);
    stats[0].timestamp = geo_backend_clock_us();
    stats[0].activeTime = geo_finding_monotonic(&engine->active_us, ticks * engine->tick_us / all);
    return ZE_RESULT_SUCCESS;
}

static const struct geo_sysman_engine_ops engine_ops = {.activity = engine_activity};

/* ---- device work ---- */

/* Activity of the device. A sum that decreases means that a process ended or wrote an invalid
 * value. A sum that grows faster than the clock means an invalid value, or that threads shared the
 * CPU. Therefore only increases between two queries count, limited to the elapsed time. */
struct worked {
    struct geo_sysman_engine engine; /* first */
    enum geo_busy_kind kind;
    uint32_t cpu_count, workers;
    const uint16_t *cpus; /* [cpu_count], ascending */
    struct geo_object_lock lock;
    /* the fields below are protected by the lock */
    uint64_t seen_us;   /* time of the last query */
    uint64_t active_ns; /* sum of all workers */
    uint64_t *sums;     /* [cpu_count] at the last query */
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

/* Updates and returns the activity. The time of a query is taken at its start: work that ended
 * before is included in the sums, and later work is not. */
static ze_result_t worked_activity(const struct geo_sysman_engine *object, uint32_t count,
                                   zes_engine_stats_t *stats, struct geo_strbuf *why)
{
    struct worked *worked = object->base.opaque;
    uint64_t now_us = geo_backend_clock_us();
    uint64_t *sums = malloc(worked->cpu_count * sizeof(*sums));
    if (!sums ||
        !geo_census_read_busy(object->base.sysman->tree.root, worked->kind, now_us * GEO_NS_PER_US,
                              worked->cpus, sums, worked->cpu_count)) {
        free(sums);
        geo_strbuf_printf(why, "no memory or descriptor to read the Geoid files in /dev/shm");
        return ZE_RESULT_ERROR_NOT_AVAILABLE;
    }
    geo_object_lock_acquire(&worked->lock);
    if (now_us > worked->seen_us) { /* otherwise another thread was faster */
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
    const struct geo_sysman_unit *units = geo_finding_units(finding->sysman, &count);
    const bool ticks = geo_tree_has(&finding->sysman->tree, "/proc/stat");
    const bool census = geo_census_read_possible(finding->sysman->tree.root);
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
