/* Records of objects, by many threads at once: handles that come again while another thread still
 * notes that their object is gone, look-ups beside it. Meant for the thread sanitizer, too. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "layers/validation/objects/objects.h"

const struct geo_layer_part *const geo_layer_parts[] = {NULL};

enum { THREADS = 64, HANDLES = 32, ROUNDS = 2000, TYPE = 7 };

static void *handle_of(size_t i)
{
    return (void *)(uintptr_t)(4096 + 64 * i);
}

/* A driver that keeps a free list: a handle is free before the caller's `ended` note is made. */
static pthread_mutex_t free_lock = PTHREAD_MUTEX_INITIALIZER;
static void *free_handles[HANDLES];
static size_t free_count;
static atomic_uint wrong;

static void *driver_create(void)
{
    pthread_mutex_lock(&free_lock);
    void *handle = free_count ? free_handles[--free_count] : NULL;
    pthread_mutex_unlock(&free_lock);
    return handle;
}

static void driver_destroy(void *handle)
{
    pthread_mutex_lock(&free_lock);
    free_handles[free_count++] = handle;
    pthread_mutex_unlock(&free_lock);
}

static void *lives(void *parent)
{
    const struct geo_val_birth birth = {.function = GEO_DDI_FN_zeEventCreate, .parent = parent};
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t life;
        void *handle = driver_create();
        if (!handle)
            continue;
        struct geo_val_object *object = geo_val_object_take(TYPE, handle);
        geo_val_object_begin(object, &birth);
        atomic_fetch_add(&wrong, !geo_val_object_alive(geo_val_object_find(TYPE, handle)));
        const bool ending = geo_val_object_ending(object, GEO_DDI_FN_zeEventDestroy, &life);
        atomic_fetch_add(&wrong, !ending);
        geo_val_object_history(object);
        driver_destroy(handle);
        geo_val_object_ended(object, life, true); /* may be another's by now */
    }
    return NULL;
}

static void lives_of_one_handle_do_not_mix(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    struct geo_val_object *parent = geo_val_object_take(TYPE + 1, handle_of(1));
    for (free_count = 0; free_count < HANDLES; free_count++)
        free_handles[free_count] = handle_of(free_count);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, lives, parent), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&wrong), 0);
    assert_int_equal(atomic_load(&parent->children), 0);
    for (size_t i = 0; i < HANDLES; i++) {
        const struct geo_val_object *object = geo_val_object_find(TYPE, handle_of(i));
        assert_true(!object || !geo_val_object_alive(object)); /* not every one was needed */
    }
}

static void a_failed_end_gives_the_life_back(void **state)
{
    (void)state;
    uint64_t life, again;
    struct geo_val_object *parent = geo_val_object_take(TYPE, handle_of(500));
    struct geo_val_object *object = geo_val_object_take(TYPE, handle_of(501));
    geo_val_object_begin(object, &(struct geo_val_birth){.parent = parent});
    assert_true(geo_val_object_ending(object, GEO_DDI_FN_zeEventDestroy, &life));
    assert_false(geo_val_object_ending(object, GEO_DDI_FN_zeEventDestroy, &again));
    assert_int_equal(atomic_load(&parent->children), 0);
    geo_val_object_ended(object, life, false);
    assert_true(geo_val_object_alive(object));
    assert_int_equal(atomic_load(&parent->children), 1);
}

/* The driver gave the handle out again before the call that destroyed it came back. */
static void an_end_of_an_earlier_life_ends_nothing(void **state)
{
    (void)state;
    uint64_t life;
    struct geo_val_object *object = geo_val_object_take(TYPE, handle_of(502));
    geo_val_object_begin(object, &(struct geo_val_birth){.function = GEO_DDI_FN_zeEventCreate});
    assert_true(geo_val_object_ending(object, GEO_DDI_FN_zeEventDestroy, &life));
    geo_val_object_begin(object, &(struct geo_val_birth){.function = GEO_DDI_FN_zeEventCreate});
    geo_val_object_ended(object, life, true);
    assert_true(geo_val_object_alive(object));
}

static void counted(struct geo_val_object *object, void *user)
{
    size_t *count = user;
    *count += geo_val_object_type(object) == 9;
}

static void every_handle_has_a_record(void **state)
{
    (void)state;
    enum { MANY = 100000 };
    size_t count = 0;
    for (size_t i = 0; i < MANY; i++)
        assert_ptr_equal(geo_val_object_handle(geo_val_object_take(9, handle_of(i))), handle_of(i));
    for (size_t i = 0; i < MANY; i++)
        assert_non_null(geo_val_object_find(9, handle_of(i)));
    assert_null(geo_val_object_find(10, handle_of(0)));
    geo_val_objects_each(counted, &count);
    assert_int_equal(count, MANY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lives_of_one_handle_do_not_mix),
        cmocka_unit_test(a_failed_end_gives_the_life_back),
        cmocka_unit_test(an_end_of_an_earlier_life_ends_nothing),
        cmocka_unit_test(every_handle_has_a_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
