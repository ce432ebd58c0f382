/* Builds scenes. See made.h. */
#include "made.h"

#include <stdlib.h>
#include <string.h>

enum { GUARD = 512, GUARD_BYTE = 0xa5, THREADS = 16 };

struct geo_rtas_input made_input(const struct scene *scene, enum made_quality quality,
                                 uint32_t flags)
{
    return (struct geo_rtas_input){.geometries = scene->list,
                                   .count = scene->count,
                                   .quality = (ze_rtas_builder_build_quality_hint_ext_t)quality,
                                   .flags = flags,
                                   .callback_stype =
                                       ZE_STRUCTURE_TYPE_RTAS_GEOMETRY_AABBS_EXT_CB_PARAMS};
}

static void *guarded_alloc(size_t bytes)
{
    char *memory = aligned_alloc(GEO_RTAS_ALIGNMENT, (bytes + 2 * GUARD + 127) & ~(size_t)127);
    assert_non_null(memory);
    memset(memory, GUARD_BYTE, (bytes + 2 * GUARD + 127) & ~(size_t)127);
    return memory + GUARD;
}

static void guard_check(const void *memory, size_t from, size_t to)
{
    const uint8_t *bytes = memory;
    for (size_t i = 0; i < GUARD; i++) {
        assert_int_equal(*(bytes - GUARD + i), GUARD_BYTE);
    }
    for (size_t i = from; i < to + GUARD; i++) {
        assert_int_equal(bytes[i], GUARD_BYTE);
    }
}

static void *join(void *build)
{
    geo_rtas_build_join(build);
    return NULL;
}

static void run(struct geo_rtas_build *build, uint32_t threads)
{
    pthread_t others[THREADS];
    assert_true(threads <= THREADS);
    for (uint32_t i = 1; i < threads; i++) {
        assert_int_equal(pthread_create(&others[i], NULL, join, build), 0);
    }
    geo_rtas_build_join(build);
    for (uint32_t i = 1; i < threads; i++) {
        assert_int_equal(pthread_join(others[i], NULL), 0);
    }
    geo_rtas_build_join(build); /* comes late: returns at once */
}

struct made made_build(const struct scene *scene, enum made_quality quality, uint32_t flags,
                       uint32_t threads, size_t room)
{
    struct geo_rtas_input input = made_input(scene, quality, flags);
    struct geo_rtas_complaint complaint;
    struct geo_rtas_build build;
    struct made made = {0};
    assert_int_equal(geo_rtas_input_check(&input, &complaint), ZE_RESULT_SUCCESS);
    assert_int_equal(geo_rtas_plan_make(&input, &made.plan), ZE_RESULT_SUCCESS);
    assert_true(made.plan.expected_bytes <= made.plan.max_bytes);
    room = room ? room : made.plan.max_bytes;
    made.structure = guarded_alloc(room);
    made.scratch = guarded_alloc(made.plan.scratch.bytes);
    struct geo_rtas_target target = {.scratch = made.scratch,
                                     .buffer = made.structure,
                                     .buffer_bytes = room,
                                     .bounds = &made.bounds,
                                     .bytes = &made.bytes};
    geo_rtas_build_begin(&build, &input, &made.plan, &target);
    run(&build, threads);
    made.too_small = build.too_small;
    geo_rtas_build_finish(&build);
    assert_int_equal(made.too_small, made.bytes > room);
    assert_true(made.bytes <= made.plan.max_bytes);
    guard_check(made.structure, made.too_small ? room : made.bytes, room);
    guard_check(made.scratch, made.plan.scratch.bytes, made.plan.scratch.bytes);
    return made;
}

void made_free(struct made *made)
{
    free((char *)made->structure - GUARD);
    free((char *)made->scratch - GUARD);
}
