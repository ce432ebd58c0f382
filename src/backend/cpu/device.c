/* Describes the CPU as one device with everything that this process may use. The roster divides it
 * into devices. */
#include "backend/cpu/device.h"

#include "backend/cpu/launch.h"
#include "backend/cpu/topology.h"
#include "backend/host/host.h"
#include "backend/host/roster.h"
#include "base/cl_printf.h"
#include "base/option.h"
#include "exec/record/execute.h"
#include "machine/identity.h"
#include "machine/machine.h"
#include "native/abi.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LOCAL_BYTES (128u << 10)
#define GROUP_ITEMS 1024u
_Static_assert(GROUP_ITEMS <= GEO_LAUNCH_GROUP_LIMIT, "the compiler relies on it");
#define COMPUTE_QUEUES_MAX 4u
#define HARDWARE_CONTEXTS  1024u
#define SPIN_US_MAX        1000000u
#define THREADS_MAX        1024u
#define MEMORY_BUS_BITS    64u /* width of one DDR channel; the number of channels is unknown */

static uint64_t hash_text(uint64_t hash, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (uint8_t)text[i]) * 0x100000001b3ull;
    }
    return hash;
}

/* Builds a UUID that is stable on this machine and differs between machines. It does not reveal the
 * machine id. */
static void uuid_make(const char *cpu_name, uint8_t uuid[ZE_MAX_DEVICE_UUID_SIZE])
{
    char id[64] = {0};
    ssize_t length = -1;
    int fd = open("/etc/machine-id", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        length = read(fd, id, sizeof(id) - 1);
        close(fd);
    }
    const char *text = length > 0 ? id : cpu_name;
    uint64_t low = hash_text(0xcbf29ce484222325ull, "geoid cpu device 0", 18);
    low = hash_text(low, text, strlen(text));
    uint64_t high = hash_text(low ^ 0x9e3779b97f4a7c15ull, text, strlen(text));
    memcpy(uuid, &low, sizeof(low));
    memcpy(uuid + sizeof(low), &high, sizeof(high));
    uuid[6] = (uint8_t)((uuid[6] & 0x0f) | 0x80); /* version 8 of RFC 9562: vendor specific */
    uuid[8] = (uint8_t)((uuid[8] & 0x3f) | 0x80);
}

static uint32_t worker_count(const struct geo_topology *topology)
{
    uint32_t wanted = (uint32_t)geo_option_number("GEOID_THREADS", 0, THREADS_MAX);
    if (wanted != 0) {
        return wanted;
    }
    uint32_t count = topology->core_count;
    if (topology->quota_cpus != 0 && topology->quota_cpus < count) {
        count = topology->quota_cpus;
    }
    return count;
}

/* The machine's cores, and additional places when more workers are requested. */
struct crew_places {
    int32_t places[GEO_CPU_LIMIT + THREADS_MAX];
    uint32_t part_of[GEO_CPU_LIMIT + THREADS_MAX];
    int32_t core_of[GEO_CPU_LIMIT];
};

static struct geo_crew_desc crew_describe(const struct geo_topology *topology, uint32_t workers,
                                          struct crew_places *out)
{
    uint32_t count = topology->cpu_count;
    memcpy(out->places, topology->cpus, count * sizeof(out->places[0]));
    memcpy(out->part_of, topology->part_of, count * sizeof(out->part_of[0]));
    memcpy(out->core_of, topology->core_of, sizeof(out->core_of));
    for (int32_t place = GEO_CPU_LIMIT; count < workers; place++) {
        out->places[count++] = place;
    }
    return (struct geo_crew_desc){
        .places = out->places,
        .place_count = count,
        .workers = workers,
        /* pinned only if they fill the machine; otherwise the system places them better */
        .pinned = workers <= topology->cpu_count && workers >= topology->core_count &&
                  (topology->quota_cpus == 0 || topology->quota_cpus >= workers),
        .core_of = out->core_of,
        .spin_ns = topology->cpu_count > 1
                       ? geo_option_number("GEOID_SPIN_US", 0, SPIN_US_MAX) * GEO_NS_PER_US
                       : 0,
    };
}

static void limits_fill(struct geo_device_info *info)
{
    info->max_group_items = GROUP_ITEMS;
    info->max_local_bytes = LOCAL_BYTES;
    info->print_bytes = GEO_CL_PRINTF_BYTES;
    for (int i = 0; i < 3; i++) {
        info->max_group_size[i] = GROUP_ITEMS;
        info->max_group_count[i] = UINT32_MAX;
    }
    const uint32_t subgroups[] = {8, 16, 32};
    memcpy(info->subgroup_sizes, subgroups, sizeof(subgroups));
    info->subgroup_size_count = 3;
}

static void groups_fill(struct geo_device_info *info, uint32_t workers)
{
    info->groups[0] = (struct geo_queue_group_info){
        .flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE |
                 ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY |
                 ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COOPERATIVE_KERNELS,
        .max_fill_pattern_bytes = UINT64_MAX,
        .queue_count = workers < COMPUTE_QUEUES_MAX ? workers : COMPUTE_QUEUES_MAX,
    };
    info->groups[1] = (struct geo_queue_group_info){
        .flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY,
        .max_fill_pattern_bytes = GEO_COPY_GROUP_FILL_BYTES,
        .queue_count = 1,
    };
    info->group_count = 2;
}

static void info_fill(const struct geo_topology *topology,
                      const struct geo_machine_identity *identity, const char *name,
                      uint32_t workers, struct geo_device_info *info)
{
    *info = (struct geo_device_info){
        .name = name,
        .type = ZE_DEVICE_TYPE_CPU,
        .flags = ZE_DEVICE_PROPERTY_FLAG_INTEGRATED | ZE_DEVICE_PROPERTY_FLAG_ONDEMANDPAGING,
        .vendor_id = identity->vendor_id,
        .device_id = identity->model_id,
        .core_clock_mhz = identity->clock_mhz,
        .max_hardware_contexts = HARDWARE_CONTEXTS,
        .max_command_queue_priority = GEO_TASK_PRIORITIES - 1,
        .threads_per_eu = 1,
        .eus_per_subslice = workers,
        .subslices_per_slice = 1,
        .slices = 1,
        .simd_width = identity->simd_lanes,
        .timer_hz = GEO_NS_PER_SEC,
        .timestamp_valid_bits = GEO_TIMESTAMP_BITS,
        .kernel_timestamp_valid_bits = GEO_TIMESTAMP_BITS,
        .memory_bus_width = MEMORY_BUS_BITS,
        .memory_bytes = topology->memory_bytes,
        .max_allocation_bytes = topology->memory_bytes,
        .memory_name = "System memory",
        .cache_count = topology->cache_count,
        .native = {.kinds = 1u << GEO_PAYLOAD_OBJECT,
                   .contract = GEO_ABI_VERSION,
                   .target = GEO_MACHINE_TARGET,
                   .features = identity->features},
        .executes = true,
    };
    memcpy(info->caches, topology->caches, sizeof(info->caches));
    uuid_make(identity->name, info->uuid);
    limits_fill(info);
    groups_fill(info, workers);
}

ze_result_t geo_cpu_devices_init(struct geo_backend *backend, struct geo_backend_device *devices)
{
    static char name[96];
    static struct geo_topology topology; /* static: too large for small stacks */
    static struct crew_places places;
    struct geo_machine_identity identity;
    struct geo_device_info info;
    geo_topology_read(&topology);
    geo_host_open(topology.memory_bytes);
    if (backend->device_count != 0) { /* opened again: nothing to do */
        return ZE_RESULT_SUCCESS;
    }
    geo_machine_identify(&identity);
    geo_cpu_launch_open();
    uint32_t workers = worker_count(&topology);
    snprintf(name, sizeof(name), "%s (Geoid CPU)", identity.name);
    info_fill(&topology, &identity, name, workers, &info);
    const struct geo_roster_desc desc = {
        .shape = geo_roster_asked(),
        .info = &info,
        .ops = &geo_cpu_record_ops,
        .crew = crew_describe(&topology, workers, &places),
        .part_of = places.part_of,
        .machine_parts = topology.parts,
        /* parts are used only if every core has exactly one worker */
        .part_count = workers == topology.core_count ? topology.part_count : 0,
    };
    uint32_t count = geo_roster_build(&desc, devices);
    if (count == 0) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    backend->spin_ns = desc.crew.spin_ns;
    backend->devices = devices;
    backend->device_count = count;
    return ZE_RESULT_SUCCESS;
}
