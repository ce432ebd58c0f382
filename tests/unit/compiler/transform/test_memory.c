/* Memory runs out at each allocation in turn: canonicalisation says so and leaves nothing behind.
 * The linker sends the program's allocations through the functions below. */
#include "support.h"

#include "compiler/transform/transform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

static uint64_t allocations, fail_from = UINT64_MAX, fail_to = UINT64_MAX;

static bool fails(void)
{
    allocations++;
    return allocations >= fail_from && allocations < fail_to;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return fails() ? NULL : __real_realloc(memory, size);
}

/* Canonicalises a fresh module with the allocations [from, to) failing. */
static ze_result_t attempt(const char *fixture, uint64_t from, uint64_t to)
{
    struct geo_ir_module *module = support_fixture(fixture);
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    allocations = 0;
    fail_from = from;
    fail_to = to;
    ze_result_t result = geo_transform_canonicalize(module, true, &log);
    fail_from = fail_to = UINT64_MAX;
    if (result != ZE_RESULT_SUCCESS && result != ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY) {
        fail_msg("%s, allocation %llu: %#x %s", fixture, (unsigned long long)from, (unsigned)result,
                 geo_strbuf_text(&log));
    }
    geo_strbuf_finish(&log);
    geo_ir_module_destroy(module);
    return result;
}

static void sweep(const char *fixture)
{
    assert_int_equal(attempt(fixture, UINT64_MAX, UINT64_MAX), ZE_RESULT_SUCCESS);
    uint64_t total = allocations, step = total / 400 + 1, refused = 0;
    assert_true(total > 0);
    for (uint64_t at = 1; at <= total; at += step) {
        refused += attempt(fixture, at, at + 1) != ZE_RESULT_SUCCESS;
        assert_int_equal(attempt(fixture, at, UINT64_MAX), ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    }
    assert_true(refused > 0);
}

/* The module's arena ends at each of many places. */
static void limit_sweep(const char *fixture)
{
    struct geo_ir_module *module = support_fixture(fixture);
    struct geo_strbuf log;
    geo_strbuf_init(&log, 0);
    size_t begin = module->arena.used_bytes;
    assert_int_equal(geo_transform_canonicalize(module, true, &log), ZE_RESULT_SUCCESS);
    size_t end = module->arena.used_bytes, step = (end - begin) / 600 + 1;
    geo_ir_module_destroy(module);
    for (size_t limit = begin; limit + step < end; limit += step) {
        module = support_fixture(fixture);
        module->arena.limit_bytes = limit;
        ze_result_t result = geo_transform_canonicalize(module, true, &log);
        if (result != ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY) {
            fail_msg("%s, limit %zu: %#x %s", fixture, limit, (unsigned)result,
                     geo_strbuf_text(&log));
        }
        geo_ir_module_destroy(module);
    }
    geo_strbuf_finish(&log);
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
