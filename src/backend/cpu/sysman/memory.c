/* Memory of the machine, or of each sub-device's node.
 *
 *     type    type of the modules from the firmware's tables, which only root may read, or from the
 *             memory controllers; ZES_MEM_TYPE_FORCE_UINT32 if unknown or mixed
 *     size    what the system manages, limited to the device's memory: a container may have less
 *     free    what programs can get without swapping, limited by control groups. For the machine it
 *             is MemAvailable; for a node it is free memory plus file pages
 *     health  UNKNOWN without controllers that count errors; DEGRADED after an uncorrected error;
 *             CRITICAL when pages were taken out of use because of errors
 *     traffic counts of the memory controllers since the first query, if the system provides them
 *             and permits counting
 *
 * The number of channels and the bus width are unknown. */
#include "backend/cpu/sysman/memory.h"

#include "backend/cpu/sysman/bandwidth.h"
#include "backend/cpu/sysman/cgroup.h"
#include "backend/cpu/sysman/classes.h"
#include "backend/cpu/sysman/edac.h"
#include "backend/cpu/sysman/finding.h"
#include "backend/cpu/sysman/meminfo.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MODULES 256u
#define MIB     1048576.0

struct memory {
    struct geo_sysman_memory memory; /* first */
    const struct geo_sysman_unit *unit;
    struct geo_tree_path path; /* path of its statistics */
    struct geo_perf_set traffic;
    struct geo_cgroup_limits limits;
};

/* ---- state ---- */

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Returns the value, or 0 when it is missing. */
static uint64_t known(uint64_t bytes)
{
    return bytes == GEO_MEMINFO_MISSING ? 0 : bytes;
}

static ze_result_t info_read(const struct memory *memory, struct geo_meminfo *info,
                             struct geo_strbuf *why)
{
    return geo_meminfo_read(&memory->memory.base.sysman->tree, memory->path.text, info, why);
}

static uint64_t size_of(const struct memory *memory, const struct geo_meminfo *info)
{
    return smaller(info->total, memory->unit->device->info.memory_bytes);
}

static zes_mem_health_t health_of(const struct geo_tree *tree, const struct geo_meminfo *machine)
{
    uint64_t uncorrected;
    if (known(machine->broken) != 0) {
        return ZES_MEM_HEALTH_CRITICAL;
    }
    if (geo_edac_count(tree, GEO_EDAC_UNCORRECTED, &uncorrected, NULL) != ZE_RESULT_SUCCESS) {
        return ZES_MEM_HEALTH_UNKNOWN;
    }
    return uncorrected ? ZES_MEM_HEALTH_DEGRADED : ZES_MEM_HEALTH_OK;
}

zes_mem_health_t geo_cpu_sysman_health(const struct geo_tree *tree)
{
    struct geo_meminfo machine;
    if (geo_meminfo_read(tree, GEO_MEMINFO_MACHINE, &machine, NULL) != ZE_RESULT_SUCCESS) {
        machine.broken = GEO_MEMINFO_MISSING;
    }
    return health_of(tree, &machine);
}

static ze_result_t memory_state(const struct geo_sysman_memory *object, zes_mem_state_t *state,
                                struct geo_strbuf *why)
{
    const struct memory *memory = object->base.opaque;
    const struct geo_tree *tree = &object->base.sysman->tree;
    struct geo_meminfo info;
    ze_result_t result = info_read(memory, &info, why);
    if (result == ZE_RESULT_SUCCESS) {
        uint64_t most = info.available != GEO_MEMINFO_MISSING
                            ? info.available
                            : info.free + known(info.active_files) + known(info.inactive_files);
        state->health =
            memory->unit->node >= 0 ? geo_cpu_sysman_health(tree) : health_of(tree, &info);
        state->size = size_of(memory, &info);
        state->free = smaller(smaller(most, geo_cgroup_left(tree, &memory->limits)), state->size);
    }
    return result;
}

/* Returns the retired pages. The system could retire all pages, so max_pages is the total. */
static ze_result_t memory_pages_offline(const struct geo_sysman_memory *object, uint32_t *pages,
                                        uint32_t *max_pages, struct geo_strbuf *why)
{
    const struct memory *memory = object->base.opaque;
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    struct geo_meminfo info;
    if (memory->unit->node >= 0) {
        return geo_finding_unsupported(why, "the system does not tell it of single nodes");
    }
    ze_result_t result = info_read(memory, &info, why);
    if (result == ZE_RESULT_SUCCESS && info.broken == GEO_MEMINFO_MISSING) {
        return geo_finding_unsupported(why, GEO_MEMINFO_MACHINE " has no HardwareCorrupted");
    }
    if (result == ZE_RESULT_SUCCESS) {
        *pages = (uint32_t)smaller(info.broken / page, UINT32_MAX);
        *max_pages = (uint32_t)smaller(size_of(memory, &info) / page, UINT32_MAX);
    }
    return result;
}

/* Returns the traffic. The maximum bandwidth is unknown. */
static ze_result_t memory_bandwidth(const struct geo_sysman_memory *object,
                                    zes_mem_bandwidth_t *bandwidth, struct geo_strbuf *why)
{
    struct memory *memory = object->base.opaque;
    double mib[GEO_PERF_SUMS];
    if (memory->traffic.count == 0) {
        return geo_finding_unsupported(why, "the system names no counters of memory controllers");
    }
    ze_result_t result = geo_perf_read(&memory->traffic, &object->base.sysman->tree, mib, why);
    if (result == ZE_RESULT_SUCCESS) {
        bandwidth->readCounter = (uint64_t)(mib[GEO_BANDWIDTH_READ] * MIB);
        bandwidth->writeCounter = (uint64_t)(mib[GEO_BANDWIDTH_WRITE] * MIB);
        bandwidth->maxBandwidth = 0;
        bandwidth->timestamp = geo_backend_clock_us();
    }
    return result;
}

static void memory_finish(const struct geo_sysman_component *component)
{
    struct memory *memory = component->opaque;
    geo_perf_finish(&memory->traffic);
}

static const struct geo_sysman_memory_ops memory_ops = {
    .state = memory_state,
    .bandwidth = memory_bandwidth,
    .pages_offline = memory_pages_offline,
};

/* ---- type ---- */

/* Offsets and values in the firmware's table of a module (SMBIOS type 17). */
enum {
    MODULE_SIZE = 0x0c, /* two bytes; 0: empty slot */
    MODULE_TYPE = 0x12,
    MODULE_BYTES = 0x15,
    MODULE_ROM = 0x08, /* types from ROM to EPROM hold firmware */
    MODULE_EPROM = 0x0c,
    MODULE_NON_VOLATILE = 0x1f,
};

static zes_mem_type_t type_by_number(uint8_t number)
{
    switch (number) {
    case 0x12:
        return ZES_MEM_TYPE_DDR;
    case 0x13:
        return ZES_MEM_TYPE_DDR2;
    case 0x18:
        return ZES_MEM_TYPE_DDR3;
    case 0x1a:
        return ZES_MEM_TYPE_DDR4;
    case 0x1b:
        return ZES_MEM_TYPE_LPDDR;
    case 0x1d:
        return ZES_MEM_TYPE_LPDDR3;
    case 0x1e:
        return ZES_MEM_TYPE_LPDDR4;
    case 0x20:
        return ZES_MEM_TYPE_HBM;
    case 0x21:
        return ZES_MEM_TYPE_HBM2;
    case 0x22:
        return ZES_MEM_TYPE_DDR5;
    case 0x23:
        return ZES_MEM_TYPE_LPDDR5;
    case 0x24:
        return ZES_MEM_TYPE_HBM3;
    default:
        return ZES_MEM_TYPE_FORCE_UINT32;
    }
}

/* Determines the type from the end of the system's name: "Unbuffered-DDR4", "Registered-DDR4",
 * "Load-Reduced-DDR4-RAM". */
static zes_mem_type_t type_by_name(const char *name)
{
    static const struct {
        const char *end;
        zes_mem_type_t type;
    } names[] = {
        {"Low-Power-DDR3-RAM", ZES_MEM_TYPE_LPDDR3},
        {"Low-Power-DDR4-RAM", ZES_MEM_TYPE_LPDDR4},
        {"-DDR", ZES_MEM_TYPE_DDR},
        {"-DDR2", ZES_MEM_TYPE_DDR2},
        {"-DDR3", ZES_MEM_TYPE_DDR3},
        {"Load-Reduced-DDR3-RAM", ZES_MEM_TYPE_DDR3},
        {"-DDR4", ZES_MEM_TYPE_DDR4},
        {"Load-Reduced-DDR4-RAM", ZES_MEM_TYPE_DDR4},
        {"-DDR5", ZES_MEM_TYPE_DDR5},
        {"Load-Reduced-DDR5-RAM", ZES_MEM_TYPE_DDR5},
        {"High-bandwidth-memory-Gen2", ZES_MEM_TYPE_HBM2},
        {"High-bandwidth-memory-Gen3", ZES_MEM_TYPE_HBM3},
    };
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        size_t end = strlen(names[i].end);
        if (length >= end && strcmp(name + length - end, names[i].end) == 0) {
            return names[i].type;
        }
    }
    return ZES_MEM_TYPE_FORCE_UINT32;
}

/* Returns whether a table entry is main memory. Some firmware also lists its own chips and
 * non-volatile memory. */
static bool module_is_memory(const uint8_t table[MODULE_BYTES])
{
    const uint8_t type = table[MODULE_TYPE];
    const bool there = table[MODULE_SIZE] != 0 || table[MODULE_SIZE + 1] != 0;
    return there && !(type >= MODULE_ROM && type <= MODULE_EPROM) && type != MODULE_NON_VOLATILE;
}

/* Determines the common type of all modules. Returns false when the tables cannot be read or the
 * types differ. */
static bool type_by_firmware(struct geo_finding *finding, zes_mem_type_t *type)
{
    static const char folder[] = "/sys/firmware/dmi/entries";
    struct geo_tree_names tables = geo_finding_names(finding, folder, "17-");
    bool known = false;
    for (uint32_t i = 0; i < tables.count && i < MODULES; i++) {
        uint8_t table[MODULE_BYTES];
        size_t length;
        if (geo_tree_bytes(&finding->sysman->tree,
                           geo_tree_path("%s/%s/raw", folder, tables.names[i]).text, table,
                           sizeof(table), &length, NULL) != ZE_RESULT_SUCCESS ||
            length < sizeof(table) || table[0] != 17) {
            return false;
        }
        if (!module_is_memory(table)) {
            continue;
        }
        zes_mem_type_t one = type_by_number(table[MODULE_TYPE]);
        if (known && one != *type) {
            return false;
        }
        *type = one;
        known = true;
    }
    return known;
}

static zes_mem_type_t type_find(struct geo_finding *finding)
{
    zes_mem_type_t type = ZES_MEM_TYPE_FORCE_UINT32;
    char name[64];
    if (type_by_firmware(finding, &type)) {
        return type;
    }
    return geo_edac_memory_type(&finding->sysman->tree, name, sizeof(name))
               ? type_by_name(name)
               : ZES_MEM_TYPE_FORCE_UINT32;
}

/* ---- finding ---- */

static void memory_add(struct geo_finding *finding, const struct geo_sysman_unit *unit,
                       struct geo_tree_path path, zes_mem_type_t type)
{
    struct memory *memory =
        geo_finding_add(finding, sizeof(*memory), unit->subdevice, NULL, "memory");
    struct geo_meminfo info;
    if (memory) {
        memory->memory.base.opaque = memory;
        memory->unit = unit;
        memory->path = path;
        memory->memory.properties.type = type;
        memory->memory.properties.location = ZES_MEM_LOC_SYSTEM;
        memory->memory.properties.busWidth = -1;
        memory->memory.properties.numChannels = -1;
        memory->memory.properties.physicalSize =
            info_read(memory, &info, NULL) == ZE_RESULT_SUCCESS ? size_of(memory, &info) : 0;
        memory->memory.ops = &memory_ops;
        geo_cgroup_find(&finding->sysman->tree, &memory->limits);
        geo_bandwidth_find(finding, &unit->cpus, &memory->traffic);
        memory->memory.counter_bits = memory->traffic.count ? 64 : 0;
    }
}

/* Adds the memory of each sub-device's node if every sub-device has one, else that of the
 * machine. */
void geo_cpu_sysman_find_memory(struct geo_finding *finding)
{
    const struct geo_sysman *sysman = finding->sysman;
    const zes_mem_type_t type = type_find(finding);
    finding->list->finish = memory_finish;
    bool nodes = sysman->part_count != 0;
    for (uint32_t i = 0; i < sysman->part_count; i++) {
        nodes = nodes && sysman->parts[i].node >= 0 &&
                geo_tree_has(&sysman->tree, geo_tree_path("/sys/devices/system/node/node%d/meminfo",
                                                          sysman->parts[i].node)
                                                .text);
    }
    for (uint32_t i = 0; nodes && i < sysman->part_count; i++) {
        memory_add(finding, &sysman->parts[i],
                   geo_tree_path("/sys/devices/system/node/node%d/meminfo", sysman->parts[i].node),
                   type);
    }
    if (!nodes && geo_tree_has(&sysman->tree, GEO_MEMINFO_MACHINE)) {
        memory_add(finding, &sysman->whole, geo_tree_path(GEO_MEMINFO_MACHINE), type);
    }
}
