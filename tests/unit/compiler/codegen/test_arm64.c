/* Code for arm64, on whatever machine this runs: whole kernels become objects that the loader there
 * takes, since all that it refuses to do is looked for here. scripts/cross_arm64 runs them. */
#include "../lower/program.h"

#include "backend/cpu/elf_rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *name;
    uint32_t lanes;
} kernels[] = {{"flow_O2", 4}, {"flow_O2", 8}, {"group_O2", 1}, {"group_O2", 8}, {"modes", 8}};
#define KERNEL_COUNT (sizeof(kernels) / sizeof(kernels[0]))

struct object {
    const uint8_t *bytes;
    const Elf64_Ehdr *header;
    const Elf64_Shdr *sections;
};

static struct object object_of(const struct program *program)
{
    size_t size;
    struct object object = {.bytes = program_object(program, &size)};
    object.header = (const void *)object.bytes;
    object.sections = (const void *)(object.bytes + object.header->e_shoff);
    return object;
}

/* Relocations of what is in memory; how many there are. */
static uint32_t relocations_are_known(const struct object *object, const char *name)
{
    const struct geo_elf_rules *rules = geo_elf_rules_of(EM_AARCH64);
    uint32_t count = 0;
    for (uint32_t i = 0; i < object->header->e_shnum; i++) {
        const Elf64_Shdr *table = &object->sections[i];
        if (table->sh_type != SHT_RELA ||
            !(object->sections[table->sh_info].sh_flags & SHF_ALLOC)) {
            continue;
        }
        const Elf64_Rela *relocations = (const void *)(object->bytes + table->sh_offset);
        for (uint64_t k = 0; k < table->sh_size / sizeof(*relocations); k++, count++) {
            uint32_t type = ELF64_R_TYPE(relocations[k].r_info);
            if (!geo_elf_rule_find(rules, type)) {
                print_error("%s: relocation type %u\n", name, type);
            }
            assert_non_null(geo_elf_rule_find(rules, type));
        }
    }
    return count;
}

/* LLVM calls nothing but what the loader has. */
static void imports_are_known(const struct object *object, const char *name)
{
    static const char *const known[] = {"", "memcpy", "memmove", "memset", "memcmp"};
    for (uint32_t i = 0; i < object->header->e_shnum; i++) {
        const Elf64_Shdr *table = &object->sections[i];
        if (table->sh_type != SHT_SYMTAB) {
            continue;
        }
        const Elf64_Sym *symbols = (const void *)(object->bytes + table->sh_offset);
        const char *names =
            (const char *)object->bytes + object->sections[table->sh_link].sh_offset;
        for (uint64_t k = 0; k < table->sh_size / sizeof(*symbols); k++) {
            bool found = symbols[k].st_shndx != SHN_UNDEF;
            for (size_t n = 0; n < sizeof(known) / sizeof(known[0]) && !found; n++) {
                found = strcmp(names + symbols[k].st_name, known[n]) == 0;
            }
            if (!found) {
                print_error("%s wants %s\n", name, names + symbols[k].st_name);
            }
            assert_true(found);
        }
    }
}

static void kernels_become_objects_that_its_loader_takes(void **state)
{
    uint32_t relocations = 0;
    (void)state;
    for (size_t i = 0; i < KERNEL_COUNT; i++) {
        const char *name = kernels[i].name;
        const struct program_options options = {
            .lanes = kernels[i].lanes, .optimize = true, .cpu = "aarch64"};
        struct program *program = program_build(name, &options);
        struct object object = object_of(program);
        struct geo_native_view view;
        const char *reason;
        size_t size;
        const void *bytes = program_object(program, &size);
        assert_int_equal(object.header->e_machine, EM_AARCH64);
        assert_int_equal(geo_native_parse(bytes, size, &view, &reason), ZE_RESULT_SUCCESS);
        assert_int_equal(view.payloads[0].target, GEO_TARGET_AARCH64);
        assert_int_equal(view.payloads[0].features, 0);
        relocations += relocations_are_known(&object, name);
        imports_are_known(&object, name);
        program_destroy(program);
    }
    assert_true(relocations > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_become_objects_that_its_loader_takes),
    };
    return cmocka_run_group_tests_name("arm64", tests, NULL, NULL);
}
