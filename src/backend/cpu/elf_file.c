/* Maps code from an ELF file that perf and valgrind can read. See elf_file.h. */
#include "backend/cpu/elf_file.h"

#include "backend/cpu/elf_rules.h"
#include "base/file_limit.h"
#include "base/option.h"
#include "machine/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SEGMENTS   2u /* code; constants and data */
#define PATH_BYTES 1024u

struct elf_file {
    const struct geo_elf_object *object;
    const struct geo_elf_image *image;
    Elf64_Shdr *sections; /* as in the file */
    uint8_t *extra;       /* the sections that are not in the image, one after the other */
    uint64_t extra_bytes;
    int fd;
};

/* Sections whose contents the file needs beside the image. */
static bool section_kept(const Elf64_Shdr *section)
{
    return section->sh_type == SHT_PROGBITS || section->sh_type == SHT_SYMTAB ||
           section->sh_type == SHT_STRTAB;
}

/* Offset in the file of the sections that are not in the image. */
static uint64_t extra_offset(const struct geo_elf_image *image)
{
    return GEO_MACHINE_PAGE_BYTES + image->bytes;
}

/* Gives every section its place in the file. Relocations are applied, so the file has none. Returns
 * false for a binary whose sections overlap: its file could be far larger. */
static bool sections_place(struct elf_file *file)
{
    const struct geo_elf_image *image = file->image;
    for (uint32_t i = 1; i < file->object->section_count; i++) {
        Elf64_Shdr *section = &file->sections[i];
        *section = file->object->sections[i];
        if (image->places[i] != GEO_ELF_NOWHERE) {
            section->sh_addr = section->sh_offset = GEO_MACHINE_PAGE_BYTES + image->places[i];
        } else if (section_kept(section)) {
            section->sh_offset = extra_offset(image) + file->extra_bytes;
            file->extra_bytes += (section->sh_size + 7) / 8 * 8;
        } else {
            *section = (Elf64_Shdr){.sh_name = section->sh_name, .sh_type = SHT_NULL};
        }
    }
    return file->extra_bytes <= file->object->size + 8 * (uint64_t)file->object->section_count;
}

/* Returns where the file's copy of a section that is not in the image is, or NULL. */
static uint8_t *section_copy(const struct elf_file *file, uint32_t index)
{
    const Elf64_Shdr *section = &file->sections[index];
    bool copied = index && file->image->places[index] == GEO_ELF_NOWHERE && section_kept(section);
    return copied ? file->extra + (section->sh_offset - extra_offset(file->image)) : NULL;
}

static void sections_copy(const struct elf_file *file)
{
    for (uint32_t i = 1; i < file->object->section_count; i++) {
        uint8_t *copy = section_copy(file, i);
        if (copy) {
            memcpy(copy, file->object->bytes + file->object->sections[i].sh_offset,
                   file->sections[i].sh_size);
        }
    }
}

/* The value of a symbol in the file: an address, or an offset in a section that is not loaded. */
static uint64_t symbol_value(const struct elf_file *file, const Elf64_Sym *symbol)
{
    bool defined = symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < file->object->section_count;
    return symbol->st_value + (defined ? file->sections[symbol->st_shndx].sh_addr : 0);
}

static void symbols_write(const struct elf_file *file)
{
    uint8_t *copy = section_copy(file, file->object->symbol_section);
    for (uint32_t i = 1; copy && i < file->object->symbol_count; i++) {
        uint64_t value = symbol_value(file, &file->object->symbols[i]);
        memcpy(copy + i * sizeof(Elf64_Sym) + offsetof(Elf64_Sym, st_value), &value, sizeof(value));
    }
}

/* Applies a relocation of debug information. Ignores other types, and what is out of bounds: the
 * file is only for tools. */
static void relocation_apply(const struct elf_file *file, uint8_t *copy, uint64_t size,
                             const Elf64_Rela *relocation)
{
    const struct geo_elf_rules *rules = file->object->rules;
    uint32_t type = ELF64_R_TYPE(relocation->r_info);
    uint64_t index = ELF64_R_SYM(relocation->r_info);
    size_t bytes = type == rules->word_type     ? sizeof(uint32_t)
                   : type == rules->double_type ? sizeof(uint64_t)
                                                : 0;
    if (!bytes || bytes > size || relocation->r_offset > size - bytes ||
        index >= file->object->symbol_count) {
        return;
    }
    uint64_t value = symbol_value(file, &file->object->symbols[index]);
    value += (uint64_t)relocation->r_addend;
    memcpy(copy + relocation->r_offset, &value, bytes); /* both are little-endian */
}

static void relocations_apply(const struct elf_file *file)
{
    const struct geo_elf_object *object = file->object;
    for (uint32_t i = 1; i < object->section_count; i++) {
        const Elf64_Shdr *table = &object->sections[i];
        bool known = table->sh_type == SHT_RELA && table->sh_info < object->section_count &&
                     table->sh_link == object->symbol_section;
        uint8_t *copy = known ? section_copy(file, table->sh_info) : NULL;
        for (uint64_t at = 0; copy && at + sizeof(Elf64_Rela) <= table->sh_size;
             at += sizeof(Elf64_Rela)) {
            Elf64_Rela relocation;
            memcpy(&relocation, object->bytes + table->sh_offset + at, sizeof(relocation));
            relocation_apply(file, copy, file->sections[table->sh_info].sh_size, &relocation);
        }
    }
}

bool geo_elf_file_write(int fd, const void *bytes, uint64_t count, uint64_t offset)
{
    for (uint64_t done = 0; done < count;) {
        ssize_t written =
            pwrite(fd, (const uint8_t *)bytes + done, count - done, (off_t)(offset + done));
        if (written > 0) {
            done += (uint64_t)written;
        } else if (written == 0 || errno != EINTR) {
            return false;
        }
    }
    return true;
}

/* Returns the header of a part of the image. */
static Elf64_Phdr segment(uint32_t flags, uint64_t place, uint64_t bytes)
{
    uint64_t offset = GEO_MACHINE_PAGE_BYTES + place;
    return (Elf64_Phdr){.p_type = PT_LOAD,
                        .p_flags = flags,
                        .p_offset = offset,
                        .p_vaddr = offset,
                        .p_paddr = offset,
                        .p_filesz = bytes,
                        .p_memsz = bytes,
                        .p_align = GEO_MACHINE_PAGE_BYTES};
}

static bool header_write(const struct elf_file *file)
{
    const struct geo_elf_image *image = file->image;
    struct {
        Elf64_Ehdr elf;
        Elf64_Phdr segments[SEGMENTS];
    } start;
    memset(&start, 0, sizeof(start));
    memcpy(&start.elf, file->object->bytes, sizeof(start.elf));
    start.elf.e_type = ET_DYN;
    start.elf.e_phoff = sizeof(start.elf);
    start.elf.e_phentsize = sizeof(start.segments[0]);
    start.elf.e_phnum = SEGMENTS;
    start.elf.e_shoff = extra_offset(image) + file->extra_bytes;
    start.segments[0] = segment(PF_R | PF_X, 0, image->code_bytes);
    start.segments[1] = segment(PF_R | PF_W, image->code_bytes, image->bytes - image->code_bytes);
    return geo_elf_file_write(file->fd, &start, sizeof(start), 0) &&
           geo_elf_file_write(file->fd, file->sections,
                              file->object->section_count * sizeof(Elf64_Shdr), start.elf.e_shoff);
}

/* Writes the image except sections of zeroes, which may be large. */
static bool image_write(const struct elf_file *file)
{
    const struct geo_elf_image *image = file->image;
    bool written =
        ftruncate(file->fd, (off_t)extra_offset(image)) == 0 &&
        geo_elf_file_write(file->fd, image->base, image->code_bytes + image->constant_bytes,
                           GEO_MACHINE_PAGE_BYTES);
    for (uint32_t i = 1; written && i < file->object->section_count; i++) {
        const Elf64_Shdr *section = &file->sections[i];
        if (image->places[i] != GEO_ELF_NOWHERE && (section->sh_flags & SHF_WRITE) &&
            section->sh_type != SHT_NOBITS) {
            written = geo_elf_file_write(file->fd, image->base + image->places[i], section->sh_size,
                                         section->sh_offset);
        }
    }
    return written;
}

static bool file_fill(struct elf_file *file)
{
    const struct geo_elf_image *image = file->image;
    file->sections = calloc(file->object->section_count, sizeof(*file->sections));
    if (!file->sections) {
        return false;
    }
    if (!sections_place(file)) {
        errno = ENOEXEC;
        return false;
    }
    file->extra = calloc(1, file->extra_bytes + 1);
    if (!file->extra) {
        return false;
    }
    sections_copy(file);
    symbols_write(file);
    relocations_apply(file);
    return image_write(file) &&
           geo_elf_file_write(file->fd, file->extra, file->extra_bytes, extra_offset(image)) &&
           header_write(file);
}

/* Maps the file over the image. Constants stay writable until geo_elf_protect changes that, because
 * valgrind reads a file only when its code and something writable are mapped. A first mapping
 * elsewhere shows whether the file system permits code, because the others remove what was there.
 * It is not readable, so valgrind ignores it. */
static bool file_map(const struct elf_file *file)
{
    const struct geo_elf_image *image = file->image;
    const uint64_t code = image->code_bytes, rest = image->bytes - code;
    const off_t offset = GEO_MACHINE_PAGE_BYTES;
    void *trial = mmap(NULL, code, PROT_EXEC, MAP_PRIVATE, file->fd, offset);
    if (trial == MAP_FAILED) {
        return false;
    }
    munmap(trial, code);
    return mmap(image->base + code, rest, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file->fd,
                offset + (off_t)code) == image->base + code &&
           mmap(image->base, code, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, file->fd,
                offset) == image->base;
}

const char *geo_elf_file_folder(void)
{
    const char *folder = geo_option_string("GEOID_CODE_FOLDER");
    return folder && folder[0] ? folder : NULL;
}

bool geo_elf_file_map(const struct geo_elf_object *object, const struct geo_elf_image *image,
                      const char *folder)
{
    struct elf_file file = {.object = object, .image = image};
    struct geo_file_limit limit;
    char path[PATH_BYTES];
    int length = snprintf(path, sizeof(path), "%s/geoid-%d-XXXXXX.so", folder, (int)getpid());
    if (length < 0 || (size_t)length >= sizeof(path)) {
        errno = ENAMETOOLONG;
        return false;
    }
    geo_file_limit_hold(&limit);
    file.fd = mkostemps(path, 3, O_CLOEXEC);
    bool mapped = file.fd >= 0 && file_fill(&file) && file_map(&file);
    int reason = errno;
    if (file.fd >= 0) {
        if (!mapped) {
            unlink(path);
        }
        close(file.fd);
    }
    geo_file_limit_release(&limit);
    free(file.sections);
    free(file.extra);
    errno = reason;
    return mapped;
}
