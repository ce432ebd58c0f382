/* Which phis can share a variable. */
#include "compiler/analysis/coalesce.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support.h"

/* %p is memory, %n a number, %t a condition. */
#define HEAD                                                                                       \
    "OpEntryPoint Kernel %k \"k\"\n%void = OpTypeVoid\n%bool = OpTypeBool\n"                       \
    "%i32 = OpTypeInt 32 0\n%gi32 = OpTypePointer CrossWorkgroup %i32\n"                           \
    "%c0 = OpConstant %i32 0\n%fn = OpTypeFunction %void %gi32 %i32\n"                             \
    "%k = OpFunction %void None %fn\n%p = OpFunctionParameter %gi32\n"                             \
    "%n = OpFunctionParameter %i32\n%entry = OpLabel\n%t = OpSLessThan %bool %n %c0\n"
/* if (t) { side }, in a block `at`, which ends in `end` */
#define IF(at, end, side)                                                                          \
    "OpBranchConditional %t %" at "_side %" end "\n%" at "_side = OpLabel\n" side "OpBranch %" end \
    "\n%" end " = OpLabel\n"
#define ADD(to, from) "%" to " = OpIAdd %i32 %" from " %n\n"
#define A             IF("entry", "one", ADD("x", "n")) "%a = OpPhi %i32 %n %entry %x %entry_side\n"
#define PHI(name, from) "%" name " = OpPhi %i32 %" from " %one %y %one_side\n"
#define END             "OpReturn\nOpFunctionEnd\n"

/* Writes for each phi the number of the one whose variable it can share, or '-'. */
static const char *shared(const char *body)
{
    static char text[16];
    struct geo_ir_module *module = support_assemble(body);
    struct geo_arena arena;
    struct geo_cfg cfg;
    const struct geo_ir_inst **first, *phis[16];
    geo_arena_init(&arena, 0);
    geo_ir_function_number(module->first_function);
    assert_true(geo_cfg_build(module->first_function, &arena, &cfg));
    assert_true(geo_coalesce_phis(&cfg, &arena, &first));
    uint32_t count = 0;
    for (uint32_t i = 0; i < cfg.reachable_count; i++) {
        geo_ir_for_each_inst(inst, cfg.order[i]) {
            if (inst->op != SpvOpPhi) {
                continue;
            }
            text[count] = '-';
            for (uint32_t k = 0; k < count; k++) {
                if (first[inst->value.index] == phis[k]) {
                    text[count] = (char)('0' + k);
                }
            }
            phis[count++] = inst;
        }
    }
    text[count] = '\0';
    geo_arena_finish(&arena);
    geo_ir_module_destroy(module);
    return text;
}

static void a_chain_shares_its_first_variable(void **state)
{
    (void)state;
    assert_string_equal(shared(HEAD A IF("one", "two", ADD("y", "a")) PHI("b", "a")
                                   IF("two", "three", ADD("z", "b")) "%c = OpPhi %i32 %b %two %z "
                                                                     "%two_side\n" END),
                        "-00");
}

static void a_phi_that_is_read_later_keeps_its_variable(void **state)
{
    (void)state;
    assert_string_equal(
        shared(HEAD A IF("one", "two", ADD("y", "a")) PHI("b", "a") "OpStore %p %a\n" END), "--");
}

static void two_phis_do_not_share_one(void **state)
{
    (void)state;
    assert_string_equal(
        shared(HEAD A IF("one", "two", ADD("y", "a")) PHI("b", "a") PHI("c", "a") END), "-0-");
}

/* The end is also reached from before the conditional. */
static void a_third_way_to_the_end_prevents_it(void **state)
{
    (void)state;
    assert_string_equal(
        shared(HEAD "OpBranchConditional %t %one %two\n%one = OpLabel\n"
                    "%a = OpPhi %i32 %n %entry\n" IF(
                        "one", "two",
                        ADD("y", "a")) "%b = OpPhi %i32 %c0 %entry %a %one %y %one_side\n" END),
        "--");
}

static void a_variable_is_set_again_in_the_next_round_of_a_loop(void **state)
{
    (void)state;
    assert_string_equal(
        shared(HEAD "OpBranch %one\n%one = OpLabel\n"
                    "%a = OpPhi %i32 %n %entry %b %two\n" IF("one", "two", ADD("y", "a"))
                        PHI("b", "a") "OpBranchConditional %t %one %out\n%out = OpLabel\n"
                                      "OpStore %p %b\n" END),
        "-0");
    /* the next round reads the number of this one */
    assert_string_equal(
        shared(HEAD "OpBranch %one\n%one = OpLabel\n%a = OpPhi %i32 %n %entry %b %two\n"
                    "%c = OpPhi %i32 %n %entry %a %two\n" IF("one", "two", ADD("y", "a"))
                        PHI("b", "a") "OpBranchConditional %t %one %out\n%out = OpLabel\n"
                                      "OpStore %p %c\n" END),
        "---");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_shares_its_first_variable),
        cmocka_unit_test(a_phi_that_is_read_later_keeps_its_variable),
        cmocka_unit_test(two_phis_do_not_share_one),
        cmocka_unit_test(a_third_way_to_the_end_prevents_it),
        cmocka_unit_test(a_variable_is_set_again_in_the_next_round_of_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
