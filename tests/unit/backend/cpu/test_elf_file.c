/* Code that is mapped from files (GEOID_CODE_FOLDER): the file describes what is in memory, and a
 * file that cannot be written changes nothing. tests/gdb checks the source lines. */
#include "support.h"

#include "backend/cpu/elf_image.h"

#include <dirent.h>
#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static struct file sample, sample_code;
static char folder[64];

static int group_setup(void **state)
{
    (void)state;
    sample = file_read("elf_sample.o");
    sample_code = file_read("elf_sample_code.o");
    snprintf(folder, sizeof(folder), "/tmp/geoid-code-%d", (int)getpid());
    return mkdir(folder, 0700);
}

static int group_teardown(void **state)
{
    (void)state;
    free(sample.bytes);
    free(sample_code.bytes);
    return rmdir(folder);
}

/* Stores the path of the only file in the folder. Returns the number of files. */
static uint32_t files_count(char path[PATH_MAX])
{
    DIR *entries = opendir(folder);
    uint32_t count = 0;
    assert_non_null(entries);
    for (const struct dirent *entry; (entry = readdir(entries));) {
        if (entry->d_name[0] != '.') {
            snprintf(path, PATH_MAX, "%s/%s", folder, entry->d_name);
            count++;
        }
    }
    closedir(entries);
    return count;
}

static void sample_load(const struct file *from, struct geo_elf_object *object,
                        struct geo_elf_image *image)
{
    struct geo_strbuf log;
    bool memory;
    geo_strbuf_init(&log, 0);
    setenv("GEOID_CODE_FOLDER", folder, 1);
    assert_true(geo_elf_object_parse(from->bytes, from->size, object, &log, &memory));
    assert_int_equal(geo_elf_image_load(object, image, &log), ZE_RESULT_SUCCESS);
    unsetenv("GEOID_CODE_FOLDER");
    geo_strbuf_finish(&log);
}

#if defined(__clang__)
__attribute__((no_sanitize("function"))) /* loaded code carries no type signatures */
#endif
static void sample_run(const struct geo_elf_object *object, const struct geo_elf_image *image)
{
    union {
        void *address;
        int (*sum)(void);
        int (*next)(void);
    } function;
    function.address = geo_elf_image_symbol_find(object, image, "sample_sum", true);
    assert_non_null(function.address);
    assert_int_equal(function.sum(), 30 + 7 + 8 + 9 + 1 + 2 + 3);
    function.address = geo_elf_image_symbol_find(object, image, "sample_next", true);
    assert_int_equal(function.next(), 1); /* data is writable, and starts with zeroes */
    assert_int_equal(function.next(), 2);
}

static void sample_unload(struct geo_elf_object *object, struct geo_elf_image *image)
{
    geo_elf_object_finish(object);
    geo_elf_image_unload(image);
}

static struct file path_read(const char *path)
{
    struct file file = {0};
    struct stat status;
    FILE *stream = fopen(path, "re");
    assert_non_null(stream);
    assert_int_equal(fstat(fileno(stream), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    file.size = (size_t)status.st_size;
    file.bytes = malloc(file.size);
    assert_int_equal(fread(file.bytes, 1, file.size, stream), file.size);
    fclose(stream);
    return file;
}

/* Returns the file offset that is mapped at an address, or -1 when another file is, or none. Stores
 * the permissions. */
static long offset_of(const void *address, const char *path, char permissions[5])
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[PATH_MAX + 128];
    long found = -1;
    assert_non_null(maps);
    while (fgets(line, sizeof(line), maps)) {
        unsigned long begin, end, offset;
        char rights[5];
        if (sscanf(line, "%lx-%lx %4s %lx", &begin, &end, rights, &offset) == 4 &&
            (uintptr_t)address >= begin && (uintptr_t)address < end && strstr(line, path)) {
            memcpy(permissions, rights, 5);
            found = (long)(offset + ((uintptr_t)address - begin));
        }
    }
    fclose(maps);
    return found;
}

static const Elf64_Shdr *sections_of(const struct file *file)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)file->bytes;
    assert_int_equal(header->e_type, ET_DYN);
    assert_true(header->e_shoff + header->e_shnum * sizeof(Elf64_Shdr) <= file->size);
    return (const Elf64_Shdr *)(const void *)(file->bytes + header->e_shoff);
}

/* Tools find a function by its address minus that of the mapping, plus the offset of the mapping. */
static void symbols_check(const struct file *file, const char *path,
                          const struct geo_elf_object *object, const struct geo_elf_image *image)
{
    const Elf64_Shdr *sections = sections_of(file);
    uint32_t functions = 0;
    for (uint32_t i = 1; i < object->section_count; i++) {
        if (sections[i].sh_type != SHT_SYMTAB) {
            continue;
        }
        const char *names = (const char *)file->bytes + sections[sections[i].sh_link].sh_offset;
        for (uint64_t at = 0; at < sections[i].sh_size; at += sizeof(Elf64_Sym)) {
            Elf64_Sym symbol;
            char permissions[5] = "";
            memcpy(&symbol, file->bytes + sections[i].sh_offset + at, sizeof(symbol));
            if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) {
                continue;
            }
            const uint8_t *code =
                geo_elf_image_symbol_find(object, image, names + symbol.st_name, true);
            assert_non_null(code);
            assert_int_equal(offset_of(code, path, permissions), symbol.st_value);
            assert_string_equal(permissions, "r-xp");
            assert_memory_equal(file->bytes + symbol.st_value, code, symbol.st_size);
            functions++;
        }
    }
    assert_true(functions > 4);
}

/* Every loaded section is where the file says, and constants are not writable. */
static void sections_check(const struct file *file, const char *path,
                           const struct geo_elf_object *object, const struct geo_elf_image *image)
{
    const Elf64_Shdr *sections = sections_of(file);
    uint32_t constants = 0, data = 0;
    for (uint32_t i = 1; i < object->section_count; i++) {
        char permissions[5] = "";
        if (image->places[i] == GEO_ELF_NOWHERE) {
            continue;
        }
        long offset = offset_of(image->base + image->places[i], path, permissions);
        assert_int_equal(sections[i].sh_addr, offset);
        assert_int_equal(sections[i].sh_offset, offset);
        if (sections[i].sh_flags & SHF_WRITE) {
            assert_string_equal(permissions, "rw-p");
            data++;
        } else if (!(sections[i].sh_flags & SHF_EXECINSTR)) {
            assert_string_equal(permissions, "r--p");
            assert_memory_equal(file->bytes + offset, image->base + image->places[i],
                                sections[i].sh_size);
            constants++;
        }
    }
    assert_true(constants && data);
}

static void the_file_describes_what_is_in_memory(void **state)
{
    (void)state;
    struct geo_elf_object object;
    struct geo_elf_image image;
    char path[PATH_MAX];
    sample_load(&sample, &object, &image);
    assert_int_equal(files_count(path), 1);
    struct file file = path_read(path);
    symbols_check(&file, path, &object, &image);
    sections_check(&file, path, &object, &image);
    sample_run(&object, &image);
    sample_unload(&object, &image);
    assert_int_equal(files_count(path), 1); /* for reports after the program has ended */
    assert_int_equal(unlink(path), 0);
    free(file.bytes);
}

/* valgrind reads a file only when something writable is mapped from it as well. */
static void code_without_constants_has_a_second_segment(void **state)
{
    (void)state;
    struct geo_elf_object object;
    struct geo_elf_image image;
    char path[PATH_MAX];
    sample_load(&sample_code, &object, &image);
    assert_int_equal(files_count(path), 1);
    struct file file = path_read(path);
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)file.bytes;
    const Elf64_Phdr *segments = (const Elf64_Phdr *)(const void *)(file.bytes + header->e_phoff);
    assert_int_equal(header->e_phnum, 2);
    assert_int_equal(segments[0].p_flags, PF_R | PF_X);
    assert_int_equal(segments[0].p_filesz, image.code_bytes);
    assert_int_equal(segments[1].p_flags, PF_R | PF_W);
    assert_int_equal(segments[1].p_filesz, image.bytes - image.code_bytes);
    assert_int_equal(image.constant_bytes, 0);
    assert_true(segments[1].p_filesz > 0);
    sample_unload(&object, &image);
    assert_int_equal(unlink(path), 0);
    free(file.bytes);
}

static void a_file_that_cannot_be_written_changes_nothing(void **state)
{
    (void)state;
    struct geo_elf_object object;
    struct geo_elf_image image;
    char path[PATH_MAX], usual[64];
    memcpy(usual, folder, sizeof(usual));
    snprintf(folder, sizeof(folder), "/nowhere/geoid-code");
    sample_load(&sample, &object, &image);
    memcpy(folder, usual, sizeof(folder));
    sample_run(&object, &image);
    sample_unload(&object, &image);

    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 8192; /* more than the header, less than the file */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    sample_load(&sample, &object, &image);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    sample_run(&object, &image);
    sample_unload(&object, &image);
    assert_int_equal(files_count(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_describes_what_is_in_memory),
        cmocka_unit_test(code_without_constants_has_a_second_segment),
        cmocka_unit_test(a_file_that_cannot_be_written_changes_nothing),
    };
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
