/* What the backend finds out about the machine, on this one and on recorded ones. */
#include "support.h"

#include "backend/cpu/topology.h"
#include "exec/thread/sync.h"
#include "machine/identity.h"

#include <hwloc.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/geoid-topology-XXXXXX";

static int group_setup(void **state)
{
    (void)state;
    return mkdtemp(root) == NULL;
}

static int group_teardown(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof(command), "rm -rf %s", root);
    return system(command);
}

/* Writes root/path, making the folders on the way. */
static void file_write(const char *path, const char *text)
{
    char full[512];
    snprintf(full, sizeof(full), "%s/%s", root, path);
    for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(full, 0755);
        *slash = '/';
    }
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* DEV-11 */
static void this_machine_is_described(void **state)
{
    (void)state;
    static struct geo_topology topology;
    struct geo_machine_identity identity;
    geo_topology_read(&topology);
    cpu_set_t allowed;
    assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
    assert_int_equal(topology.cpu_count, CPU_COUNT(&allowed));
    assert_true(topology.core_count >= 1 && topology.core_count <= topology.cpu_count);
    for (uint32_t i = 0; i < topology.cpu_count; i++) {
        assert_true(CPU_ISSET((size_t)topology.cpus[i], &allowed));
        for (uint32_t k = 0; k < i; k++) {
            assert_int_not_equal(topology.cpus[i], topology.cpus[k]);
        }
    }
    assert_true(topology.memory_bytes >= 64u << 20);
    geo_machine_identify(&identity);
    assert_true(strlen(identity.name) > 2);
}

static void cores_by_hwloc(hwloc_topology_t hwloc, const cpu_set_t *allowed, int32_t *core_of)
{
    hwloc_obj_t unit = NULL;
    while ((unit = hwloc_get_next_obj_by_type(hwloc, HWLOC_OBJ_PU, unit)) != NULL) {
        if (unit->os_index < GEO_CPU_LIMIT && CPU_ISSET(unit->os_index, allowed)) {
            hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(hwloc, HWLOC_OBJ_CORE, unit);
            core_of[unit->os_index] =
                core ? hwloc_bitmap_first(core->cpuset) : (int32_t)unit->os_index;
        }
    }
}

static void caches_by_hwloc(hwloc_obj_t unit, struct geo_topology *topology)
{
    for (hwloc_obj_t object = unit; object; object = object->parent) {
        if (hwloc_obj_type_is_dcache(object->type) &&
            topology->cache_count < GEO_BACKEND_MAX_CACHES) {
            topology->caches[topology->cache_count++] = (struct geo_cache_info){
                .bytes = object->attr->cache.size,
                .level = object->attr->cache.depth,
                .line_bytes = object->attr->cache.linesize,
            };
        }
    }
}

/* What hwloc says of this machine; sysfs is all that it may look at. */
static void topology_by_hwloc(const cpu_set_t *allowed, struct geo_topology *topology,
                              int32_t *core_of)
{
    hwloc_topology_t hwloc;
    assert_int_equal(hwloc_topology_init(&hwloc), 0);
    hwloc_topology_set_components(hwloc, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    hwloc_topology_set_flags(hwloc, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    assert_int_equal(hwloc_topology_load(hwloc), 0);
    cores_by_hwloc(hwloc, allowed, core_of);
    for (int cpu = 0; cpu < (int)GEO_CPU_LIMIT; cpu++) {
        if (CPU_ISSET((size_t)cpu, allowed)) {
            caches_by_hwloc(hwloc_get_pu_obj_by_os_index(hwloc, (unsigned)cpu), topology);
            break;
        }
    }
    hwloc_topology_destroy(hwloc);
}

/* Where sysfs is there. */
static void hwloc_and_we_agree_on_this_machine(void **state)
{
    (void)state;
    static struct geo_topology a, b;
    static int32_t cores_a[GEO_CPU_LIMIT], cores_b[GEO_CPU_LIMIT];
    cpu_set_t allowed;
    assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
    for (int i = 0; i < (int)GEO_CPU_LIMIT; i++) {
        cores_a[i] = cores_b[i] = i;
    }
    topology_by_hwloc(&allowed, &a, cores_a);
    if (!geo_topology_sys_cores("", &allowed, &b, cores_b)) {
        skip(); /* a sandbox without sysfs */
    }
    assert_memory_equal(cores_a, cores_b, sizeof(cores_a));
    assert_int_equal(a.cache_count, b.cache_count);
    for (uint32_t i = 0; i < a.cache_count; i++) {
        assert_int_equal(a.caches[i].level, b.caches[i].level);
        assert_int_equal(a.caches[i].bytes, b.caches[i].bytes);
        assert_int_equal(a.caches[i].line_bytes, b.caches[i].line_bytes);
    }
}

static void a_recorded_machine_has_its_cores_and_caches(void **state)
{
    (void)state;
    static struct geo_topology topology;
    static int32_t core_of[GEO_CPU_LIMIT];
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    for (int cpu = 0; cpu < 8; cpu++) { /* four cores of two threads: 0,4 1,5 2,6 3,7 */
        char path[128], text[32];
        snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
                 cpu);
        snprintf(text, sizeof(text), "%d,%d\n", cpu % 4, cpu % 4 + 4);
        file_write(path, text);
        CPU_SET((size_t)cpu, &allowed);
    }
    const char *caches[3][4] = {{"Data", "1", "48K", "64"},
                                {"Instruction", "1", "32K", "64"},
                                {"Unified", "3", "32M", "64"}};
    const char *names[4] = {"type", "level", "size", "coherency_line_size"};
    for (int cache = 0; cache < 3; cache++) {
        for (int i = 0; i < 4; i++) {
            char path[128];
            snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu0/cache/index%d/%s", cache,
                     names[i]);
            file_write(path, caches[cache][i]);
        }
    }
    assert_true(geo_topology_sys_cores(root, &allowed, &topology, core_of));
    for (int cpu = 0; cpu < 8; cpu++) {
        assert_int_equal(core_of[cpu], cpu % 4);
    }
    assert_int_equal(topology.cache_count, 2); /* instructions do not count */
    assert_int_equal(topology.caches[0].bytes, 48 << 10);
    assert_int_equal(topology.caches[1].level, 3);
    assert_int_equal(topology.caches[1].bytes, 32 << 20);
}

static void allow(cpu_set_t *allowed, int first, int last)
{
    CPU_ZERO(allowed);
    for (int cpu = first; cpu <= last; cpu++) {
        CPU_SET((size_t)cpu, allowed);
    }
}

/* DEV-3, DEV-7: node 1 is not there, node 3 is memory alone */
static void memory_nodes_are_parts(void **state)
{
    (void)state;
    struct geo_roster_part parts[GEO_ROSTER_DEVICES];
    uint32_t part_of[GEO_CPU_LIMIT] = {0};
    cpu_set_t allowed;
    allow(&allowed, 0, 7);
    assert_int_equal(geo_topology_sys_nodes(root, &allowed, parts, part_of), 0);
    file_write("sys/devices/system/node/online", "0,2-3\n");
    file_write("sys/devices/system/node/node0/cpulist", "0-1,4-5\n");
    file_write("sys/devices/system/node/node0/meminfo", "Node 0 MemTotal:       2048 kB\n");
    file_write("sys/devices/system/node/node2/cpulist", "2,3,6,7\n");
    file_write("sys/devices/system/node/node2/meminfo", "Node 2 MemFree: 1 kB\n");
    file_write("sys/devices/system/node/node3/cpulist", "\n");
    assert_int_equal(geo_topology_sys_nodes(root, &allowed, parts, part_of), 2);
    assert_int_equal(parts[0].node, 0);
    assert_int_equal(parts[0].bytes, 2 << 20);
    assert_int_equal(parts[1].node, 2);
    assert_int_equal(parts[1].bytes, 0);
    for (uint32_t cpu = 0; cpu < 8; cpu++) {
        assert_int_equal(part_of[cpu], cpu / 2 % 2);
    }
    allow(&allowed, 2, 3); /* what the process may use is all in one node */
    assert_int_equal(geo_topology_sys_nodes(root, &allowed, parts, part_of), 0);
    allow(&allowed, 0, 8); /* one that is nowhere */
    assert_int_equal(geo_topology_sys_nodes(root, &allowed, parts, part_of), 0);
    file_write("sys/devices/system/node/online", "0-\n");
    allow(&allowed, 0, 7);
    assert_int_equal(geo_topology_sys_nodes(root, &allowed, parts, part_of), 0);
}

static void sharers_write(int cpu, int index, const char *list)
{
    char path[128];
    snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%d/cache/index%d/shared_cpu_list", cpu,
             index);
    file_write(path, list);
}

/* DEV-3: the last cache of each, when several cores share it */
static void last_caches_are_parts(void **state)
{
    (void)state;
    struct geo_roster_part parts[GEO_ROSTER_DEVICES];
    uint32_t part_of[GEO_CPU_LIMIT] = {0};
    int32_t core_of[GEO_CPU_LIMIT];
    cpu_set_t allowed;
    allow(&allowed, 0, 7);
    for (int cpu = 0; cpu < 8; cpu++) {
        core_of[cpu] = cpu % 4; /* two threads each */
        sharers_write(cpu, 0, cpu % 4 == 0 ? "0,4\n" : "1\n");
        sharers_write(cpu, 3, cpu % 4 < 2 ? "0-1,4-5\n" : "2-3,6-7\n");
    }
    assert_int_equal(geo_topology_sys_caches(root, &allowed, core_of, parts, part_of), 2);
    assert_int_equal(parts[0].node, -1);
    for (uint32_t cpu = 0; cpu < 8; cpu++) {
        assert_int_equal(part_of[cpu], cpu / 2 % 2);
    }
    for (int cpu = 0; cpu < 8; cpu++) { /* one for all */
        sharers_write(cpu, 3, "0-7\n");
    }
    assert_int_equal(geo_topology_sys_caches(root, &allowed, core_of, parts, part_of), 0);
    for (int cpu = 0; cpu < 8; cpu++) { /* one for each core */
        char list[16];
        snprintf(list, sizeof(list), "%d,%d\n", cpu % 4, cpu % 4 + 4);
        sharers_write(cpu, 3, list);
    }
    assert_int_equal(geo_topology_sys_caches(root, &allowed, core_of, parts, part_of), 0);
    sharers_write(0, 3, "rubbish");
    sharers_write(0, 0, "99999999999999999999-1");
    assert_int_equal(geo_topology_sys_caches(root, &allowed, core_of, parts, part_of), 0);
}

static void container_limits_are_found_in_both_versions(void **state)
{
    (void)state;
    assert_int_equal(geo_topology_sys_cgroup_cpus(root), 0);
    assert_true(geo_topology_sys_cgroup_memory(root) == UINT64_MAX);
    file_write("proc/self/cgroup", "0::/outer/inner\n");
    file_write("sys/fs/cgroup/outer/cpu.max", "250000 100000\n");
    file_write("sys/fs/cgroup/outer/inner/cpu.max", "max 100000\n");
    file_write("sys/fs/cgroup/outer/inner/memory.max", "1073741824\n");
    file_write("sys/fs/cgroup/outer/memory.max", "max\n");
    assert_int_equal(geo_topology_sys_cgroup_cpus(root), 3); /* 2.5, rounded up */
    assert_true(geo_topology_sys_cgroup_memory(root) == 1u << 30);
    file_write("sys/fs/cgroup/outer/inner/cpu.max", "50000 100000\n");
    assert_int_equal(geo_topology_sys_cgroup_cpus(root), 1);

    file_write("proc/self/cgroup", "5:cpuset:/\n4:memory:/box\n3:cpu,cpuacct:/box\n");
    file_write("sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "400000\n");
    file_write("sys/fs/cgroup/cpu/box/cpu.cfs_period_us", "100000\n");
    file_write("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "536870912\n");
    file_write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    assert_int_equal(geo_topology_sys_cgroup_cpus(root), 4);
    assert_true(geo_topology_sys_cgroup_memory(root) == 1u << 29);
}

static void nonsense_in_the_files_is_ignored(void **state)
{
    (void)state;
    file_write("proc/self/cgroup", "::\n:\nx\n0:\n0::/odd\n7:cpu:/odd\n");
    file_write("sys/fs/cgroup/odd/cpu.max", "hello world\n");
    file_write("sys/fs/cgroup/odd/memory.max", "-5 apples");
    file_write("sys/fs/cgroup/cpu/odd/cpu.cfs_quota_us", "-1\n");
    file_write("sys/fs/cgroup/cpu/odd/cpu.cfs_period_us", "0\n");
    assert_int_equal(geo_topology_sys_cgroup_cpus(root), 0);
    geo_topology_sys_cgroup_memory(root);
    char line[5000];
    memset(line, 'a', sizeof(line) - 1);
    line[sizeof(line) - 1] = '\0';
    file_write("proc/self/cgroup", line);
    assert_int_equal(geo_topology_sys_cgroup_cpus(root), 0);
}

/* DEV-10, DEV-11, CMQ-1 */
static void the_device_is_complete_and_stable(void **state)
{
    (void)state;
    struct fixture cpu, null;
    fixture_open(&cpu, &geo_backend_cpu_ops);
    fixture_open(&null, &geo_backend_null_ops);
    const struct geo_device_info *info = cpu.ops->device_info(cpu.device);
    uint8_t zero[ZE_MAX_DEVICE_UUID_SIZE] = {0}, uuid[ZE_MAX_DEVICE_UUID_SIZE];
    memcpy(uuid, info->uuid, sizeof(uuid));
    assert_memory_not_equal(info->uuid, zero, sizeof(zero));
    assert_memory_not_equal(info->uuid, null.device->info.uuid, sizeof(zero));
    assert_non_null(strstr(info->name, "Geoid CPU"));
    assert_true(info->threads_per_eu * info->eus_per_subslice * info->subslices_per_slice *
                    info->slices >=
                1);
    assert_true(info->group_count >= 1 && info->group_count <= GEO_BACKEND_MAX_GROUPS);
    assert_true(info->groups[0].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE);
    assert_int_equal(info->timer_hz, 1000000000);
    assert_true(info->executes && !null.device->info.executes);
    assert_true(cpu.ops->driver_version != 0 && null.ops->driver_version != 0);
    assert_int_not_equal(cpu.ops->driver_version, null.ops->driver_version);
    fixture_open(&cpu, &geo_backend_cpu_ops);
    assert_memory_equal(cpu.device->info.uuid, uuid, sizeof(uuid));
    assert_null(cpu.ops->device(cpu.backend, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(this_machine_is_described),
        cmocka_unit_test(hwloc_and_we_agree_on_this_machine),
        cmocka_unit_test(a_recorded_machine_has_its_cores_and_caches),
        cmocka_unit_test(memory_nodes_are_parts),
        cmocka_unit_test(last_caches_are_parts),
        cmocka_unit_test(container_limits_are_found_in_both_versions),
        cmocka_unit_test(nonsense_in_the_files_is_ignored),
        cmocka_unit_test(the_device_is_complete_and_stable),
    };
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
