/* What sysman tells of a machine whose files lie below a folder: every component of every class,
 * its description and what its operations read, a line each.
 *
 *     sysman_walk [--files] [--set] ROOT    a folder, by its absolute path
 *     sysman_walk --write ROOT TREE         writes a tree (machine_tree.c) into such a folder
 *
 *     power[0].energy_uj 231884013972
 *     power[1].energy_uj !INSUFFICIENT_PERMISSIONS /tmp/x/sys/.../energy_uj: Permission denied
 *
 * The device has the CPUs that the machine's /proc/stat names, and a part for each node that has
 * CPUs, where there are several. It is for comparing recordings with other programs, and for the
 * test of scripts/record_machine:
 *
 *     --files   what it looked for below ROOT, and nothing else: "file PATH", "folder PATH"
 *     --set     what can be set is set, too: ROOT is changed */
#include "walk.h"
#include "everything.h"

#include "ddi/geo_ddi.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what is looked for ---- */

static const char *watched; /* the root; NULL: nobody wants to know */

static void look_note(const char *kind, const char *path)
{
    size_t length = watched ? strlen(watched) : 0;
    if (watched && strncmp(path, watched, length) == 0) {
        printf("%s %s\n", kind, path + length);
    }
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
    va_end(args);
    look_note("file", path);
    return __real_open(path, flags, mode);
}

DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);
DIR *__wrap_opendir(const char *path)
{
    look_note("folder", path);
    return __real_opendir(path);
}

int __real_stat(const char *path, struct stat *status);
int __wrap_stat(const char *path, struct stat *status);
int __wrap_stat(const char *path, struct stat *status)
{
    look_note("file", path);
    return __real_stat(path, status);
}

/* ---- values ---- */

struct walk {
    struct machine *machine;
    char name[48]; /* "power[0]" */
};

static void why_clear(struct walk *walk)
{
    geo_strbuf_finish(&walk->machine->why);
    geo_strbuf_init(&walk->machine->why, 0);
}

void walk_tell(struct walk *walk, const char *key, const char *format, ...)
{
    va_list args;
    if (watched) {
        return;
    }
    va_start(args, format);
    printf("%s.%s ", walk->name, key);
    vprintf(format, args);
    printf("\n");
    va_end(args);
}

bool walk_works(struct walk *walk, const char *key, ze_result_t result)
{
    if (result != ZE_RESULT_SUCCESS) {
        const char *name = geo_ddi_result_name(result);
        const char *prefix = "ZE_RESULT_ERROR_";
        name = strncmp(name, prefix, strlen(prefix)) == 0 ? name + strlen(prefix) : name;
        walk_tell(walk, key, "!%s %s", name, geo_strbuf_text(&walk->machine->why));
        why_clear(walk);
    }
    return result == ZE_RESULT_SUCCESS;
}

struct geo_strbuf *walk_why(struct walk *walk)
{
    return &walk->machine->why;
}

static void components_walk(struct machine *machine)
{
    for (int kind = 0; kind < GEO_SYSMAN_CLASS_COUNT; kind++) {
        const struct walk_class *class = walk_class((enum geo_sysman_class)kind);
        uint32_t count = machine_count(machine, (enum geo_sysman_class)kind);
        for (uint32_t i = 0; class->call && i < count; i++) {
            const struct geo_sysman_component *component =
                machine_component(machine, (enum geo_sysman_class)kind, i);
            struct walk walk = {machine, ""};
            snprintf(walk.name, sizeof(walk.name), "%s[%u]", class->name, i);
            walk_tell(&walk, "name", "%s", component->name);
            walk_tell(&walk, "part", "%d", (int)component->subdevice);
            class->call(&walk, component);
        }
    }
}

static void device_walk(struct machine *machine)
{
    const struct geo_sysman_device *device = geo_cpu_sysman_device(machine->sysman);
    struct walk walk = {machine, "device"};
    zes_device_ecc_properties_t ecc = {0};
    struct geo_sysman_watch watch;
    walk_tell(&walk, "serial", "%s", device->serial);
    walk_tell(&walk, "board", "%s", device->board);
    walk_tell(&walk, "brand", "%s", device->brand);
    walk_tell(&walk, "model", "%s", device->model);
    walk_tell(&walk, "vendor", "%s", device->vendor);
    walk_tell(&walk, "ecc_available", "%d", device->ecc_available);
    walk_tell(&walk, "events", "0x%x", (unsigned)device->events);
    if (walk_works(&walk, "ecc", device->ops->ecc_state(machine->sysman, &ecc, walk_why(&walk)))) {
        walk_tell(&walk, "ecc", "%d", (int)ecc.currentState);
    }
    if (walk_works(&walk, "watch",
                   device->ops->watch(machine->sysman, UINT32_MAX, &watch, walk_why(&walk)))) {
        walk_tell(&walk, "changes", "0x%x", (unsigned)device->ops->take_events(machine->sysman));
        device->ops->unwatch(machine->sysman);
    }
}

static int walk(const char *root, bool files, bool set)
{
    static struct machine machine;
    if (!machine_adopt(&machine, root)) {
        fprintf(stderr, "%s: no CPU, or too many, or the path is too long\n", root);
        return 1;
    }
    watched = files ? root : NULL;
    machine_reopen(&machine); /* again, now that it is watched */
    device_walk(&machine);
    components_walk(&machine);
    if (set) {
        struct everything all = {.set = true};
        everything_call(&machine, &all);
    }
    machine_leave(&machine);
    return 0;
}

static int tree_write(const char *root, const char *tree)
{
    static struct machine machine;
    if (strlen(root) >= sizeof(machine.root) || access(tree, R_OK) != 0) {
        fprintf(stderr, "%s cannot be written to %s\n", tree, root);
        return 1;
    }
    strcpy(machine.root, root);
    machine_tree_read(&machine, tree);
    return 0;
}

int main(int argc, char **argv)
{
    bool files = false, set = false, write = false;
    int at = 1;
    for (; at < argc && strncmp(argv[at], "--", 2) == 0; at++) {
        files = files || strcmp(argv[at], "--files") == 0;
        set = set || strcmp(argv[at], "--set") == 0;
        write = write || strcmp(argv[at], "--write") == 0;
    }
    if (at + 1 + write != argc || argv[at][0] != '/') {
        fprintf(stderr, "usage: sysman_walk [--files] [--set] ROOT | --write ROOT TREE\n");
        return 2;
    }
    return write ? tree_write(argv[at], argv[at + 1]) : walk(argv[at], files, set);
}
