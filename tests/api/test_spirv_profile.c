/* API test of profiles of kernels, and of native binaries that a tool has changed. It runs twice:
 * with ZET_ENABLE_PROGRAM_INSTRUMENTATION=1, and without (see CMakeLists.txt). */
#include "harness.h"

#include <geoid/profile.h>

#include <elf.h>
#include <stdlib.h>

#define SPARED (1u << 10 | 1u << 11) /* r10 r11 */
#define MARK   0xa5

struct profile {
    union {
        zet_profile_properties_t properties;
        uint8_t bytes[GEOID_PROFILE_BYTES + 64];
    };
};

static bool is_on(void)
{
    const char *value = getenv("ZET_ENABLE_PROGRAM_INSTRUMENTATION");
    return value && strcmp(value, "1") == 0;
}

/* Builds kernels/api_basic.cl, and says whether the log contains a text. */
static ze_module_handle_t module_build(struct api *api, const char *options, const char *text,
                                       bool *said)
{
    size_t size, length = 4096;
    char log[4096];
    ze_module_handle_t module = NULL;
    ze_module_build_log_handle_t handle = NULL;
    void *bytes = api_read_file("tests/api_basic.spv", &size);
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = ZE_MODULE_FORMAT_IL_SPIRV,
                                   .inputSize = size,
                                   .pInputModule = bytes,
                                   .pBuildFlags = options};
    assert_success(zeModuleCreate(api->context, api->device, &desc, &module, &handle));
    assert_success(zeModuleBuildLogGetString(handle, &length, log));
    assert_success(zeModuleBuildLogDestroy(handle));
    free(bytes);
    *said = strstr(log, text) != NULL;
    return module;
}

/* Asks for a profile in memory that is marked, so that the end of what is written is known. */
static void profile_get(ze_module_handle_t module, const char *name, struct profile *profile)
{
    ze_kernel_handle_t kernel = api_kernel(module, name);
    memset(profile, MARK, sizeof(*profile));
    profile->properties.stype = ZET_STRUCTURE_TYPE_PROFILE_PROPERTIES;
    profile->properties.pNext = NULL;
    profile->properties.numTokens = GEOID_PROFILE_TOKENS;
    assert_success(zetKernelGetProfileInfo((zet_kernel_handle_t)kernel, &profile->properties));
    assert_success(zeKernelDestroy(kernel));
}

static void flags_check(struct api *api, const char *options, uint32_t flags, const char *text)
{
    bool said;
    struct profile profile;
    ze_module_handle_t module = module_build(api, options, text, &said);
    assert_true(said || !*text);
    profile_get(module, "scale", &profile);
    assert_int_equal(profile.properties.flags, flags);
    assert_int_equal(profile.properties.numTokens,
                     flags & ZET_PROFILE_FLAG_FREE_REGISTER_INFO ? 1 : 0);
    assert_success(zeModuleDestroy(module));
}

/* Adds the general registers in a sequence to a set. Sequences have whole registers. */
static uint32_t registers_in(const zet_profile_register_sequence_t *sequence)
{
    uint32_t found = 0;
    for (unsigned i = 0; i < 16; i++) {
        const uint32_t start = GEOID_PROFILE_X86_64_GENERAL(i);
        if (start >= sequence->start && start < sequence->start + sequence->count) {
            assert_true(start + 8 <= sequence->start + sequence->count);
            found |= 1u << i;
        }
    }
    return found;
}

/* Checks the token, and returns its general registers. */
static uint32_t token_check(const struct profile *profile)
{
    zet_profile_free_register_token_t token;
    zet_profile_register_sequence_t sequence;
    const uint8_t *at = profile->bytes + sizeof(profile->properties);
    uint32_t end = 0, registers = 0;
    memcpy(&token, at, sizeof(token));
    assert_int_equal(token.type, ZET_PROFILE_TOKEN_TYPE_FREE_REGISTER);
    assert_int_equal(token.size, sizeof(token) + token.count * sizeof(sequence));
    for (uint32_t i = 0; i < token.count; i++) {
        memcpy(&sequence, at + sizeof(token) + i * sizeof(sequence), sizeof(sequence));
        assert_true(sequence.count > 0);
        assert_true(i == 0 || sequence.start > end); /* sorted, and as long as possible */
        end = sequence.start + sequence.count;
        registers |= registers_in(&sequence);
    }
    assert_true(end <= GEOID_PROFILE_X86_64_MASK(8));
    const size_t size = sizeof(profile->properties) + token.size;
    assert_true(size <= GEOID_PROFILE_BYTES);
    for (size_t i = size; i < sizeof(profile->bytes); i++) {
        assert_int_equal(profile->bytes[i], MARK);
    }
    return registers;
}

/* PIN-2, PIN-4, ENV-24 */
static void flags_are_those_of_the_build(void **state)
{
#ifdef GEOID_SANITIZED
    skip(); /* the back end does not optimise there, and spares no registers */
#endif
    const uint32_t both = is_on() ? 3 : 0;
    flags_check(*state, NULL, 0, "");
    flags_check(*state, "-zet-profile-flags 0", 0, "");
    flags_check(*state, "-zet-profile-flags 0x1", both & 1, "");
    flags_check(*state, "-g -zet-profile-flags 2 -ze-opt-disable", both & 2, "");
    flags_check(*state, "-zet-profile-flags 0X3", both & 3, "");
    /* code that is not optimised uses all registers */
    flags_check(*state, "-zet-profile-flags 3 -ze-opt-disable", both & 2, "");
    flags_check(*state, "-zet-profile-flags 1 -zet-profile-flags 2", both & 3, "");
}

/* PIN-2 */
static void flags_without_a_meaning_have_no_effect(void **state)
{
    flags_check(*state, "-zet-profile-flags 4", 0, "from 0 to 3, in hexadecimal");
    flags_check(*state, "-zet-profile-flags 0x100000001", 0, "in hexadecimal");
    flags_check(*state, "-zet-profile-flags all", 0, "in hexadecimal");
    flags_check(*state, "-zet-profile-flags -1", 0, "in hexadecimal");
    flags_check(*state, "-zet-profile-flags 3x", 0, "in hexadecimal");
    flags_check(*state, "-zet-profile-flags", 0, "lacks its value");
}

/* PIN-2, ENV-24 */
static void without_instrumentation_the_option_is_told_to_have_no_effect(void **state)
{
    bool said;
    ze_module_handle_t module =
        module_build(*state, "-zet-profile-flags 3", "ZET_ENABLE_PROGRAM_INSTRUMENTATION", &said);
    assert_true(said == !is_on());
    assert_success(zeModuleDestroy(module));
}

/* PIN-4 */
static void tokens_follow_the_properties(void **state)
{
    static const char *const names[] = {"scale",     "by_value", "widths",
                                        "sum_group", "fixed",    "look_up"};
    bool said;
    struct profile profile;
    ze_module_handle_t module = module_build(*state, "-zet-profile-flags 2", "", &said);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && is_on(); i++) {
        profile_get(module, names[i], &profile);
        token_check(&profile);
    }
    assert_success(zeModuleDestroy(module));
}

/* The conformance tests pass the structure alone, with other members 0. */
static void a_structure_alone_gets_no_tokens(void **state)
{
#ifdef GEOID_SANITIZED
    skip(); /* the back end does not optimise there, and spares no registers */
#endif
    static const uint32_t counts[] = {0, 2, UINT32_MAX};
    bool said;
    struct profile profile;
    ze_module_handle_t module = module_build(*state, "-zet-profile-flags 3", "", &said);
    ze_kernel_handle_t kernel = api_kernel(module, "scale");
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        memset(&profile, MARK, sizeof(profile));
        profile.properties = (zet_profile_properties_t){
            .stype = ZET_STRUCTURE_TYPE_PROFILE_PROPERTIES, .numTokens = counts[i]};
        assert_success(zetKernelGetProfileInfo((zet_kernel_handle_t)kernel, &profile.properties));
        assert_int_equal(profile.properties.flags, is_on() ? 3 : 0);
        assert_int_equal(profile.properties.numTokens, 0);
        for (size_t k = sizeof(profile.properties); k < sizeof(profile.bytes); k++) {
            assert_int_equal(profile.bytes[k], MARK);
        }
    }
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
}

/* PIN-2: registers are spared for tools. The kernels call nothing. */
static void reallocation_spares_registers(void **state)
{
#ifdef GEOID_SANITIZED
    skip(); /* the back end does not optimise there, and spares no registers */
#endif
    static const char *const names[] = {"widths", "fixed", "look_up"};
    struct api *api = *state;
    bool said;
    struct profile profile;
    ze_module_handle_t module = module_build(api, "-zet-profile-flags 3", "", &said);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && is_on(); i++) {
        profile_get(module, names[i], &profile);
#if defined(__x86_64__)
        assert_int_equal(token_check(&profile) & SPARED, SPARED);
#else
        token_check(&profile);
#endif
    }
    assert_success(zeModuleDestroy(module));
}

/* Reads the native binary of a module; the caller frees it. */
static uint8_t *binary_get(ze_module_handle_t module, size_t *size)
{
    *size = 0;
    assert_success(zeModuleGetNativeBinary(module, size, NULL));
    uint8_t *binary = malloc(*size);
    assert_non_null(binary);
    assert_success(zeModuleGetNativeBinary(module, size, binary));
    return binary;
}

static ze_result_t native_create(struct api *api, const uint8_t *binary, size_t size,
                                 ze_module_handle_t *module)
{
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = ZE_MODULE_FORMAT_NATIVE,
                                   .inputSize = size,
                                   .pInputModule = binary};
    return zeModuleCreate(api->context, api->device, &desc, module, NULL);
}

/* PIN-4, MOD-10: the profile is part of the native binary */
static void profiles_come_out_of_native_binaries(void **state)
{
    struct api *api = *state;
    bool said;
    size_t size;
    struct profile before, after;
    ze_module_handle_t module = module_build(api, "-zet-profile-flags 3", "", &said), again;
    uint8_t *binary = binary_get(module, &size);
    assert_success(native_create(api, binary, size, &again));
    profile_get(module, "widths", &before);
    profile_get(again, "widths", &after);
    assert_memory_equal(&before, &after, sizeof(before));
    free(binary);
    assert_success(zeModuleDestroy(again));
    assert_success(zeModuleDestroy(module));
}

/* Returns the note section of a native binary. */
static uint8_t *note_of(uint8_t *binary)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)binary;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(binary + header->e_shoff);
    for (uint32_t i = 0; i < header->e_shnum; i++) {
        uint8_t *note = binary + sections[i].sh_offset;
        if (sections[i].sh_type == SHT_NOTE &&
            memcmp(note + sizeof(Elf64_Nhdr), "GeoidNative", sizeof("GeoidNative")) == 0) {
            return note;
        }
    }
    fail_msg("no note");
    return NULL;
}

/* PIN-6 */
static void changed_binaries_are_loaded_with_instrumentation(void **state)
{
    struct api *api = *state;
    bool said;
    size_t size;
    ze_module_handle_t module = module_build(api, NULL, "", &said), changed = NULL;
    uint8_t *binary = binary_get(module, &size);
    uint8_t *checksum =
        note_of(binary) + sizeof(Elf64_Nhdr) + sizeof("GeoidNative") + sizeof(uint64_t);
    ((Elf64_Ehdr *)binary)->e_flags ^= 1; /* nobody reads it */
    assert_result(native_create(api, binary, size, &changed),
                  ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
    memset(checksum, 0, sizeof(uint64_t));
    assert_result(native_create(api, binary, size, &changed),
                  is_on() ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
    if (is_on()) {
        /* what the driver gives out is whole again */
        size_t given_size;
        ze_module_handle_t again;
        uint8_t *given = binary_get(changed, &given_size);
        assert_int_equal(given_size, size);
        assert_memory_not_equal(given, binary, size);
        assert_success(native_create(api, given, given_size, &again));
        assert_success(zeModuleDestroy(again));
        assert_success(zeModuleDestroy(changed));
        free(given);
        /* everything but the checksum is still checked */
        memset(checksum - sizeof(uint64_t), 0, sizeof(uint64_t));
        assert_result(native_create(api, binary, size, &changed),
                      ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
    }
    free(binary);
    assert_success(zeModuleDestroy(module));
}

static void bad_arguments_are_refused(void **state)
{
    bool said;
    struct profile profile = {.properties = {.stype = ZET_STRUCTURE_TYPE_PROFILE_PROPERTIES}};
    ze_module_handle_t module = module_build(*state, NULL, "", &said);
    ze_kernel_handle_t kernel = api_kernel(module, "scale");
    assert_result(zetKernelGetProfileInfo(NULL, &profile.properties),
                  ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    assert_result(zetKernelGetProfileInfo((zet_kernel_handle_t)kernel, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
}

static const struct api_case cases[] = {
    {"flags_are_those_of_the_build", flags_are_those_of_the_build, API_EXECUTES},
    {"flags_without_a_meaning_have_no_effect", flags_without_a_meaning_have_no_effect,
     API_EXECUTES},
    {"without_instrumentation_the_option_is_told_to_have_no_effect",
     without_instrumentation_the_option_is_told_to_have_no_effect, API_EXECUTES},
    {"tokens_follow_the_properties", tokens_follow_the_properties, API_EXECUTES},
    {"a_structure_alone_gets_no_tokens", a_structure_alone_gets_no_tokens, API_EXECUTES},
    {"reallocation_spares_registers", reallocation_spares_registers, API_EXECUTES},
    {"profiles_come_out_of_native_binaries", profiles_come_out_of_native_binaries, API_EXECUTES},
    {"changed_binaries_are_loaded_with_instrumentation",
     changed_binaries_are_loaded_with_instrumentation, API_EXECUTES},
    API_CASE(bad_arguments_are_refused),
};
API_MAIN("spirv_profile", cases)
