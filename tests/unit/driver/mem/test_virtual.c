/* Physical memory that outlives its handle through mappings: when its pages are given back. The
 * backend is the null backend with its function that gives pages back observed. */
#include "unit.h"

#include "driver/core/inventory.h"
#include "driver/mem/virtual.h"

#define PAGES (UINT64_C(1) << 20)

static struct geo_backend_ops ops;
static struct geo_memory_ops memory_ops;
static void (*real_destroy)(struct geo_physical *physical);
static int destroyed, destroyed_under_lock;

static void watched_destroy(struct geo_physical *physical)
{
    destroyed++;
    destroyed_under_lock += geo_memory_lock_held();
    real_destroy(physical);
}

static int setup(void **state)
{
    (void)state;
    if (geo_inventory_open() != ZE_RESULT_SUCCESS) {
        return 1;
    }
    struct geo_driver *driver = geo_inventory_driver(0);
    ops = *driver->ops;
    memory_ops = *ops.memory;
    real_destroy = memory_ops.physical_destroy;
    memory_ops.physical_destroy = watched_destroy;
    ops.memory = &memory_ops;
    driver->ops = &ops;
    return 0;
}

/* Maps pages whose handle is destroyed at once. Returns the context, and where they are mapped. */
static struct geo_context *pages_map(void **base)
{
    struct geo_context *context;
    struct geo_physical_memory *physical;
    const uint64_t half = PAGES / 2;
    destroyed = destroyed_under_lock = 0;
    assert_int_equal(geo_context_create(geo_inventory_driver(0), 0, NULL, &context),
                     ZE_RESULT_SUCCESS);
    assert_int_equal(geo_virtual_reserve(context, NULL, PAGES, base), ZE_RESULT_SUCCESS);
    assert_int_equal(geo_physical_memory_create(context, NULL, half, &physical), ZE_RESULT_SUCCESS);
    for (uint64_t at = 0; at < PAGES; at += half) {
        assert_int_equal(geo_virtual_map(context, (char *)*base + at, half, physical, 0,
                                         ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE),
                         ZE_RESULT_SUCCESS);
    }
    geo_physical_memory_close(physical);
    assert_int_equal(destroyed, 0);
    return context;
}

static void pages_go_back_without_the_memory_lock(void **state)
{
    (void)state;
    void *base;
    struct geo_context *context = pages_map(&base);
    assert_int_equal(geo_virtual_unmap(context, base, PAGES / 4), ZE_RESULT_SUCCESS);
    assert_int_equal(destroyed, 0);
    assert_int_equal(geo_virtual_unmap(context, base, PAGES), ZE_RESULT_SUCCESS);
    assert_int_equal(destroyed, 1);
    assert_int_equal(destroyed_under_lock, 0);
    geo_context_close(context);
    context = pages_map(&base);
    assert_int_equal(geo_virtual_free(context, base, PAGES), ZE_RESULT_SUCCESS);
    assert_int_equal(destroyed, 1);
    assert_int_equal(destroyed_under_lock, 0);
    geo_context_close(context);
    context = pages_map(&base);
    geo_context_close(context);
    assert_int_equal(destroyed, 1);
    assert_int_equal(destroyed_under_lock, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_go_back_without_the_memory_lock),
    };
    return cmocka_run_group_tests_name("virtual", tests, setup, NULL);
}
