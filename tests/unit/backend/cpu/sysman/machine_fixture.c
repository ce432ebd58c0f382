/* Machines of which sysman is opened: their files, opening, results. See machine_fixture.h. */
#include "machine_fixture.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534

/* ---- files ---- */

const char *machine_path(const struct machine *machine, const char *path)
{
    static char full[1024];
    snprintf(full, sizeof(full), "%s%s", machine->root, path);
    return full;
}

void machine_folders(const char *full)
{
    char folder[1024];
    snprintf(folder, sizeof(folder), "%s", full);
    for (char *slash = folder + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        assert_true(mkdir(folder, 0755) == 0 || errno == EEXIST);
        *slash = '/';
    }
}

void machine_bytes(const struct machine *machine, const char *path, const void *bytes, size_t size)
{
    const char *full = machine_path(machine, path);
    struct stat status;
    machine_folders(full);
    bool closed = stat(full, &status) == 0 && (status.st_mode & 0200) == 0;
    if (closed) { /* to us as well, where we are not root */
        assert_int_equal(chmod(full, 0600), 0);
    }
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    if (closed) {
        assert_int_equal(chmod(full, status.st_mode & 07777), 0);
    }
}

void machine_write(const struct machine *machine, const char *path, const char *text)
{
    char line[4096];
    int length = snprintf(line, sizeof(line), "%s\n", text);
    assert_true(length > 0 && (size_t)length < sizeof(line));
    machine_bytes(machine, path, line, (size_t)length);
}

void machine_remove(const struct machine *machine, const char *path)
{
    assert_int_equal(unlink(machine_path(machine, path)), 0);
}

void machine_mode(const struct machine *machine, const char *path, unsigned mode)
{
    assert_int_equal(chmod(machine_path(machine, path), mode), 0);
}

const char *machine_text(const struct machine *machine, const char *path)
{
    static char text[1024];
    FILE *file = fopen(machine_path(machine, path), "r");
    if (!file || !fgets(text, sizeof(text), file)) {
        fail_msg("%s cannot be read", path);
    }
    fclose(file);
    text[strcspn(text, "\n")] = '\0';
    return text;
}

long long machine_number(const struct machine *machine, const char *format, ...)
{
    char path[512], *end;
    va_list args;
    va_start(args, format);
    vsnprintf(path, sizeof(path), format, args);
    va_end(args);
    const char *text = machine_text(machine, path);
    long long number = strtoll(text, &end, 10);
    assert_true(end != text && *end == '\0');
    return number;
}

/* ---- machines ---- */

static void device_fill(struct machine *machine, uint32_t index, uint32_t first, uint32_t count)
{
    struct geo_backend_device *device = &machine->devices[index];
    for (uint32_t i = 0; i < count; i++) {
        machine->places[index][i] = (int32_t)(first + i);
    }
    device->crew.places = machine->places[index];
    device->crew.place_count = count;
    device->info.memory_bytes = UINT64_MAX;
    device->info.parent = index ? &machine->devices[0] : NULL;
    device->node = index ? (int32_t)index - 1 : -1;
}

void machine_reopen(struct machine *machine)
{
    uint32_t parts = 0;
    while (parts < MACHINE_MOST_PARTS && machine->devices[1 + parts].info.parent) {
        parts++;
    }
    const struct geo_cpu_sysman_desc desc = {
        .devices = machine->devices,
        .count = 1 + parts,
        .driver_version = 0x010200ff,
        .root = machine->root,
    };
    geo_cpu_sysman_close(machine->sysman);
    machine->sysman = NULL;
    assert_int_equal(geo_cpu_sysman_open(&desc, &machine->sysman), ZE_RESULT_SUCCESS);
}

void machine_open(struct machine *machine, const char *name, uint32_t cpus, uint32_t parts)
{
    memset(machine, 0, sizeof(*machine));
    geo_strbuf_init(&machine->why, 0);
    strcpy(machine->root, "/tmp/geoid-sysman-XXXXXX");
    assert_non_null(mkdtemp(machine->root));
    assert_int_equal(chmod(machine->root, 0755), 0);
    if (name) {
        machine_tree_read(machine, name);
    }
    device_fill(machine, 0, 0, cpus);
    for (uint32_t i = 0; i < parts; i++) {
        device_fill(machine, 1 + i, i * (cpus / parts), cpus / parts);
    }
    machine_reopen(machine);
}

void machine_open_whole(struct machine *machine, const char *name)
{
    char root[] = "/tmp/geoid-sysman-XXXXXX";
    assert_non_null(mkdtemp(root));
    assert_int_equal(chmod(root, 0755), 0);
    strcpy(machine->root, root);
    machine_tree_read(machine, name);
    assert_true(machine_adopt(machine, root));
}

static int entry_remove(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status;
    (void)kind;
    (void)walk;
    return remove(path);
}

void machine_close(struct machine *machine)
{
    geo_cpu_sysman_close(machine->sysman);
    geo_strbuf_finish(&machine->why);
    assert_int_equal(nftw(machine->root, entry_remove, 16, FTW_DEPTH | FTW_PHYS), 0);
}

const void *machine_component(const struct machine *machine, enum geo_sysman_class kind,
                              uint32_t index)
{
    uint32_t count;
    const struct geo_sysman_component *const *components =
        geo_cpu_sysman_components(machine->sysman, kind, &count);
    assert_true(index < count);
    assert_int_equal(components[index]->kind, kind);
    assert_ptr_equal(components[index]->sysman, machine->sysman);
    assert_non_null(components[index]->name);
    return components[index];
}

uint32_t machine_count(const struct machine *machine, enum geo_sysman_class kind)
{
    uint32_t count;
    geo_cpu_sysman_components(machine->sysman, kind, &count);
    return count;
}

void machine_check(struct machine *machine, ze_result_t result, ze_result_t expected,
                   const char *reason, const char *call, const char *file, int line)
{
    char text[512];
    snprintf(text, sizeof(text), "%s", geo_strbuf_text(&machine->why));
    geo_strbuf_finish(&machine->why);
    geo_strbuf_init(&machine->why, 0);
    if (result != expected) {
        print_error("%s: 0x%x instead of 0x%x: %s\n", call, (unsigned)result, (unsigned)expected,
                    text);
        _fail(file, line);
    }
    if (expected == ZE_RESULT_SUCCESS ? text[0] != '\0' : !strstr(text, reason)) {
        print_error("%s: the reason is \"%s\"\n", call, text);
        _fail(file, line);
    }
}

bool machine_as_nobody(struct machine *machine, void (*run)(struct machine *machine))
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (geteuid() != 0 || setgid(NOBODY) != 0 || setuid(NOBODY) != 0) {
            _exit(77); /* the files are ours: none is refused */
        }
        run(machine);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_true(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77);
    return WEXITSTATUS(status) == 0;
}
