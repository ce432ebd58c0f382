/* Records of translated handles, by themselves: one for each object, found while others come, go
 * and move to larger tables. The driver's handles are numbers here. */
#include "loader/handle/handle.h"

#include "loader/handle/handle_pool.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { LASTING = 64, WRITERS = 4, READERS = 4, MOVING = 3000, ROUNDS = 4 };

static const enum geo_ddi_handle_id event = GEO_DDI_HANDLE_ze_event_handle_t;
static const enum geo_ddi_handle_id image = GEO_DDI_HANDLE_ze_image_handle_t;

static struct geo_translation *translation;
static struct geo_handle *lasting[LASTING];
static atomic_bool stop;

static void *driver_handle(size_t number)
{
    return (void *)(uintptr_t)(0x10000 + number * 16);
}

static int setup(void **state)
{
    (void)state;
    translation = geo_translation_create(&geo_loader_stubs, &geo_loader_exports);
    assert_non_null(translation);
    return 0;
}

static struct geo_handle *make(enum geo_ddi_handle_id type, void *driver)
{
    struct geo_handle *reserved = geo_handle_reserve(translation, type, 1);
    return reserved ? geo_handle_made(reserved, driver) : NULL;
}

static bool destroy(struct geo_handle *handle)
{
    const bool mine = geo_handle_leave(handle);
    geo_handle_left(handle, true);
    return mine;
}

static void a_record_begins_with_the_given_functions(void **state)
{
    (void)state;
    struct geo_handle *handle = geo_handle_get(translation, event, driver_handle(9000));
    assert_ptr_equal(handle->block.pCore->Event->pfnHostSignal, zeEventHostSignal);
    assert_ptr_equal(handle->block.pTools->Metric->pfnGet, zetMetricGet);
    assert_ptr_equal(handle->block.pSysman->Device->pfnReset, zesDeviceReset);
    assert_ptr_equal(handle->block.pRuntime->Global->pfnGetDefaultContext, zerGetDefaultContext);
    assert_int_equal(sizeof(*handle), 64);
    assert_int_equal((uintptr_t)handle % 64, 0);
    assert_ptr_equal(geo_handle_driver(handle), driver_handle(9000));
}

static void an_address_is_a_record_or_none(void **state)
{
    (void)state;
    struct geo_handle *handle = make(image, driver_handle(1));
    assert_ptr_equal(geo_handle_find(translation, image, handle), handle);
    assert_null(geo_handle_find(translation, event, handle)); /* of another type */
    assert_null(geo_handle_find(translation, image, (char *)handle + 8));
    assert_null(geo_handle_find(translation, image, &handle));
    assert_null(geo_handle_find(translation, image, NULL));
    assert_ptr_equal(geo_handle_find_any(image, handle), handle);
    assert_true(geo_handle_any(translation, image));
    assert_false(geo_handle_any(translation, GEO_DDI_HANDLE_ze_fence_handle_t));
    assert_true(destroy(handle));
    assert_null(geo_handle_find(translation, image, handle));
}

/* Others come and go, so that tables grow and records change their places. */
static void *writer(void *argument)
{
    const size_t first = 100000 + (size_t)(uintptr_t)argument * MOVING;
    struct geo_handle **handles = calloc(MOVING, sizeof(*handles));
    uintptr_t wrong = handles == NULL;
    for (int round = 0; handles && round < ROUNDS; round++) {
        for (size_t i = 0; i < MOVING; i++) {
            handles[i] = make(event, driver_handle(first + i));
            wrong += !handles[i] ||
                     geo_handle_get(translation, event, driver_handle(first + i)) != handles[i];
        }
        for (size_t i = 0; i < MOVING; i++) {
            wrong += !destroy(handles[i]);
        }
    }
    free(handles);
    return (void *)wrong;
}

static void *reader(void *unused)
{
    uintptr_t wrong = 0;
    (void)unused;
    while (!atomic_load(&stop)) {
        for (size_t i = 0; i < LASTING; i++) {
            wrong += geo_handle_get(translation, event, driver_handle(i)) != lasting[i];
        }
    }
    return (void *)wrong;
}

static void records_are_found_while_others_change(void **state)
{
    (void)state;
    pthread_t writers[WRITERS], readers[READERS];
    for (size_t i = 0; i < LASTING; i++) {
        lasting[i] = make(event, driver_handle(i));
        assert_non_null(lasting[i]);
    }
    for (uintptr_t i = 0; i < WRITERS; i++) {
        assert_int_equal(pthread_create(&writers[i], NULL, writer, (void *)i), 0);
        assert_int_equal(pthread_create(&readers[i], NULL, reader, NULL), 0);
    }
    void *wrong;
    for (int i = 0; i < WRITERS; i++) {
        pthread_join(writers[i], &wrong);
        assert_null(wrong);
    }
    atomic_store(&stop, true);
    for (int i = 0; i < READERS; i++) {
        pthread_join(readers[i], &wrong);
        assert_null(wrong);
    }
}

/* Lets other threads run between a lookup that finds no record and the lock, so that more of them
 * find none. */
static atomic_bool pauses;

struct geo_handle *__real_geo_handle_pool_take(struct geo_handle_pool *pool,
                                               const struct geo_handle *pattern);
struct geo_handle *__wrap_geo_handle_pool_take(struct geo_handle_pool *pool,
                                               const struct geo_handle *pattern);
struct geo_handle *__wrap_geo_handle_pool_take(struct geo_handle_pool *pool,
                                               const struct geo_handle *pattern)
{
    for (int i = 0; i < WRITERS && atomic_load(&pauses); i++) {
        sched_yield();
    }
    return __real_geo_handle_pool_take(pool, pattern);
}

static _Atomic size_t arrived; /* threads that have come to a lookup, of all lookups */
static struct geo_handle *met[WRITERS][MOVING];

static void *finder(void *argument)
{
    struct geo_handle **found = met[(uintptr_t)argument];
    for (size_t i = 0; i < MOVING; i++) {
        atomic_fetch_add(&arrived, 1);
        while (atomic_load(&arrived) < (i + 1) * WRITERS) {
            sched_yield();
        }
        found[i] = geo_handle_get(translation, image, driver_handle(50000 + i));
    }
    return NULL;
}

/* GEN-27: whoever looks an object up first. */
static void threads_that_look_up_one_object_get_one_handle(void **state)
{
    (void)state;
    pthread_t finders[WRITERS];
    atomic_store(&pauses, true);
    for (uintptr_t i = 0; i < WRITERS; i++) {
        assert_int_equal(pthread_create(&finders[i], NULL, finder, (void *)i), 0);
    }
    for (int i = 0; i < WRITERS; i++) {
        pthread_join(finders[i], NULL);
    }
    atomic_store(&pauses, false);
    for (size_t i = 0; i < MOVING; i++) {
        for (int k = 0; k < WRITERS; k++) {
            assert_non_null(met[k][i]);
            assert_ptr_equal(met[k][i], met[0][i]);
            assert_ptr_equal(geo_handle_driver(met[k][i]), driver_handle(50000 + i));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_begins_with_the_given_functions),
        cmocka_unit_test(an_address_is_a_record_or_none),
        cmocka_unit_test(records_are_found_while_others_change),
        cmocka_unit_test(threads_that_look_up_one_object_get_one_handle),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
