/* Registers loaded code with gdb (JIT interface) and writes perf's map file. See elf_register.h.
 *
 * gdb sets a breakpoint in __jit_debug_register_code and reads __jit_debug_descriptor, both by
 * name. It gets a copy of the object in which every section header contains the section's address.
 * gdb relocates the debug information itself. */
#include "backend/cpu/elf_register.h"

#include "base/file_limit.h"
#include "base/fork.h"
#include "base/log.h"
#include "base/option.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum jit_action {
    JIT_NOTHING,
    JIT_REGISTER,
    JIT_UNREGISTER,
};

struct jit_code_entry {
    struct jit_code_entry *next_entry, *prev_entry;
    const char *symfile_addr;
    uint64_t symfile_size;
};

struct jit_descriptor {
    uint32_t version;
    uint32_t action_flag;
    struct jit_code_entry *relevant_entry, *first_entry;
};

/* gdb defines the names and layouts. */
extern struct jit_descriptor __jit_debug_descriptor;
void __jit_debug_register_code(void);

struct jit_descriptor __jit_debug_descriptor = {1, JIT_NOTHING, NULL, NULL};

void __attribute__((noinline)) __jit_debug_register_code(void)
{
    __asm__ volatile("" ::: "memory"); /* keeps the call from being optimised away */
}

struct geo_elf_registration {
    struct jit_code_entry entry;
    uint8_t object[];
};

static pthread_mutex_t jit_lock = PTHREAD_MUTEX_INITIALIZER;

static void fork_prepare(void)
{
    pthread_mutex_lock(&jit_lock);
}

static void fork_release(void)
{
    pthread_mutex_unlock(&jit_lock);
}

static struct geo_fork_handler fork_handler = {
    .order = GEO_FORK_CODE,
    .prepare = fork_prepare,
    .parent = fork_release,
    .child = fork_release,
};
GEO_FORK_AT_LOAD(fork_handler)

static void addresses_write(uint8_t *copy, const struct geo_elf_object *object,
                            const struct geo_elf_image *image)
{
    Elf64_Ehdr header;
    memcpy(&header, copy, sizeof(header));
    for (uint32_t i = 0; i < object->section_count; i++) {
        if (image->places[i] != GEO_ELF_NOWHERE) {
            uint64_t address = (uint64_t)(uintptr_t)image->base + image->places[i];
            memcpy(copy + header.e_shoff + i * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_addr),
                   &address, sizeof(address));
        }
    }
}

/* ---- perf ---- */

/* Opens perf's map file. Its folder is writable by everybody and its name is predictable, so the
 * path may be a pipe, a link or a file of another user. The file is opened without blocking and
 * without following links. It is used only if it is a regular file of this user with one link.
 * Returns -1 and logs the reason. */
static int perf_open(const char *path)
{
    const int flags =
        O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
    struct stat status;
    int fd = open(path, flags, 0600);
    if (fd < 0) {
        geo_log("cpu", GEO_LOG_WARN, "GEOID_PERF: %s: %s", path,
                errno == ENXIO ? "it is a pipe" : strerror(errno));
        return -1;
    }
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
        status.st_nlink != 1) {
        geo_log("cpu", GEO_LOG_WARN,
                "GEOID_PERF: %s is not written: it is not a regular file of this user; remove it",
                path);
        close(fd);
        return -1;
    }
    return fd;
}

static void perf_write(const struct geo_elf_object *object, const struct geo_elf_image *image)
{
    struct geo_strbuf lines;
    char path[64];
    geo_strbuf_init(&lines, 0);
    lines.shown = true;
    for (uint32_t i = 1; i < object->symbol_count; i++) {
        const Elf64_Sym *symbol = &object->symbols[i];
        if (ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF &&
            symbol->st_shndx < SHN_LORESERVE &&
            image->places[symbol->st_shndx] != GEO_ELF_NOWHERE) {
            geo_strbuf_printf(
                &lines, "%llx %llx %s\n",
                (unsigned long long)((uintptr_t)image->base + image->places[symbol->st_shndx] +
                                     symbol->st_value),
                (unsigned long long)symbol->st_size, geo_elf_object_symbol_name(object, symbol));
        }
    }
    snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
    struct geo_file_limit limit;
    geo_file_limit_hold(&limit);
    int fd = perf_open(path);
    if (fd >= 0 && write(fd, geo_strbuf_text(&lines), lines.length) != (ssize_t)lines.length) {
        geo_log("cpu", GEO_LOG_WARN, "GEOID_PERF: %s: %s", path, strerror(errno));
    }
    geo_file_limit_release(&limit);
    if (fd >= 0) {
        close(fd);
    }
    geo_strbuf_finish(&lines);
}

/* ---- interface ---- */

struct geo_elf_registration *geo_elf_register(const struct geo_elf_object *object,
                                              const struct geo_elf_image *image)
{
    if (geo_option_flag("GEOID_PERF")) {
        perf_write(object, image);
    }
    struct geo_elf_registration *registration = malloc(sizeof(*registration) + object->size);
    if (!registration) {
        return NULL;
    }
    memcpy(registration->object, object->bytes, object->size);
    addresses_write(registration->object, object, image);
    struct jit_code_entry *entry = &registration->entry;
    entry->symfile_addr = (const char *)registration->object;
    entry->symfile_size = object->size;
    entry->prev_entry = NULL;
    pthread_mutex_lock(&jit_lock);
    entry->next_entry = __jit_debug_descriptor.first_entry;
    if (entry->next_entry) {
        entry->next_entry->prev_entry = entry;
    }
    __jit_debug_descriptor.first_entry = entry;
    __jit_debug_descriptor.relevant_entry = entry;
    __jit_debug_descriptor.action_flag = JIT_REGISTER;
    __jit_debug_register_code();
    pthread_mutex_unlock(&jit_lock);
    return registration;
}

const void *geo_elf_register_object(const struct geo_elf_registration *registration, size_t *bytes)
{
    *bytes = registration->entry.symfile_size;
    return registration->object;
}

void geo_elf_unregister(struct geo_elf_registration *registration)
{
    if (!registration) {
        return;
    }
    struct jit_code_entry *entry = &registration->entry;
    pthread_mutex_lock(&jit_lock);
    if (entry->prev_entry) {
        entry->prev_entry->next_entry = entry->next_entry;
    } else {
        __jit_debug_descriptor.first_entry = entry->next_entry;
    }
    if (entry->next_entry) {
        entry->next_entry->prev_entry = entry->prev_entry;
    }
    __jit_debug_descriptor.relevant_entry = entry;
    __jit_debug_descriptor.action_flag = JIT_UNREGISTER;
    __jit_debug_register_code();
    pthread_mutex_unlock(&jit_lock);
    free(registration);
}
