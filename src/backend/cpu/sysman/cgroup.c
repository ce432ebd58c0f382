/* Control groups, versions 1 and 2. See cgroup.h. */
#include "backend/cpu/sysman/cgroup.h"

#include <stdlib.h>
#include <string.h>

#define FOLDER    "/sys/fs/cgroup"
#define UNLIMITED (INT64_C(1) << 60) /* version 1 prints a larger number for "no limit" */

static const char *limit_name(bool unified)
{
    return unified ? "memory.max" : "memory.limit_in_bytes";
}

/* Reads a limit. Returns -1 for "max" (not a number) and without a limit. */
static int64_t limit_read(const struct geo_tree *tree, const char *folder, bool unified)
{
    int64_t limit =
        geo_tree_known(tree, geo_tree_path("%s/%s", folder, limit_name(unified)).text, -1);
    return limit < UNLIMITED ? limit : -1;
}

static void group_note(const struct geo_tree *tree, struct geo_tree_path folder, bool unified,
                       struct geo_cgroup_limits *out)
{
    if (out->count < GEO_CGROUP_LIMITS && limit_read(tree, folder.text, unified) >= 0) {
        out->groups[out->count++] = (struct geo_cgroup_limit){folder, unified};
    }
}

/* Visits the group and all its ancestors. Inside a container the outer part of the path does not
 * exist; the container's group is then the root of the mount. */
static void groups_walk(const struct geo_tree *tree, const char *mount, char *path, bool unified,
                        struct geo_cgroup_limits *out)
{
    for (;;) {
        size_t length = strlen(path);
        while (length > 0 && path[length - 1] == '/') {
            path[--length] = '\0';
        }
        group_note(tree, geo_tree_path("%s%s", mount, path), unified, out);
        char *slash = strrchr(path, '/');
        if (!slash) {
            return;
        }
        *slash = '\0';
    }
}

/* Parses a line of /proc/self/cgroup: "0::/path" for version 2, "4:cpuset,memory:/path" for version
 * 1. */
/* Not inlined, because the caller has the line buffer on its stack. */
__attribute__((noinline)) static void line_read(const struct geo_tree *tree, char *line,
                                                struct geo_cgroup_limits *out)
{
    char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;
    if (!path) {
        return;
    }
    *path++ = '\0';
    names++;
    if (*names == '\0') {
        groups_walk(tree, FOLDER, path, true, out);
        return;
    }
    for (char *name; (name = strsep(&names, ",")) != NULL;) {
        if (strcmp(name, "memory") == 0) {
            groups_walk(tree, FOLDER "/memory", path, false, out);
        }
    }
}

void geo_cgroup_find(const struct geo_tree *tree, struct geo_cgroup_limits *out)
{
    struct geo_tree_lines lines;
    out->count = 0;
    if (geo_tree_lines_open(&lines, tree, "/proc/self/cgroup", NULL) != ZE_RESULT_SUCCESS) {
        return;
    }
    for (char *line; (line = geo_tree_lines_next(&lines)) != NULL;) {
        line_read(tree, line, out);
    }
    geo_tree_lines_close(&lines);
}

/* Reads "inactive_file 1234" for the group and its children. */
static uint64_t files_read(const struct geo_tree *tree, const struct geo_cgroup_limit *group)
{
    const char *name = group->unified ? "inactive_file " : "total_inactive_file ";
    const size_t length = strlen(name);
    struct geo_tree_lines lines;
    uint64_t bytes = 0;
    if (geo_tree_lines_open(&lines, tree, geo_tree_path("%s/memory.stat", group->folder.text).text,
                            NULL) != ZE_RESULT_SUCCESS) {
        return 0;
    }
    for (char *line; (line = geo_tree_lines_next(&lines)) != NULL;) {
        if (strncmp(line, name, length) == 0) {
            bytes = strtoull(line + length, NULL, 10);
        }
    }
    geo_tree_lines_close(&lines);
    return bytes;
}

uint64_t geo_cgroup_left(const struct geo_tree *tree, const struct geo_cgroup_limits *limits)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < limits->count; i++) {
        const struct geo_cgroup_limit *group = &limits->groups[i];
        const char *name = group->unified ? "memory.current" : "memory.usage_in_bytes";
        int64_t limit = limit_read(tree, group->folder.text, group->unified);
        int64_t used =
            geo_tree_known(tree, geo_tree_path("%s/%s", group->folder.text, name).text, -1);
        if (limit < 0 || used < 0) {
            continue;
        }
        uint64_t files = files_read(tree, group);
        uint64_t taken = (uint64_t)used > files ? (uint64_t)used - files : 0;
        uint64_t left = (uint64_t)limit > taken ? (uint64_t)limit - taken : 0;
        least = left < least ? left : least;
    }
    return least;
}
