/* Memory runs out at each allocation in turn, and at the module's limit: canonicalisation says so
 * and leaves nothing behind. */
#include "support.h"
#include "sweep.h"

#include "compiler/transform/transform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *fixture;
static struct geo_ir_module *module;

static ze_result_t do_canonicalize(void)
{
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    ze_result_t result = geo_transform_canonicalize(module, true, &log);
    geo_strbuf_finish(&log);
    return result;
}

static void fresh_module(void)
{
    geo_ir_module_destroy(module);
    module = support_fixture(fixture);
}

static void sweep(const char *name)
{
    static const struct sweep canonicalize = {.name = "canonical form",
                                              .run = do_canonicalize,
                                              .settle = fresh_module,
                                              .recovers = true,
                                              .points = 400};
    fixture = name;
    sweep_run(&canonicalize);
    geo_ir_module_destroy(module);
    module = NULL;
}

/* The module's arena ends at each of many places. */
static void limit_sweep(const char *name)
{
    fixture = name;
    fresh_module();
    size_t begin = module->arena.used_bytes;
    assert_int_equal(do_canonicalize(), ZE_RESULT_SUCCESS);
    size_t end = module->arena.used_bytes, step = (end - begin) / 600 + 1;
    for (size_t limit = begin; limit + step < end; limit += step) {
        fresh_module();
        module->arena.limit_bytes = limit;
        ze_result_t result = do_canonicalize();
        if (result != ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY) {
            fail_msg("%s, limit %zu: %#x", name, limit, (unsigned)result);
        }
    }
    geo_ir_module_destroy(module);
    module = NULL;
}

static void a_limit_of_the_module_is_reported(void **state)
{
    (void)state;
    limit_sweep("control_O0");
    limit_sweep("aggregates_O0");
    limit_sweep("groups_O2");
}

static void lack_of_memory_is_reported(void **state)
{
    (void)state;
    sweep("control_O0");
    sweep("aggregates_O0");
    sweep("groups_O2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lack_of_memory_is_reported),
        cmocka_unit_test(a_limit_of_the_module_is_reported),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
