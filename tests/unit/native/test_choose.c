/* Unit tests of the choice of a payload: a device gets the best that it can run, or is told what
 * the binary holds. */
#include "native/native.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { CONTRACT = 9 };

static const struct geo_native_device cpu = {.kinds = 1u << GEO_PAYLOAD_OBJECT,
                                             .contract = CONTRACT,
                                             .target = GEO_TARGET_X86_64,
                                             .features = GEO_FEATURE_SSE4_2 | GEO_FEATURE_AVX2};
static const struct geo_native_device gpu = {.kinds =
                                                 1u << GEO_PAYLOAD_PTX | 1u << GEO_PAYLOAD_CUBIN,
                                             .target = GEO_TARGET_NVIDIA,
                                             .architecture = 86};

#define OBJECT(bits)                                                                               \
    {.kind = GEO_PAYLOAD_OBJECT,                                                                   \
     .contract = CONTRACT,                                                                         \
     .target = GEO_TARGET_X86_64,                                                                  \
     .features = (bits)}
#define ARM64       {.kind = GEO_PAYLOAD_OBJECT, .contract = CONTRACT, .target = GEO_TARGET_AARCH64}
#define PTX(needed) {.kind = GEO_PAYLOAD_PTX, .target = GEO_TARGET_NVIDIA, .architecture = (needed)}
#define CUBIN(needed)                                                                              \
    {.kind = GEO_PAYLOAD_CUBIN, .target = GEO_TARGET_NVIDIA, .architecture = (needed)}

/* Chooses among the payloads. Returns the number of the choice, or -1. */
static int choose(const struct geo_native_device *device, const struct geo_native_payload *payloads,
                  uint32_t count, char reason[GEO_NATIVE_REASON_BYTES])
{
    const struct geo_native_header header = {.payload_count = count};
    const struct geo_native_view view = {.header = &header, .payloads = payloads};
    const struct geo_native_payload *found = geo_native_choose(&view, device, reason);
    assert_int_equal(found == NULL, reason[0] != '\0');
    return found ? (int)(found - payloads) : -1;
}

#define CHOOSE(device, ...)                                                                        \
    choose(device, (const struct geo_native_payload[]){__VA_ARGS__},                               \
           sizeof((const struct geo_native_payload[]){__VA_ARGS__}) /                              \
               sizeof(struct geo_native_payload),                                                  \
           reason)

static void the_code_with_most_features_is_best(void **state)
{
    char reason[GEO_NATIVE_REASON_BYTES];
    const uint32_t v2 = GEO_FEATURE_SSE4_2, v3 = v2 | GEO_FEATURE_AVX2;
    (void)state;
    assert_int_equal(CHOOSE(&cpu, OBJECT(0)), 0);
    assert_int_equal(CHOOSE(&cpu, OBJECT(0), OBJECT(v3), OBJECT(v2)), 1);
    assert_int_equal(CHOOSE(&cpu, OBJECT(v3 | GEO_FEATURE_AVX512), OBJECT(v2), OBJECT(0)), 1);
    assert_int_equal(CHOOSE(&cpu, ARM64, PTX(70), OBJECT(v2), OBJECT(v2)), 2); /* the first */
}

static void code_of_another_contract_is_passed_over(void **state)
{
    char reason[GEO_NATIVE_REASON_BYTES];
    struct geo_native_payload payloads[2] = {OBJECT(GEO_FEATURE_AVX2), OBJECT(0)};
    (void)state;
    payloads[0].contract = CONTRACT - 1;
    assert_int_equal(choose(&cpu, payloads, 2, reason), 1);
    assert_int_equal(choose(&cpu, payloads, 1, reason), -1);
    assert_non_null(strstr(reason, "x86-64 with AVX2 of another version of Geoid"));
}

static void a_gpu_takes_machine_code_before_ptx(void **state)
{
    char reason[GEO_NATIVE_REASON_BYTES];
    (void)state;
    assert_int_equal(CHOOSE(&gpu, PTX(86), CUBIN(80), OBJECT(0)), 1);
    assert_int_equal(CHOOSE(&gpu, CUBIN(80), CUBIN(86), PTX(86)), 1);
    assert_int_equal(CHOOSE(&gpu, CUBIN(75), PTX(70), PTX(80)), 2); /* another major version */
    assert_int_equal(CHOOSE(&gpu, CUBIN(89), PTX(90), PTX(50)), 2); /* of later GPUs */
    assert_int_equal(CHOOSE(&gpu, CUBIN(89), PTX(90)), -1);
}

static void the_reason_says_what_the_binary_holds(void **state)
{
    char reason[GEO_NATIVE_REASON_BYTES];
    (void)state;
    assert_int_equal(CHOOSE(&cpu, OBJECT(GEO_FEATURE_AVX512)), -1);
    assert_string_equal(reason, "its code needs AVX-512, which this device lacks");
    assert_int_equal(CHOOSE(&cpu, ARM64), -1);
    assert_string_equal(reason, "it holds code for arm64; this device needs code for x86-64 with "
                                "AVX2 at most");
    assert_int_equal(CHOOSE(&cpu, PTX(90), CUBIN(86), OBJECT(GEO_FEATURE_AVX512)), -1);
    assert_string_equal(reason,
                        "it holds code for PTX of compute capability 9.0, NVIDIA GPUs of compute "
                        "capability 8.6, x86-64 with AVX-512; this device needs code for x86-64 "
                        "with AVX2 at most");
    assert_int_equal(CHOOSE(&gpu, OBJECT(0)), -1);
    assert_string_equal(reason, "it holds code for x86-64; this device needs code for NVIDIA GPUs "
                                "of compute capability 8.6");
    assert_int_equal(choose(&gpu, NULL, 0, reason), -1);
    assert_string_equal(reason, "it holds no code; this device needs code for NVIDIA GPUs of "
                                "compute capability 8.6");
}

static void a_long_reason_is_cut_off(void **state)
{
    char reason[GEO_NATIVE_REASON_BYTES + 1];
    struct geo_native_payload payloads[64];
    (void)state;
    for (uint32_t i = 0; i < 64; i++) {
        payloads[i] = (struct geo_native_payload)PTX(999);
    }
    reason[GEO_NATIVE_REASON_BYTES] = '#';
    assert_int_equal(choose(&cpu, payloads, 64, reason), -1);
    assert_int_equal(strlen(reason), GEO_NATIVE_REASON_BYTES - 1);
    assert_int_equal(reason[GEO_NATIVE_REASON_BYTES], '#');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_code_with_most_features_is_best),
        cmocka_unit_test(code_of_another_contract_is_passed_over),
        cmocka_unit_test(a_gpu_takes_machine_code_before_ptx),
        cmocka_unit_test(the_reason_says_what_the_binary_holds),
        cmocka_unit_test(a_long_reason_is_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
