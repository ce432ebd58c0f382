/* Unit test of build ids: the file's and the loaded program's are one, and files that lie have
 * none. */
#include "unit.h"

#include "base/build_id.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define PROGRAM 4 /* of segments in a made file */

static void the_loaded_program_has_the_id_of_its_file(void **state)
{
    char file[GEO_BUILD_ID_TEXT], loaded[GEO_BUILD_ID_TEXT];
    (void)state;
    assert_true(geo_build_id_of_file("/proc/self/exe", file));
    assert_true(
        geo_build_id_of_address((const void *)the_loaded_program_has_the_id_of_its_file, loaded));
    assert_string_equal(file, loaded);
    assert_int_equal(strspn(file, "0123456789abcdef"), strlen(file));
    assert_in_range(strlen(file), 16, GEO_BUILD_ID_TEXT - 1);
}

static void another_library_has_another_id(void **state)
{
    char own[GEO_BUILD_ID_TEXT], other[GEO_BUILD_ID_TEXT];
    (void)state;
    assert_true(geo_build_id_of_file("/proc/self/exe", own));
    assert_true(geo_build_id_of_address((const void *)getppid, other));
    assert_string_not_equal(own, other);
}

static void what_is_no_library_has_none(void **state)
{
    static const char *const paths[] = {"/nowhere", "/dev/null", "/proc/self/status", "/", ""};
    char id[GEO_BUILD_ID_TEXT];
    (void)state;
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        strcpy(id, "x");
        assert_false(geo_build_id_of_file(paths[i], id));
        assert_string_equal(id, "");
    }
    strcpy(id, "x");
    assert_false(geo_build_id_of_address(id, id));
    assert_string_equal(id, "");
}

struct made {
    Elf64_Ehdr header;
    Elf64_Phdr segments[PROGRAM];
    Elf64_Nhdr first;
    char first_name[8];
    uint32_t first_content;
    Elf64_Nhdr note;
    char name[4];
    uint8_t id[20];
};

static const struct made good = {
    .header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64},
               .e_phentsize = sizeof(Elf64_Phdr),
               .e_phnum = PROGRAM,
               .e_phoff = offsetof(struct made, segments)},
    .segments = {{.p_type = PT_LOAD},
                 {.p_type = PT_NOTE},
                 {.p_type = PT_NOTE,
                  .p_offset = offsetof(struct made, first),
                  .p_filesz = sizeof(struct made) - offsetof(struct made, first)}},
    .first = {8, 4, 1},
    .first_name = "other",
    .note = {4, 20, NT_GNU_BUILD_ID},
    .name = "GNU",
    .id = {0xab, 1},
};

static bool made_id(const struct made *made, size_t bytes, char id[GEO_BUILD_ID_TEXT])
{
    char path[64];
    int fd = memfd_create("made", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, made, bytes), bytes);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    bool found = geo_build_id_of_file(path, id);
    close(fd);
    return found;
}

static void notes_are_searched_to_their_end(void **state)
{
    char id[GEO_BUILD_ID_TEXT];
    (void)state;
    assert_true(made_id(&good, sizeof(good), id));
    assert_string_equal(id, "ab01000000000000000000000000000000000000");
    for (size_t bytes = 0; bytes < sizeof(good); bytes++) {
        assert_false(made_id(&good, bytes, id));
    }
}

static void sizes_that_lie_lead_nowhere(void **state)
{
    static const uint32_t lies[] = {0, 1, 3, 5, 19, 21, 64, 1000, UINT32_MAX, UINT32_MAX - 3};
    char id[GEO_BUILD_ID_TEXT];
    (void)state;
    for (size_t word = 0; word < sizeof(good) / 4; word++) {
        for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
            struct made made = good;
            memcpy((uint8_t *)&made + 4 * word, &lies[i], 4);
            (void)made_id(&made, sizeof(made), id);
            assert_true(strlen(id) < GEO_BUILD_ID_TEXT);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_loaded_program_has_the_id_of_its_file),
        cmocka_unit_test(another_library_has_another_id),
        cmocka_unit_test(what_is_no_library_has_none),
        cmocka_unit_test(notes_are_searched_to_their_end),
        cmocka_unit_test(sizes_that_lie_lead_nowhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
