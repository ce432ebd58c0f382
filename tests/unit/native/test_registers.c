/* Unit test of the register file of profiles. */
#include "native/native.h"
#include "native/registers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define V2 GEO_FEATURE_SSE4_2
#define V3 (V2 | GEO_FEATURE_AVX2)
#define V4 (V3 | GEO_FEATURE_AVX512)

#define BIT(n) (UINT64_C(1) << (n))

static void list_check(uint32_t target, uint32_t features, uint64_t set, uint32_t count,
                       const zet_profile_register_sequence_t *expected)
{
    zet_profile_register_sequence_t out[GEO_NATIVE_REGISTERS_SEQUENCES];
    assert_int_equal(geo_native_registers_list(target, features, set, out), count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(out[i].start, expected[i].start);
        assert_int_equal(out[i].count, expected[i].count);
    }
}

/* PIN-4 */
static void neighbours_are_one_sequence(void **state)
{
    (void)state;
    const uint64_t general = BIT(0) | BIT(1) | BIT(10) | BIT(11) | BIT(15);
    list_check(GEO_TARGET_X86_64, V4, general, 3,
               (zet_profile_register_sequence_t[]){{0, 16}, {80, 16}, {120, 8}});
    list_check(GEO_TARGET_X86_64, V4, BIT(15) | BIT(16) | BIT(17) | BIT(47) | BIT(48), 2,
               (zet_profile_register_sequence_t[]){{120, 8 + 128}, {2112, 64 + 8}});
    list_check(GEO_TARGET_AARCH64, 0, BIT(14) | BIT(15) | BIT(61) | BIT(62), 2,
               (zet_profile_register_sequence_t[]){{112, 16}, {736, 32}});
    list_check(GEO_TARGET_X86_64, V4, 0, 0, NULL);
    list_check(GEO_TARGET_NVIDIA, 0, UINT64_MAX, 0, NULL);
}

/* PIN-4 */
static void only_the_part_of_a_vector_that_the_level_has_is_listed(void **state)
{
    (void)state;
    list_check(GEO_TARGET_X86_64, V2, BIT(16) | BIT(17), 2,
               (zet_profile_register_sequence_t[]){{128, 16}, {192, 16}});
    list_check(GEO_TARGET_X86_64, V3, BIT(16) | BIT(17), 2,
               (zet_profile_register_sequence_t[]){{128, 32}, {192, 32}});
    list_check(GEO_TARGET_X86_64, V4, BIT(16) | BIT(17), 1,
               (zet_profile_register_sequence_t[]){{128, 128}});
}

/* PIN-4: registers whose value the caller expects to find again are not free */
static void registers_of_the_caller_are_never_free(void **state)
{
    (void)state;
    const uint64_t saved = BIT(3) | BIT(4) | BIT(5) | BIT(12) | BIT(13) | BIT(14) | BIT(15);
    for (uint32_t features = V2; features <= V4; features = features << 1 | 1) {
        assert_int_equal(geo_native_registers_scratch(GEO_TARGET_X86_64, features) & saved, 0);
    }
    assert_int_equal(geo_native_registers_scratch(GEO_TARGET_X86_64, V3) >> 32, 0);
    assert_int_equal(geo_native_registers_scratch(GEO_TARGET_AARCH64, 0) & BIT(18), 0);
    assert_int_equal(geo_native_registers_scratch(GEO_TARGET_AARCH64, 0) & BIT(31 + 8), 0);
}

static void spared_registers_can_be_free(void **state)
{
    (void)state;
    const uint32_t targets[] = {GEO_TARGET_X86_64, GEO_TARGET_AARCH64};
    for (int i = 0; i < 2; i++) {
        for (uint32_t features = 0; features <= V4; features = features << 1 | 1) {
            const uint64_t spared = geo_native_registers_spared(targets[i], features);
            assert_int_equal(spared & ~geo_native_registers_scratch(targets[i], features), 0);
            assert_int_not_equal(spared, 0);
        }
    }
}

/* The bound on sequences: every second register. */
static void all_sequences_fit(void **state)
{
    (void)state;
    zet_profile_register_sequence_t out[GEO_NATIVE_REGISTERS_SEQUENCES];
    for (uint64_t set = UINT64_C(0x5555555555555555); set; set <<= 1) {
        const uint64_t some = set & geo_native_registers_scratch(GEO_TARGET_X86_64, V4);
        assert_in_range(geo_native_registers_list(GEO_TARGET_X86_64, V4, some, out), 0,
                        GEO_NATIVE_REGISTERS_SEQUENCES - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_are_one_sequence),
        cmocka_unit_test(only_the_part_of_a_vector_that_the_level_has_is_listed),
        cmocka_unit_test(registers_of_the_caller_are_never_free),
        cmocka_unit_test(spared_registers_can_be_free),
        cmocka_unit_test(all_sequences_fit),
    };
    return cmocka_run_group_tests_name("registers", tests, NULL, NULL);
}
