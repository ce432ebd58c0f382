/* The reference interpreter is only worth what it gets right itself: kernels with known results,
 * and the mistakes it must notice. */
#include "interpret.h"
#include "support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* fixtures/control.cl's `loops`, in plain C. */
static uint32_t loops_expected(uint32_t sum, uint32_t n)
{
    for (uint32_t k = 0; k < (n & 15); k++) {
        if ((sum & 7) == 3) {
            sum += 5;
            continue;
        }
        for (uint32_t m = k; m < 9; m += 2) {
            sum = sum * 33 + m;
            if ((sum & 31) == 17) {
                break;
            }
        }
        if (sum % 101 == 50) {
            break;
        }
    }
    uint32_t steps = 0;
    while (sum > 10 && steps < 40) {
        sum = sum & 1 ? sum - 1 : sum / 2;
        steps++;
    }
    do {
        sum += steps;
        steps--;
    } while (steps < 100 && steps != 0);
    return sum;
}

/* groups.cl's `barriers` for one group of `size` items. */
static void barriers_expected(uint32_t *cell, uint32_t size, uint32_t n)
{
    for (uint32_t k = 0; k < (n & 3); k++) {
        for (uint32_t flip = 0; flip < (n & 4 ? 2u : 1u); flip++) {
            uint32_t before[16];
            memcpy(before, cell, sizeof(before));
            for (uint32_t i = 0; i < size; i++) {
                uint32_t id = flip ? size - 1 - i : i;
                cell[id] = before[id] + before[(id + 1) % size];
            }
        }
    }
}

static void a_loop_kernel_gives_what_c_gives(void **state)
{
    (void)state;
    struct support_random random = {99};
    uint32_t out[256], in[256];
    struct geo_ir_module *module = support_fixture("control_O0");
    for (int round = 0; round < 4; round++) {
        const uint32_t groups[3] = {4, 1, 1}, local[3] = {64, 1, 1};
        uint32_t n = (uint32_t)support_random(&random);
        struct interp *interp = interp_create(module);
        for (int i = 0; i < 256; i++) {
            in[i] = (uint32_t)support_random_value(&random);
        }
        const uint64_t arguments[3] = {interp_map(interp, out, sizeof(out)),
                                       interp_map(interp, in, sizeof(in)), n};
        assert_true(interp_launch(interp, interp_find(module, "loops"), arguments, groups, local));
        for (int i = 0; i < 256; i++) {
            assert_int_equal(out[i], loops_expected(in[i], n));
        }
        interp_destroy(interp);
    }
    geo_ir_module_destroy(module);
}

static void barriers_order_the_items_of_a_group(void **state)
{
    (void)state;
    struct geo_ir_module *module = support_fixture("groups_O0");
    for (uint32_t n = 0; n < 8; n++) {
        const uint32_t groups[3] = {2, 1, 1}, local[3] = {16, 1, 1};
        uint32_t out[256] = {0}, in[256], cell[2][16];
        struct interp *interp = interp_create(module);
        for (uint32_t i = 0; i < 256; i++) {
            in[i] = i * i + 1;
        }
        memcpy(cell, in, sizeof(cell));
        const uint64_t arguments[3] = {interp_map(interp, out, sizeof(out)),
                                       interp_map(interp, in, sizeof(in)), n};
        interp_set_builtin(interp, SpvBuiltInWorkDim, 0, 1);
        assert_true(
            interp_launch(interp, interp_find(module, "barriers"), arguments, groups, local));
        for (uint32_t g = 0; g < 2; g++) {
            barriers_expected(cell[g], 16, n);
            for (uint32_t i = 0; i < 16; i++) {
                assert_int_equal(out[g * 16 + i], cell[g][i] + g * 1000 + 3);
            }
        }
        assert_int_equal(interp_barriers(interp), 32 * (1 + (n & 3) * (n & 4 ? 4 : 2)));
        interp_destroy(interp);
    }
    geo_ir_module_destroy(module);
}

/* ---- mistakes ---- */

static const char head[] =
    "OpEntryPoint Kernel %k \"k\"\n%void = OpTypeVoid\n%i32 = OpTypeInt 32 0\n"
    "%i64 = OpTypeInt 64 0\n%p = OpTypePointer CrossWorkgroup %i32\n"
    "%fn = OpTypeFunction %void %p %i64\n%c0 = OpConstant %i32 0\n%c2 = OpConstant %i32 2\n"
    "%c272 = OpConstant %i32 272\n"
    "%k = OpFunction %void None %fn\n%a = OpFunctionParameter %p\n"
    "%n = OpFunctionParameter %i64\n%entry = OpLabel\n";

/* Runs `body` on a buffer of 4 words; it must fail with this text. */
static void assert_noticed(const char *body, uint64_t n, const uint32_t local[3],
                           const char *expected)
{
    char text[4096];
    uint32_t words[4] = {1, 2, 3, 4};
    const uint32_t groups[3] = {1, 1, 1};
    snprintf(text, sizeof(text), "%s%sOpFunctionEnd\n", head, body);
    struct geo_ir_module *module = support_assemble(text);
    struct interp *interp = interp_create(module);
    const uint64_t arguments[2] = {interp_map(interp, words, sizeof(words)), n};
    interp_set_step_limit(interp, 1000);
    assert_false(interp_launch(interp, interp_find(module, "k"), arguments, groups, local));
    if (!strstr(interp_error(interp), expected)) {
        fail_msg("%s", interp_error(interp));
    }
    interp_destroy(interp);
    geo_ir_module_destroy(module);
}

static void mistakes_are_noticed(void **state)
{
    (void)state;
    const uint32_t one[3] = {1, 1, 1}, two[3] = {2, 1, 1};
    const char *access = "%q = OpInBoundsPtrAccessChain %p %a %n\n%x = OpLoad %i32 %q\n"
                         "OpStore %q %x\nOpReturn\n";
    assert_noticed(access, 4, one, "load of 4 bytes at offset 16 of a region of 16 bytes");
    assert_noticed(access, UINT64_MAX, one, "load");
    assert_noticed("%q = OpConvertUToPtr %p %n\nOpStore %q %c0\nOpReturn\n", 64, one,
                   "store at wild address 0x40");
    assert_noticed("OpBranch %l\n%l = OpLabel\nOpBranch %l\n", 0, one, "step limit");
    assert_noticed("OpUnreachable\n", 0, one, "OpUnreachable reached");
    assert_noticed("%x = OpAtomicIIncrement %i32 %a %c2 %c0\nOpSwitch %x %out 1 %in\n"
                   "%in = OpLabel\nOpControlBarrier %c2 %c2 %c272\nOpBranch %out\n"
                   "%out = OpLabel\nOpReturn\n",
                   0, two, "a barrier that not all items reach");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_kernel_gives_what_c_gives),
        cmocka_unit_test(barriers_order_the_items_of_a_group),
        cmocka_unit_test(mistakes_are_noticed),
    };
    return cmocka_run_group_tests_name("interpret", tests, NULL, NULL);
}
