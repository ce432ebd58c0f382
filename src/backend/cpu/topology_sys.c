/* Reads the topology from sysfs, and the limits of control groups. The files are untrusted: text
 * that cannot be parsed is treated as missing. */
#include "backend/cpu/topology.h"

#include "base/number_list.h"
#include "base/path.h"
#include "base/room.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_BYTES      512
#define LIST_BYTES      4096
#define GROUPS_BYTES    4096         /* size of /proc/self/cgroup */
#define UNLIMITED_BYTES (1ull << 60) /* version 1 prints a larger number for "no limit" */

static bool text_read(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    ssize_t length = read(fd, text, size - 1);
    close(fd);
    if (length < 0) {
        return false;
    }
    text[length] = '\0';
    return true;
}

/* ---- cores and caches ---- */

static bool cpu_file(const char *root, int cpu, const char *name, char *text, size_t size)
{
    char path[PATH_BYTES];
    int length =
        snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%d/%s", root, cpu, name);
    return length > 0 && (size_t)length < sizeof(path) && text_read(path, text, size);
}

static uint64_t size_parse(const char *text)
{
    char *end;
    uint64_t value = strtoull(text, &end, 10);
    return *end == 'K'   ? value << 10
           : *end == 'M' ? value << 20
           : *end == 'G' ? value << 30
                         : value;
}

static void cache_read(const char *root, int cpu, int index, struct geo_topology *topology)
{
    char name[64], text[64];
    snprintf(name, sizeof(name), "cache/index%d/type", index);
    if (!cpu_file(root, cpu, name, text, sizeof(text)) || strncmp(text, "Instr", 5) == 0) {
        return;
    }
    struct geo_cache_info info = {0};
    snprintf(name, sizeof(name), "cache/index%d/level", index);
    if (cpu_file(root, cpu, name, text, sizeof(text))) {
        info.level = (uint32_t)strtoul(text, NULL, 10);
    }
    snprintf(name, sizeof(name), "cache/index%d/size", index);
    if (cpu_file(root, cpu, name, text, sizeof(text))) {
        info.bytes = size_parse(text);
    }
    snprintf(name, sizeof(name), "cache/index%d/coherency_line_size", index);
    if (cpu_file(root, cpu, name, text, sizeof(text))) {
        info.line_bytes = (uint32_t)strtoul(text, NULL, 10);
    }
    if (info.bytes != 0 && topology->cache_count < GEO_BACKEND_MAX_CACHES) {
        topology->caches[topology->cache_count++] = info;
    }
}

bool geo_topology_sys_cores(const char *root, const cpu_set_t *allowed,
                            struct geo_topology *topology, int32_t *core_of)
{
    char text[256];
    int first = -1;
    bool found = false;
    for (int cpu = 0; cpu < (int)GEO_CPU_LIMIT; cpu++) {
        if (!CPU_ISSET((size_t)cpu, allowed)) {
            continue;
        }
        first = first < 0 ? cpu : first;
        if (cpu_file(root, cpu, "topology/thread_siblings_list", text, sizeof(text))) {
            /* "4,68" or "4-5": the first number is the lowest. */
            core_of[cpu] = (int32_t)strtol(text, NULL, 10);
            found = true;
        }
    }
    topology->cache_count = 0;
    for (int index = 0; first >= 0 && index < 8; index++) {
        cache_read(root, first, index, topology);
    }
    return found;
}

/* ---- parts ---- */

static void set_add(void *set, uint32_t cpu)
{
    CPU_SET(cpu, (cpu_set_t *)set);
}

static bool list_read(const char *path, cpu_set_t *set)
{
    GEO_ROOM(char, text, LIST_BYTES);
    CPU_ZERO(set);
    return text && text_read(path, text, LIST_BYTES) &&
           geo_number_list_parse(text, GEO_CPU_LIMIT, set_add, set);
}

/* Assigns the allowed CPUs of a set to a part, unless they belong to one already. Returns how many
 * were assigned. */
static uint32_t part_mark(const cpu_set_t *set, const cpu_set_t *allowed, uint32_t part,
                          cpu_set_t *done, uint32_t *part_of)
{
    uint32_t count = 0;
    for (uint32_t cpu = 0; cpu < GEO_CPU_LIMIT; cpu++) {
        if (CPU_ISSET(cpu, set) && CPU_ISSET(cpu, allowed) && !CPU_ISSET(cpu, done)) {
            CPU_SET(cpu, done);
            part_of[cpu] = part;
            count++;
        }
    }
    return count;
}

static uint64_t node_bytes(const char *root, uint32_t node)
{
    char path[PATH_BYTES], text[256]; /* first line only */
    int length = snprintf(path, sizeof(path), "%s/sys/devices/system/node/node%u/meminfo", root,
                          (unsigned)node);
    if (length < 0 || (size_t)length >= sizeof(path) || !text_read(path, text, sizeof(text))) {
        return 0;
    }
    const char *total = strstr(text, "MemTotal:");
    return total ? (uint64_t)strtoull(total + 9, NULL, 10) << 10 : 0;
}

uint32_t geo_topology_sys_nodes(const char *root, const cpu_set_t *allowed,
                                struct geo_roster_part *parts, uint32_t *part_of)
{
    char path[PATH_BYTES];
    cpu_set_t online, cpus, done;
    uint32_t count = 0;
    CPU_ZERO(&done);
    snprintf(path, sizeof(path), "%s/sys/devices/system/node/online", root);
    if (!list_read(path, &online) || CPU_COUNT(&online) < 2) {
        return 0;
    }
    for (uint32_t node = 0; node < GEO_CPU_LIMIT; node++) {
        snprintf(path, sizeof(path), "%s/sys/devices/system/node/node%u/cpulist", root,
                 (unsigned)node);
        if (!CPU_ISSET(node, &online) || !list_read(path, &cpus)) {
            continue; /* a node without CPUs has an empty list */
        }
        if (part_mark(&cpus, allowed, count, &done, part_of) != 0) {
            if (count + 1 == GEO_ROSTER_DEVICES) {
                return 0;
            }
            parts[count++] = (struct geo_roster_part){(int32_t)node, node_bytes(root, node)};
        }
    }
    return count >= 2 && CPU_EQUAL(&done, allowed) ? count : 0;
}

/* Reads the CPUs that share the last-level cache of a CPU. */
static bool cache_sharers(const char *root, uint32_t cpu, cpu_set_t *set)
{
    char path[PATH_BYTES];
    for (int index = 7; index >= 0; index--) {
        snprintf(path, sizeof(path),
                 "%s/sys/devices/system/cpu/cpu%u/cache/index%d/shared_cpu_list", root,
                 (unsigned)cpu, index);
        if (list_read(path, set)) {
            return true;
        }
    }
    return false;
}

static bool several_cores(const cpu_set_t *set, const cpu_set_t *allowed, const int32_t *core_of)
{
    int32_t first = -1;
    for (uint32_t cpu = 0; cpu < GEO_CPU_LIMIT; cpu++) {
        if (CPU_ISSET(cpu, set) && CPU_ISSET(cpu, allowed)) {
            if (first >= 0 && core_of[cpu] != first) {
                return true;
            }
            first = core_of[cpu];
        }
    }
    return false;
}

uint32_t geo_topology_sys_caches(const char *root, const cpu_set_t *allowed, const int32_t *core_of,
                                 struct geo_roster_part *parts, uint32_t *part_of)
{
    cpu_set_t sharers, done;
    uint32_t count = 0;
    CPU_ZERO(&done);
    for (uint32_t cpu = 0; cpu < GEO_CPU_LIMIT; cpu++) {
        if (!CPU_ISSET(cpu, allowed) || CPU_ISSET(cpu, &done)) {
            continue;
        }
        if (count + 1 == GEO_ROSTER_DEVICES || !cache_sharers(root, cpu, &sharers) ||
            !CPU_ISSET(cpu, &sharers) || !several_cores(&sharers, allowed, core_of)) {
            return 0;
        }
        (void)part_mark(&sharers, allowed, count, &done, part_of);
        parts[count++] = (struct geo_roster_part){.node = -1};
    }
    return count >= 2 ? count : 0;
}

/* ---- control groups ---- */

/* Returns whether a comma-separated list contains the item. */
static bool list_has(const char *list, const char *item)
{
    size_t length = strlen(item);
    for (const char *at = list; (at = strstr(at, item)) != NULL; at += length) {
        if ((at == list || at[-1] == ',') && (at[length] == '\0' || at[length] == ',')) {
            return true;
        }
    }
    return false;
}

/* Finds the path of this process's group: in the unified hierarchy (controller NULL), or of a
 * version 1 controller. */
static bool group_path(const char *root, const char *controller, char *path, size_t size)
{
    char file[256];
    GEO_ROOM(char, text, GROUPS_BYTES);
    snprintf(file, sizeof(file), "%s/proc/self/cgroup", root);
    if (!text || !text_read(file, text, GROUPS_BYTES)) {
        return false;
    }
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        strsep(&line, ":");
        char *names = line ? strsep(&line, ":") : NULL;
        if (!line) {
            continue;
        }
        bool match = controller ? list_has(names, controller) : *names == '\0';
        if (match && strlen(line) < size) {
            strcpy(path, line);
            return true;
        }
    }
    return false;
}

/* Calls `read` for the folders of the group and all its ancestors. Inside a container the outer
 * part of the path does not exist, and the mount's root is the group. */
static void groups_walk(const char *mount, char *path,
                        void (*read)(const char *folder, void *result), void *result)
{
    for (;;) {
        size_t length = strlen(path);
        while (length > 0 && path[length - 1] == '/') {
            path[--length] = '\0';
        }
        GEO_ROOM_TEXT(folder, geo_path_format("%s%s", mount, path));
        if (folder) {
            read(folder, result);
        }
        char *slash = strrchr(path, '/');
        if (!slash) {
            return;
        }
        *slash = '\0';
    }
}

static bool folder_file(const char *folder, const char *name, char *text, size_t size)
{
    GEO_ROOM_TEXT(path, geo_path_format("%s/%s", folder, name));
    return path && text_read(path, text, size);
}

static void quota_note(double quota, double period, uint32_t *cpus)
{
    if (quota > 0 && period > 0) {
        double whole = quota / period;
        uint32_t count = whole > GEO_CPU_LIMIT ? GEO_CPU_LIMIT : (uint32_t)whole;
        count += (double)count < whole;
        *cpus = *cpus == 0 || count < *cpus ? count : *cpus;
    }
}

static void quota_read_v2(const char *folder, void *result)
{
    char text[128];
    double quota, period;
    if (folder_file(folder, "cpu.max", text, sizeof(text)) &&
        sscanf(text, "%lf %lf", &quota, &period) == 2) { /* "max 100000" does not match */
        quota_note(quota, period, result);
    }
}

static void quota_read_v1(const char *folder, void *result)
{
    char quota[64], period[64];
    if (folder_file(folder, "cpu.cfs_quota_us", quota, sizeof(quota)) &&
        folder_file(folder, "cpu.cfs_period_us", period, sizeof(period))) {
        quota_note(strtod(quota, NULL), strtod(period, NULL), result);
    }
}

static void memory_note(const char *text, uint64_t *bytes)
{
    char *end;
    uint64_t value = strtoull(text, &end, 10); /* "max" is not a number */
    if (end != text && value != 0 && value < UNLIMITED_BYTES && value < *bytes) {
        *bytes = value;
    }
}

static void memory_read_v2(const char *folder, void *result)
{
    char text[64];
    if (folder_file(folder, "memory.max", text, sizeof(text))) {
        memory_note(text, result);
    }
}

static void memory_read_v1(const char *folder, void *result)
{
    char text[64];
    if (folder_file(folder, "memory.limit_in_bytes", text, sizeof(text))) {
        memory_note(text, result);
    }
}

static void limits_read(const char *root, const char *controller,
                        void (*read_v2)(const char *, void *),
                        void (*read_v1)(const char *, void *), void *result)
{
    GEO_ROOM(char, path, GROUPS_BYTES);
    GEO_ROOM_TEXT(unified, geo_path_format("%s/sys/fs/cgroup", root));
    GEO_ROOM_TEXT(separate, geo_path_format("%s/sys/fs/cgroup/%s", root, controller));
    if (!path || !unified || !separate) {
        return;
    }
    if (group_path(root, NULL, path, GROUPS_BYTES)) {
        groups_walk(unified, path, read_v2, result);
    }
    if (group_path(root, controller, path, GROUPS_BYTES)) {
        groups_walk(separate, path, read_v1, result);
    }
}

uint32_t geo_topology_sys_cgroup_cpus(const char *root)
{
    uint32_t cpus = 0;
    limits_read(root, "cpu", quota_read_v2, quota_read_v1, &cpus);
    return cpus;
}

uint64_t geo_topology_sys_cgroup_memory(const char *root)
{
    uint64_t bytes = UINT64_MAX;
    limits_read(root, "memory", memory_read_v2, memory_read_v1, &bytes);
    return bytes;
}
