/* Recorded machines, written into folders. See machine_fixture.h. */
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

static void folders_make(const char *full)
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
    folders_make(full);
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
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

/* ---- manifests ---- */

static void hex_write(const struct machine *machine, const char *path, const char *text)
{
    uint8_t bytes[256];
    size_t size = 0;
    for (char *end; size < sizeof(bytes); text = end) {
        unsigned long byte = strtoul(text, &end, 16);
        if (end == text) {
            break;
        }
        bytes[size++] = (uint8_t)byte;
    }
    machine_bytes(machine, path, bytes, size);
}

/* "@" is the number. */
static void number_put(char *out, size_t size, const char *text, long number)
{
    size_t length = 0;
    for (; *text && length + 24 < size; text++) {
        length += *text == '@' ? (size_t)snprintf(out + length, size - length, "%ld", number) : 1;
        if (*text != '@') {
            out[length - 1] = *text;
        }
    }
    out[length] = '\0';
}

/* "0400 | text", "hex 11 2a", "-> target", text. */
static void file_make(const struct machine *machine, const char *path, const char *text)
{
    unsigned mode = 0;
    int used = 0;
    if (sscanf(text, "%o | %n", &mode, &used) == 1 && used != 0) {
        text += used;
    } else if (sscanf(text, "%o %n", &mode, &used) == 1 && strncmp(text + used, "hex ", 4) == 0) {
        text += used;
    } else {
        mode = 0;
    }
    if (strncmp(text, "hex ", 4) == 0) {
        hex_write(machine, path, text + 4);
    } else if (strncmp(text, "-> ", 3) == 0) {
        folders_make(machine_path(machine, path));
        assert_int_equal(symlink(text + 3, machine_path(machine, path)), 0);
    } else {
        machine_write(machine, path, text);
    }
    if (mode) {
        machine_mode(machine, path, mode);
    }
}

/* "{0-3}" in the path: a file for each. */
static void files_make(const struct machine *machine, const char *path, const char *text)
{
    const char *open = strchr(path, '{'), *close = strchr(path, '}');
    long first = 0, last = 0;
    if (!open) {
        file_make(machine, path, text);
        return;
    }
    assert_true(close && sscanf(open, "{%ld-%ld}", &first, &last) == 2);
    for (long i = first; i <= last; i++) {
        char one[512], value[512];
        snprintf(one, sizeof(one), "%.*s%ld%s", (int)(open - path), path, i, close + 1);
        number_put(value, sizeof(value), text, i);
        file_make(machine, one, value);
    }
}

/* The lines up to "." */
static void block_make(const struct machine *machine, const char *path, FILE *manifest)
{
    char text[8192], line[1024];
    size_t length = 0;
    while (fgets(line, sizeof(line), manifest) && strcmp(line, ".\n") != 0) {
        assert_true(length + strlen(line) < sizeof(text));
        memcpy(text + length, line, strlen(line) + 1);
        length += strlen(line);
    }
    machine_bytes(machine, path, text, length);
}

static void manifest_read(const struct machine *machine, const char *name)
{
    char path[512], line[1024];
    snprintf(path, sizeof(path), "%s/%s.tree", SYSMAN_TREES, name);
    FILE *manifest = fopen(path, "r");
    assert_non_null(manifest);
    while (fgets(line, sizeof(line), manifest)) {
        line[strcspn(line, "\n")] = '\0';
        char *text = strchr(line, ' ');
        if (line[0] != '/') {
            continue;
        }
        assert_non_null(text);
        *text++ = '\0';
        if (strcmp(text, "<<") == 0) {
            block_make(machine, line, manifest);
        } else {
            files_make(machine, line, text);
        }
    }
    fclose(manifest);
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
    while (parts < MACHINE_PARTS && machine->devices[1 + parts].info.parent) {
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
        manifest_read(machine, name);
    }
    device_fill(machine, 0, 0, cpus);
    for (uint32_t i = 0; i < parts; i++) {
        device_fill(machine, 1 + i, i * (cpus / parts), cpus / parts);
    }
    machine_reopen(machine);
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
        if (geteuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)) {
            _exit(77);
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
