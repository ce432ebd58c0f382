/* Work-group collectives after their expansion, run by the reference interpreter, against sums over
 * the inputs. */
#include "interpret.h"
#include "support.h"

#include "compiler/builtins/builtins.h"
#include "compiler/transform/transform.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define ROWS  10
#define LIMIT 64

static struct geo_ir_module *expanded(const char *fixture)
{
    struct geo_ir_module *module = support_fixture(fixture);
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_builtins_resolve(module, &log), ZE_RESULT_SUCCESS);
    assert_int_equal(geo_transform_resolve_builtin_variables(module, &log), ZE_RESULT_SUCCESS);
    assert_int_equal(geo_transform_collectives(module, &log), ZE_RESULT_SUCCESS);
    support_assert_valid(module);
    geo_strbuf_finish(&log);
    return module;
}

static void expect(const int32_t *out, uint32_t n, const int32_t *in, uint32_t source)
{
    int32_t sum = 0, least = INT_MAX, most = INT_MIN;
    uint32_t most_unsigned = 0;
    bool any = false, all = true;
    int64_t least_before = LONG_MAX;
    for (uint32_t i = 0; i < n; i++) {
        sum += in[i];
        least = in[i] < least ? in[i] : least;
        most = in[i] > most ? in[i] : most;
        any |= in[i] == 7;
        all &= in[i] > -100;
    }
    int32_t before = 0;
    for (uint32_t i = 0; i < n; i++) {
        most_unsigned = (uint32_t)in[i] > most_unsigned ? (uint32_t)in[i] : most_unsigned;
        assert_int_equal(out[i], sum);
        assert_int_equal(out[n + i], before + in[i]);
        assert_int_equal(out[2 * n + i], before);
        assert_int_equal(out[3 * n + i], least);
        assert_int_equal((uint32_t)out[4 * n + i], most_unsigned);
        assert_int_equal(out[5 * n + i], all + 2 * any);
        assert_int_equal(out[6 * n + i], in[source]);
        assert_int_equal(out[7 * n + i], sum);
        assert_int_equal(out[8 * n + i], (int32_t)least_before);
        assert_int_equal(out[9 * n + i], most);
        before += in[i];
        least_before = (int64_t)in[i] * 3 < least_before ? (int64_t)in[i] * 3 : least_before;
    }
}

static void check(const char *fixture, const uint32_t local[3], uint64_t seed)
{
    const uint32_t one[3] = {1, 1, 1};
    int32_t in[LIMIT], out[ROWS * LIMIT];
    uint32_t n = local[0] * local[1];
    struct support_random random = {seed};
    struct geo_ir_module *module = expanded(fixture);
    struct interp *interp = interp_create(module);
    for (uint32_t i = 0; i < n; i++) {
        in[i] = (int32_t)support_random_below(&random, 240) - 120;
    }
    memset(out, 0x55, sizeof(out));
    const uint64_t arguments[] = {interp_map(interp, in, sizeof(in)),
                                  interp_map(interp, out, sizeof(out)), n - 1};
    if (!interp_launch(interp, interp_find(module, "collectives"), arguments, one, local)) {
        fail_msg("%s", interp_error(interp));
    }
    expect(out, n, in, n - 1);
    interp_destroy(interp);
    geo_ir_module_destroy(module);
}

/* SPV-10: the Groups capability at work-group scope */
static void collectives_see_every_work_item(void **state)
{
    static const uint32_t sizes[][3] = {{1, 1, 1}, {5, 3, 1}, {16, 1, 1}, {8, 8, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        check("collectives_O0", sizes[i], 3 + i);
        check("collectives_O2", sizes[i], 99 + i);
    }
}

/* SPV-18: nothing is left at work-group scope, barriers keep the steps apart */
static void nothing_is_left_for_lowering(void **state)
{
    struct geo_ir_module *module = expanded("collectives_O2");
    (void)state;
    for (unsigned op = SpvOpGroupAll; op <= SpvOpGroupSMax; op++) {
        assert_int_equal(support_count(module, NULL, op), 0);
    }
    assert_true(support_count(module, NULL, SpvOpControlBarrier) >= 3 * 9);
    geo_ir_module_destroy(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collectives_see_every_work_item),
        cmocka_unit_test(nothing_is_left_for_lowering),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
