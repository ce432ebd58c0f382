/* Unit test of archives of offline compilers: the generic entry is found, and nothing beyond the
 * bytes is read whatever they say. Archives lie at the end of memory, before a page that cannot be
 * touched. */
#include "unit.h"

#include "driver/program/archive.h"

#include <elf.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROOM 8192u

static const uint32_t spirv[] = {0x07230203u, 0x00010000u, 0, 1, 0};
static const char options[] = {'-', 'z', 'e', '-', 'o', 'p', 't', '-', 'd', 'i', 's', 'a'};

struct bytes {
    uint8_t at[ROOM];
    size_t count;
};

static void bytes_add(struct bytes *bytes, const void *more, size_t count)
{
    assert_true(count <= sizeof(bytes->at) - bytes->count);
    memcpy(bytes->at + bytes->count, more, count);
    bytes->count += count;
}

/* An entry: name, 32 characters that nobody reads, size, end; then its bytes, to an even place. */
static void entry_add(struct bytes *archive, const char *name, const void *data, size_t count)
{
    char header[61];
    snprintf(header, sizeof(header), "%-16s%-32s%-10zu`\n", name, "0           0     0     644",
             count);
    bytes_add(archive, header, 60);
    bytes_add(archive, data, count);
    if (count % 2) {
        bytes_add(archive, "\n", 1);
    }
}

static struct bytes archive_new(void)
{
    struct bytes archive = {.count = 0};
    bytes_add(&archive, "!<arch>\n", 8);
    entry_add(&archive, "pad_0/", "odd", 3);
    entry_add(&archive, "64.12.55.8/", "machine code", 12);
    return archive;
}

/* An ELF file: no section, SPIR-V, options. */
static struct bytes elf_new(void)
{
    const size_t at = sizeof(Elf64_Ehdr), rows = at + sizeof(spirv) + sizeof(options);
    Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, 1},
        .e_type = 0xff02,
        .e_shoff = rows,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = 3};
    const Elf64_Shdr sections[3] = {
        {0},
        {.sh_type = 0xff000009u, .sh_offset = at, .sh_size = sizeof(spirv)},
        {.sh_type = 0xff000006u, .sh_offset = at + sizeof(spirv), .sh_size = sizeof(options)}};
    struct bytes elf = {.count = 0};
    bytes_add(&elf, &header, sizeof(header));
    bytes_add(&elf, spirv, sizeof(spirv));
    bytes_add(&elf, options, sizeof(options));
    bytes_add(&elf, sections, sizeof(sections));
    return elf;
}

static struct bytes archive_with_elf(void)
{
    struct bytes archive = archive_new(), elf = elf_new();
    entry_add(&archive, "generic_ir/", elf.at, elf.count);
    return archive;
}

/* Where `count` bytes end with the page; the next page cannot be touched. */
static uint8_t *memory_end;

static int memory_open(void **state)
{
    (void)state;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *memory =
        mmap(NULL, ROOM + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + ROOM, page, PROT_NONE) != 0) {
        return 1;
    }
    memory_end = memory + ROOM;
    return 0;
}

static bool find(const struct bytes *archive, size_t count, struct geo_archive_module *found)
{
    uint8_t *at = memory_end - count;
    memcpy(at, archive->at, count);
    if (!geo_archive_find(at, count, found)) {
        return false;
    }
    /* whatever is found lies within */
    if (found->native) {
        assert_true(found->native >= at && found->native + found->native_bytes <= memory_end);
        return true;
    }
    assert_true(found->spirv >= at && found->spirv + found->spirv_bytes <= memory_end);
    if (found->options) {
        assert_true((const uint8_t *)found->options >= at &&
                    (const uint8_t *)found->options + found->option_bytes <= memory_end);
    }
    return true;
}

static void the_generic_entry_is_found(void **state)
{
    (void)state;
    struct bytes archive = archive_with_elf();
    struct geo_archive_module found;
    assert_true(geo_archive_is(archive.at, archive.count));
    assert_true(find(&archive, archive.count, &found));
    assert_int_equal(found.spirv_bytes, sizeof(spirv));
    assert_memory_equal(found.spirv, spirv, sizeof(spirv));
    assert_int_equal(found.option_bytes, sizeof(options));
    assert_memory_equal(found.options, options, sizeof(options));
}

static void bare_spirv_will_do(void **state)
{
    (void)state;
    struct bytes archive = archive_new();
    struct geo_archive_module found;
    entry_add(&archive, "generic_ir", spirv, sizeof(spirv));
    entry_add(&archive, "after/", "more", 4);
    assert_true(find(&archive, archive.count, &found));
    assert_memory_equal(found.spirv, spirv, sizeof(spirv));
    assert_null(found.options);
}

static void a_native_binary_comes_before_the_generic_entry(void **state)
{
    (void)state;
    struct bytes archive = archive_with_elf();
    struct geo_archive_module found;
    Elf64_Ehdr object = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64},
                         .e_type = ET_REL};
    entry_add(&archive, "64.12.10.0/", &object, sizeof(object) - 1); /* too short */
    entry_add(&archive, "64.12.55.8/", &object, sizeof(object));
    entry_add(&archive, "64.12.60.7/", "more machine code", 17);
    assert_true(find(&archive, archive.count, &found));
    assert_non_null(found.native);
    assert_int_equal(found.native_bytes, sizeof(object));
    assert_memory_equal(found.native, &object, sizeof(object));
    assert_null(found.spirv);
}

static void machine_code_alone_is_not_enough(void **state)
{
    (void)state;
    struct bytes archive = archive_new();
    struct geo_archive_module found;
    assert_false(find(&archive, archive.count, &found));
    entry_add(&archive, "generic_irs/", spirv, sizeof(spirv));
    assert_false(find(&archive, archive.count, &found));
    entry_add(&archive, "generic_ir/", "no SPIR-V", 9);
    assert_false(find(&archive, archive.count, &found));
    assert_false(geo_archive_is("!<arch>", 7));
    assert_false(geo_archive_is("\177ELF....", 8));
}

static void cut_archives_are_refused(void **state)
{
    (void)state;
    struct bytes archive = archive_with_elf();
    struct geo_archive_module found;
    for (size_t count = 0; count < archive.count; count++) {
        assert_false(find(&archive, count, &found));
    }
}

static void wrong_bytes_read_nothing_beyond(void **state)
{
    (void)state;
    const uint8_t values[] = {0, 1, '0', '9', ' ', '/', 0x7f, 0x80, 0xff};
    struct bytes archive = archive_with_elf();
    struct geo_archive_module found;
    uint32_t same = 0;
    for (size_t i = 0; i < archive.count; i++) {
        uint8_t before = archive.at[i];
        for (size_t v = 0; v < sizeof(values); v++) {
            archive.at[i] = values[v];
            same += find(&archive, archive.count, &found);
        }
        archive.at[i] = before;
    }
    assert_true(same > 0); /* dates and the like change nothing */
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_generic_entry_is_found),
    cmocka_unit_test(bare_spirv_will_do),
    cmocka_unit_test(a_native_binary_comes_before_the_generic_entry),
    cmocka_unit_test(machine_code_alone_is_not_enough),
    cmocka_unit_test(cut_archives_are_refused),
    cmocka_unit_test(wrong_bytes_read_nothing_beyond),
};

int main(void)
{
    return cmocka_run_group_tests(tests, memory_open, NULL);
}
