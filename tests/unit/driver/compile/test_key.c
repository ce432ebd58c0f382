/* Unit test of keys of builds: everything that a build depends on changes its key, and nothing else
 * does. */
#include "unit.h"

#include "driver/compile/key.h"

#include <spirv/unified1/spirv.h>

#define OP(length, op) ((uint32_t)(length) << 16 | (op))

/* One specialisation constant of 16 bits, one of 64, one that is true or false. */
static const uint32_t module[] = {
    SpvMagicNumber,
    0x10000,
    0,
    10,
    0,
    OP(4, SpvOpDecorate),
    4,
    SpvDecorationSpecId,
    70,
    OP(4, SpvOpDecorate),
    5,
    SpvDecorationSpecId,
    71,
    OP(4, SpvOpDecorate),
    6,
    SpvDecorationSpecId,
    72,
    OP(4, SpvOpTypeInt),
    1,
    16,
    0,
    OP(4, SpvOpTypeInt),
    2,
    64,
    0,
    OP(2, SpvOpTypeBool),
    3,
    OP(4, SpvOpSpecConstant),
    1,
    4,
    1,
    OP(5, SpvOpSpecConstant),
    2,
    5,
    2,
    0,
    OP(3, SpvOpSpecConstantFalse),
    3,
    6,
};

static const struct geo_compiler_source plain = {
    .spirv = module, .bytes = sizeof(module), .options = "-g"};

static struct geo_build_key key_make(const struct geo_compiler_request *request)
{
    struct geo_build_key key;
    assert_true(geo_build_key_make(request, "compiler", &key));
    return key;
}

static bool keys_are_equal(struct geo_build_key *a, struct geo_build_key *b)
{
    bool equal = a->count == b->count && memcmp(a->bytes, b->bytes, a->count) == 0;
    geo_build_key_finish(a);
    geo_build_key_finish(b);
    return equal;
}

static bool requests_are_equal(const struct geo_compiler_request *a,
                               const struct geo_compiler_request *b)
{
    struct geo_build_key first = key_make(a), second = key_make(b);
    return keys_are_equal(&first, &second);
}

static bool sources_are_equal(const struct geo_compiler_source *a,
                              const struct geo_compiler_source *b)
{
    return requests_are_equal(&(struct geo_compiler_request){.source_count = 1, .sources = a},
                              &(struct geo_compiler_request){.source_count = 1, .sources = b});
}

static void the_same_request_has_the_same_key(void **state)
{
    uint32_t copy[sizeof(module) / sizeof(module[0]) + 1];
    uint8_t *crooked = (uint8_t *)copy + 1;
    char options[] = "-g";
    (void)state;
    memcpy(crooked, module, sizeof(module));
    const struct geo_compiler_source other = {
        .spirv = crooked, .bytes = sizeof(module), .options = options};
    assert_true(sources_are_equal(&plain, &other));
}

static void every_bit_of_a_source_is_in_the_key(void **state)
{
    uint32_t copy[sizeof(module) / sizeof(module[0])];
    struct geo_compiler_source other = plain;
    (void)state;
    other.spirv = copy;
    for (size_t bit = 0; bit < sizeof(module) * 8; bit++) {
        memcpy(copy, module, sizeof(module));
        copy[bit / 32] ^= 1u << bit % 32;
        assert_false(sources_are_equal(&plain, &other));
    }
    memcpy(copy, module, sizeof(module));
    for (size_t cut = 1; cut <= plain.bytes; cut++) {
        other.bytes = plain.bytes - cut;
        assert_false(sources_are_equal(&plain, &other));
    }
}

static void options_and_units_are_in_the_key(void **state)
{
    static const char *const options[] = {NULL, "", "-", "-g ", " -g", "-G", "-g -ze-opt-disable"};
    struct geo_compiler_source other = plain;
    (void)state;
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        other.options = options[i];
        assert_false(sources_are_equal(&plain, &other));
    }
    const struct geo_compiler_source none = {.spirv = module, .bytes = sizeof(module)};
    other.options = "";
    assert_true(sources_are_equal(&none, &other)); /* no options, either way */
    other = plain;
    other.unit = 1;
    assert_false(sources_are_equal(&plain, &other));
}

static struct geo_compiler_source specialised(const uint32_t *ids, const void *const *values,
                                              uint32_t count)
{
    struct geo_compiler_source source = plain;
    source.constant_count = count;
    source.constant_ids = ids;
    source.constant_values = values;
    return source;
}

/* Values are as large as the constants; the default, given, is the default. */
static void specialisation_constants_are_in_the_key(void **state)
{
    static const uint32_t ids[] = {70, 71, 72, 99};
    uint16_t *half = malloc(sizeof(*half)); /* on the heap: what reads too much is seen */
    uint64_t *whole = malloc(sizeof(*whole));
    uint8_t *truth = malloc(sizeof(*truth));
    const void *const values[] = {half, whole, truth, truth};
    const struct geo_compiler_source source = specialised(ids, values, 4);
    (void)state;
    *half = 1, *whole = 2, *truth = 0;
    assert_true(sources_are_equal(&plain, &source));
    *half = 7;
    assert_false(sources_are_equal(&plain, &source));
    *half = 1, *whole = UINT64_C(2) << 32 | 2;
    assert_false(sources_are_equal(&plain, &source));
    *whole = 2, *truth = 1;
    assert_false(sources_are_equal(&plain, &source));
    free(half);
    free(whole);
    free(truth);
}

static void requests_differ_in_every_field(void **state)
{
    const struct geo_compiler_source sources[] = {plain, plain};
    const struct geo_compiler_link links[] = {{0, 1, "f"}, {1, 0, "f"}, {0, 1, "g"}, {0, 2, "f"}};
    const struct geo_compiler_request base = {.source_count = 1, .sources = sources};
    struct geo_compiler_request requests[] = {base, base, base, base, base, base, base,
                                              base, base, base, base, base, base, base,
                                              base, base, base, base, base, base, base};
    static const char *const names[] = {"f", "g"};
    const size_t count = sizeof(requests) / sizeof(requests[0]);
    (void)state;
    requests[1].source_count = 2;
    requests[2].unit_count = 2;
    requests[3].function = "f";
    requests[4].target_cpu = "x86-64";
    requests[5].lanes = 8;
    requests[6].function = "";
    requests[7].tile = 2;
    for (size_t i = 8; i < 12; i++) {
        requests[i].link_count = 1;
        requests[i].links = &links[i - 8];
    }
    requests[12].kernel_count = requests[13].kernel_count = 1;
    requests[12].kernel_names = names;
    requests[13].kernel_names = &names[1];
    requests[16].kernel_count = 2;
    requests[16].kernel_names = names;
    requests[14].kernels = GEO_COMPILER_KERNELS_NEEDED;
    requests[15].kernels = GEO_COMPILER_KERNELS_AUTO;
    requests[17].restricted = true;
    requests[18].counted = true;
    requests[19].instrumented = true;
    requests[20].near_null = true;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            assert_int_equal(requests_are_equal(&requests[i], &requests[k]), i == k);
        }
    }
}

static void compilers_and_their_options_are_in_the_key(void **state)
{
    static const char *const names[] = {
        "GEOID_LANES",        "GEOID_TILE",       "GEOID_CPU",  "GEOID_BUILD_TIME",
        "GEOID_BUILD_MEMORY", "GEOID_BUILD_CODE", "GEOID_BUILD"};
    const struct geo_compiler_request request = {.source_count = 1, .sources = &plain};
    struct geo_build_key first = key_make(&request), second;
    (void)state;
    assert_true(geo_build_key_make(&request, "compiler+", &second));
    assert_false(keys_are_equal(&first, &second));
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        first = key_make(&request);
        setenv(names[i], "16", 1);
        second = key_make(&request);
        unsetenv(names[i]);
        assert_false(keys_are_equal(&first, &second));
    }
    first = key_make(&request);
    setenv("GEOID_THREADS", "3", 1); /* how it runs is no matter */
    second = key_make(&request);
    unsetenv("GEOID_THREADS");
    assert_true(keys_are_equal(&first, &second));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_request_has_the_same_key),
        cmocka_unit_test(every_bit_of_a_source_is_in_the_key),
        cmocka_unit_test(options_and_units_are_in_the_key),
        cmocka_unit_test(specialisation_constants_are_in_the_key),
        cmocka_unit_test(requests_differ_in_every_field),
        cmocka_unit_test(compilers_and_their_options_are_in_the_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
