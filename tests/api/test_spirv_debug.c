/* API test of the debug information of modules (zetModuleGetDebugInfo). The modules with debug
 * information are those of tests/unit/compiler/fixtures/producers. */
#include "harness.h"

#include <elf.h>
#include <level_zero/zet_api.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ze_module_handle_t module_build(struct api *api, const char *name)
{
    char path[512];
    uint8_t bytes[16384];
    ze_module_handle_t module = NULL;
    snprintf(path, sizeof(path), PRODUCERS "/%s.spv", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                             .format = ZE_MODULE_FORMAT_IL_SPIRV,
                             .inputSize = size,
                             .pInputModule = bytes,
                             .pBuildFlags = "-g"};
    assert_success(zeModuleCreate(api->context, api->device, &desc, &module, NULL));
    return module;
}

static ze_result_t info_get(ze_module_handle_t module, size_t *size, uint8_t *bytes)
{
    return zetModuleGetDebugInfo((zet_module_handle_t)module,
                                 ZET_MODULE_DEBUG_INFO_FORMAT_ELF_DWARF, size, bytes);
}

/* Returns the debug information, which the caller frees. */
static uint8_t *info_of(ze_module_handle_t module, size_t *size)
{
    *size = 0;
    assert_success(info_get(module, size, NULL));
    uint8_t *bytes = malloc(*size + 1);
    assert_non_null(bytes);
    bytes[*size] = 0xa5;
    assert_success(info_get(module, size, bytes));
    assert_int_equal(bytes[*size], 0xa5);
    return bytes;
}

/* Returns a section of an ELF file; NULL: it has none of this name. */
static const uint8_t *section_of(const uint8_t *elf, size_t size, const char *name, size_t *bytes)
{
    Elf64_Ehdr header;
    assert_true(size > sizeof(header));
    memcpy(&header, elf, sizeof(header));
    assert_memory_equal(header.e_ident, ELFMAG, SELFMAG);
    const Elf64_Shdr *sections = (const void *)(elf + header.e_shoff);
    const char *names = (const char *)elf + sections[header.e_shstrndx].sh_offset;
    for (unsigned i = 1; i < header.e_shnum; i++) {
        if (strcmp(names + sections[i].sh_name, name) == 0) {
            *bytes = sections[i].sh_size;
            return elf + sections[i].sh_offset;
        }
    }
    return NULL;
}

/* PIN-3 */
static void debug_information_is_elf_with_dwarf(void **state)
{
    static const char *const producers[] = {"llvmspirv_debug_O0", "llvmspirv_debug_O2",
                                            "dpcpp_debug100_O0", "dpcpp_debug200_O2"};
    for (size_t i = 0; i < sizeof(producers) / sizeof(producers[0]); i++) {
        ze_module_handle_t module = module_build(*state, producers[i]);
        size_t size, bytes = 0;
        uint8_t *elf = info_of(module, &size);
        const uint8_t *info = section_of(elf, size, ".debug_info", &bytes);
        assert_non_null(info);
        assert_true(bytes > 50);
        assert_int_equal(info[4], 5); /* the version of DWARF */
        assert_non_null(section_of(elf, size, ".debug_line", &bytes));
        assert_non_null(section_of(elf, size, ".text", &bytes));
        const uint8_t *strings = section_of(elf, size, ".debug_line_str", &bytes);
        assert_non_null(strings);
        assert_non_null(memmem(strings, bytes, "debug.cl", strlen("debug.cl")));
        free(elf);
        assert_success(zeModuleDestroy(module));
    }
}

/* PIN-3 */
static void debug_information_has_the_protocol_of_blobs(void **state)
{
    ze_module_handle_t module = module_build(*state, "llvmspirv_debug_O0");
    size_t size, little = 10;
    uint8_t *bytes = info_of(module, &size);
    assert_result(info_get(module, &little, bytes), ZE_RESULT_ERROR_INVALID_SIZE);
    assert_int_equal(little, size);
    size_t more = size + 1;
    assert_success(info_get(module, &more, bytes));
    assert_int_equal(more, size);
    assert_result(info_get(module, NULL, bytes), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    free(bytes);
    assert_success(zeModuleDestroy(module));
}

/* PIN-3 */
static void unknown_formats_of_debug_information_are_refused(void **state)
{
    ze_module_handle_t module = module_build(*state, "llvmspirv_debug_O0");
    size_t size = 0;
    assert_result(zetModuleGetDebugInfo(
                      (zet_module_handle_t)module,
                      (zet_module_debug_info_format_t)(ZET_MODULE_DEBUG_INFO_FORMAT_ELF_DWARF + 1),
                      &size, NULL),
                  ZE_RESULT_ERROR_INVALID_ENUMERATION);
    assert_success(zeModuleDestroy(module));
}

/* MOD-10 */
static void native_binaries_keep_debug_information(void **state)
{
    struct api *api = *state;
    ze_module_handle_t first = module_build(api, "llvmspirv_debug_O0"), second = NULL;
    size_t size = 0, first_bytes, second_bytes;
    assert_success(zeModuleGetNativeBinary(first, &size, NULL));
    uint8_t *binary = malloc(size);
    assert_non_null(binary);
    assert_success(zeModuleGetNativeBinary(first, &size, binary));
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = ZE_MODULE_FORMAT_NATIVE,
                                   .inputSize = size,
                                   .pInputModule = binary};
    assert_success(zeModuleCreate(api->context, api->device, &desc, &second, NULL));
    uint8_t *built = info_of(first, &first_bytes), *loaded = info_of(second, &second_bytes);
    const uint8_t *info = section_of(built, first_bytes, ".debug_info", &first_bytes);
    const uint8_t *same = section_of(loaded, second_bytes, ".debug_info", &second_bytes);
    assert_true(info && same && first_bytes > 50);
    assert_int_equal(second_bytes, first_bytes);
    assert_memory_equal(same, info, first_bytes);
    free(built);
    free(loaded);
    free(binary);
    assert_success(zeModuleDestroy(first));
    assert_success(zeModuleDestroy(second));
}

static void modules_without_debug_information_have_none(void **state)
{
    ze_module_handle_t module = api_spirv_module(*state, "api_basic");
    size_t size = 1;
    assert_success(info_get(module, &size, NULL));
    assert_int_equal(size, 0);
    assert_success(zeModuleDestroy(module));
}

static const struct api_case cases[] = {
    API_CASE(debug_information_is_elf_with_dwarf),
    API_CASE(debug_information_has_the_protocol_of_blobs),
    API_CASE(unknown_formats_of_debug_information_are_refused),
    API_CASE(native_binaries_keep_debug_information),
    API_CASE(modules_without_debug_information_have_none),
};
API_MAIN("spirv_debug", cases)
