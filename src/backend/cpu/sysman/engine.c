/* Engines: the CPUs of the device, or of each of its parts, as one group. Active is what the system
 * counts as work of anybody (/proc/stat: user, nice, system, interrupts), the mean over the CPUs:
 * a group whose CPUs are all busy is active for as long as the clock goes. CPUs are what computes,
 * so the group of all engines and that of the computing ones are the same ones. The system's unit
 * is the tick, mostly 10 ms. Time that a hypervisor gave to others is not active. */
#include "backend/cpu/sysman/classes.h"
#include "backend/cpu/sysman/finding.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static void engine_add(struct geo_finding *finding, const struct geo_sysman_unit *unit,
                       zes_engine_group_t type)
{
    long ticks = sysconf(_SC_CLK_TCK);
    struct engine *engine =
        geo_finding_add(finding, sizeof(*engine), unit->subdevice, NULL, "cpus");
    if (engine) {
        engine->engine.base.opaque = engine;
        engine->engine.properties.type = type;
        engine->engine.ops = &engine_ops;
        engine->unit = unit;
        engine->tick_us = 1000000u / (uint64_t)(ticks > 0 ? ticks : 100);
    }
}

void geo_cpu_sysman_find_engine(struct geo_finding *finding)
{
    uint32_t count;
    const struct geo_sysman_unit *units = geo_sysman_units(finding->sysman, &count);
    for (uint32_t i = 0; i < count && geo_tree_has(&finding->sysman->tree, "/proc/stat"); i++) {
        engine_add(finding, &units[i], ZES_ENGINE_GROUP_ALL);
        engine_add(finding, &units[i], ZES_ENGINE_GROUP_COMPUTE_ALL);
    }
}
