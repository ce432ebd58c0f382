/* Unit test of the loader: the header check that stands before the dynamic linker. */
#include "loader/library/elf_check.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/geoid-elf-XXXXXX";

/* A file of a header, one program header, and padding up to the size. */
struct image {
    ElfW(Ehdr) header;
    ElfW(Phdr) segment;
};

static struct image image_make(void)
{
    struct image image;
    FILE *self = fopen("/proc/self/exe", "rb");
    assert_non_null(self);
    assert_int_equal(fread(&image.header, sizeof(image.header), 1, self), 1);
    fclose(self);
    image.header.e_type = ET_DYN;
    image.header.e_phoff = sizeof(image.header);
    image.header.e_phnum = 1;
    image.segment = (ElfW(Phdr)){.p_type = PT_LOAD, .p_offset = 0, .p_filesz = sizeof(image)};
    return image;
}

static const char *checked(const void *data, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, data, size), (ssize_t)size);
    close(fd);
    return geo_elf_check(path);
}

static void has(const char *text, const char *part)
{
    if (!text || !strstr(text, part)) {
        fail_msg("'%s' instead of '%s'", text ? text : "(fine)", part);
    }
}

static void test_fine_libraries_pass(void **state)
{
    (void)state;
    struct image image = image_make();
    assert_null(checked(&image, sizeof(image)));
    assert_null(geo_elf_check("/nowhere/at/all")); /* the dynamic linker's business */
}

static void test_every_truncation_is_noticed(void **state)
{
    (void)state;
    struct image image = image_make();
    for (size_t size = 0; size < sizeof(image); size++) {
        assert_non_null(checked(&image, size));
    }
}

static void test_hostile_program_headers(void **state)
{
    (void)state;
    struct image image = image_make();
    image.segment.p_filesz = sizeof(image) + 1;
    has(checked(&image, sizeof(image)), "truncated");
    image = image_make();
    image.segment.p_offset = UINTPTR_MAX; /* a sum that would overflow */
    has(checked(&image, sizeof(image)), "truncated");
    image = image_make();
    image.segment.p_filesz = UINTPTR_MAX;
    has(checked(&image, sizeof(image)), "truncated");
    image = image_make();
    image.header.e_phoff = UINTPTR_MAX;
    has(checked(&image, sizeof(image)), "truncated");
    image = image_make();
    image.header.e_phnum = UINT16_MAX;
    has(checked(&image, sizeof(image)), "truncated");
    image = image_make();
    image.header.e_phentsize = 1;
    has(checked(&image, sizeof(image)), "truncated");
    image = image_make();
    image.segment.p_type = PT_NOTE; /* only what is loaded has to be there */
    image.segment.p_filesz = UINTPTR_MAX;
    assert_null(checked(&image, sizeof(image)));
}

static void test_every_mismatch_has_its_words(void **state)
{
    (void)state;
    struct image image = image_make();
    image.header.e_ident[EI_MAG0] = 'x';
    has(checked(&image, sizeof(image)), "no ELF header");
    image = image_make();
    image.header.e_ident[EI_CLASS] = sizeof(void *) == 8 ? ELFCLASS32 : ELFCLASS64;
    has(checked(&image, sizeof(image)), "bits");
    image = image_make();
    image.header.e_ident[EI_DATA] ^= ELFDATA2LSB ^ ELFDATA2MSB;
    has(checked(&image, sizeof(image)), "byte order");
    image = image_make();
    image.header.e_machine ^= 1;
    has(checked(&image, sizeof(image)), "another kind of processor");
    image = image_make();
    image.header.e_type = ET_EXEC;
    has(checked(&image, sizeof(image)), "not a shared library");
}

static int file_make(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    return fd >= 0 ? close(fd) : -1;
}

static int file_remove(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fine_libraries_pass),
        cmocka_unit_test(test_every_truncation_is_noticed),
        cmocka_unit_test(test_hostile_program_headers),
        cmocka_unit_test(test_every_mismatch_has_its_words),
    };
    return cmocka_run_group_tests(tests, file_make, file_remove);
}
