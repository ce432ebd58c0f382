/* Copies and fills between all kinds of memory. */
#include "batch_fixture.h"

static const struct geo_backend_ops *const ops = &geo_backend_cuda_compute_ops;
static const struct geo_event_ref none;

#define MIB (1u << 20)

struct work {
    struct cudas cudas;
    struct geo_backend_stream *stream;
    struct test_batch batch;
};

static struct work work;

static void work_begin(void)
{
    const struct geo_stream_desc desc = {0};
    cudas_open(&work.cudas, "h100");
    assert_int_equal(ops->stream->create(cudas_device(&work.cudas, 0), &desc, &work.stream),
                     ZE_RESULT_SUCCESS);
    batch_begin(&work.batch);
}

static void work_run(void)
{
    assert_int_equal(ops->stream->execute(work.stream, &work.batch.batch, none), ZE_RESULT_SUCCESS);
    batch_begin(&work.batch);
}

static void work_end(void)
{
    ops->stream->destroy(work.stream);
    cudas_close(&work.cudas);
}

/* The fake's memory of GPUs can be read here. */
static uint8_t *memory_make(struct geo_allocation *allocation, enum geo_memory_kind kind,
                            uint64_t bytes)
{
    assert_int_equal(ops->memory->allocate(work.cudas.backend, cudas_device(&work.cudas, 0), kind,
                                           bytes, 0, 0, allocation),
                     ZE_RESULT_SUCCESS);
    return allocation->base;
}

static void memory_free(struct geo_allocation *allocation)
{
    ops->memory->release(work.cudas.backend, allocation);
}

static uint32_t calls(enum fake_cuda_function function)
{
    return work.cudas.fake->calls[function];
}

/* ---- copies ---- */

static void memory_that_gpus_reach_is_copied_by_one_call(void **state)
{
    (void)state;
    struct geo_allocation device, host;
    work_begin();
    uint8_t *a = memory_make(&device, GEO_MEMORY_DEVICE, 5000);
    uint8_t *b = memory_make(&host, GEO_MEMORY_SHARED, 5000);
    memset(b, 3, 5000);
    batch_copy(&work.batch, a + 7, b, 4990);
    batch_copy(&work.batch, b, a, 0);
    work_run();
    assert_int_equal(calls(FAKE_CUDA_MemcpyAsync), 1);
    assert_int_equal(a[7], 3);
    assert_int_equal(a[7 + 4989], 3);
    assert_int_not_equal(a[6], 3);
    memory_free(&device);
    memory_free(&host);
    work_end();
}

/* More than the pinned memory between them, in both directions. */
static void memory_of_the_application_is_copied_in_pieces(void **state)
{
    (void)state;
    enum { BYTES = 5 * MIB / 2 + 3 };
    struct geo_allocation device;
    uint8_t *from = malloc(BYTES), *to = malloc(BYTES), *third = malloc(BYTES);
    work_begin();
    uint8_t *memory = memory_make(&device, GEO_MEMORY_DEVICE, BYTES);
    for (size_t i = 0; i < BYTES; i++) {
        from[i] = (uint8_t)(i * 7 + i / 1000);
    }
    batch_copy(&work.batch, memory, from, BYTES);
    batch_copy(&work.batch, to, memory, BYTES);
    batch_copy(&work.batch, third, to, BYTES);
    work_run();
    assert_memory_equal(memory, from, BYTES);
    assert_memory_equal(to, from, BYTES);
    assert_memory_equal(third, from, BYTES);
    memory_free(&device);
    work_end();
    free(from);
    free(to);
    free(third);
}

/* CUDA would wait for the event during the call. */
static void copies_of_the_applications_memory_do_not_block(void **state)
{
    (void)state;
    struct geo_allocation device, words;
    uint8_t from[100], to[100];
    uint64_t ticket = 0;
    work_begin();
    uint8_t *memory = memory_make(&device, GEO_MEMORY_DEVICE, 100);
    struct geo_event_slot *slot =
        (void *)memory_make(&words, GEO_MEMORY_HOST, sizeof(struct geo_event_slot));
    memset(slot, 0, sizeof(*slot));
    memset(from, 9, sizeof(from));
    batch_wait(&work.batch, (struct geo_event_ref){slot, 1});
    batch_copy(&work.batch, memory, from, sizeof(from));
    batch_copy(&work.batch, to, memory, sizeof(to));
    assert_int_equal(ops->stream->submit(work.stream, &work.batch.batch, none, &ticket),
                     ZE_RESULT_SUCCESS);
    assert_int_equal(ops->stream->wait(work.stream, ticket, 1000000), ZE_RESULT_NOT_READY);
    ops->event->signal(work.cudas.backend, (struct geo_event_ref){slot, 1});
    assert_int_equal(ops->stream->wait(work.stream, ticket, PATIENCE_NS), ZE_RESULT_SUCCESS);
    assert_int_equal(to[99], 9);
    memory_free(&device);
    memory_free(&words);
    work_end();
}

/* ---- regions ---- */

struct region {
    uint64_t width, height, depth, to_pitch, to_slice, from_pitch, from_slice;
    bool one_call;
};

static void region_check(const struct region *region, uint8_t *to, const uint8_t *from)
{
    struct geo_command_copy_region *record =
        batch_add(&work.batch, GEO_COMMAND_COPY_REGION, sizeof(*record), 0, NULL, 0);
    *record = (struct geo_command_copy_region){
        .header = record->header,
        .destination = to,
        .source = from,
        .width = region->width,
        .height = region->height,
        .depth = region->depth,
        .destination_pitch = region->to_pitch,
        .destination_slice_pitch = region->to_slice,
        .source_pitch = region->from_pitch,
        .source_slice_pitch = region->from_slice,
    };
    memset(to, 0, 4096);
    work_run();
    size_t written = 0;
    for (size_t z = 0; z < region->depth; z++) {
        for (size_t y = 0; y < region->height; y++) {
            assert_memory_equal(to + z * region->to_slice + y * region->to_pitch,
                                from + z * region->from_slice + y * region->from_pitch,
                                region->width);
        }
    }
    for (size_t i = 0; i < 4096; i++) {
        written += to[i] != 0;
    }
    assert_int_equal(written, region->width * region->height * region->depth);
}

static void regions_keep_their_pitches(void **state)
{
    (void)state;
    static const struct region table[] = {
        {5, 1, 1, 0, 0, 0, 0, true},     {5, 4, 1, 8, 0, 16, 0, true},
        {5, 4, 3, 8, 40, 16, 64, true},  {8, 4, 3, 8, 32, 8, 32, true},
        {5, 4, 3, 8, 41, 16, 64, false}, /* slices are not whole rows */
        {5, 1, 3, 0, 10, 0, 20, false},  /* slices of a row without a pitch */
    };
    struct geo_allocation device, host;
    uint8_t application[4096];
    work_begin();
    uint8_t *to = memory_make(&device, GEO_MEMORY_DEVICE, 4096);
    uint8_t *from = memory_make(&host, GEO_MEMORY_HOST, 4096);
    for (size_t i = 0; i < 4096; i++) {
        from[i] = application[i] = (uint8_t)(i % 255 + 1);
    }
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        const uint32_t before = calls(FAKE_CUDA_Memcpy3DAsync);
        region_check(&table[i], to, from);
        assert_int_equal(calls(FAKE_CUDA_Memcpy3DAsync) - before, table[i].one_call);
        region_check(&table[i], to, application);
        assert_int_equal(calls(FAKE_CUDA_Memcpy3DAsync) - before, table[i].one_call);
    }
    memory_free(&device);
    memory_free(&host);
    work_end();
}

/* ---- fills ---- */

static void fill_check(uint8_t *memory, size_t offset, size_t bytes, const uint8_t *pattern,
                       uint32_t pattern_bytes)
{
    memset(memory, 0xee, 512);
    batch_fill(&work.batch, memory + offset, bytes, pattern, pattern_bytes);
    work_run();
    for (size_t i = 0; i < 512; i++) {
        const bool inside = i >= offset && i < offset + bytes;
        const uint8_t expected = inside ? pattern[(i - offset) % pattern_bytes] : 0xee;
        if (memory[i] != expected) {
            fail_msg("fill of %zu bytes at %zu with a pattern of %u: byte %zu is %u, not %u", bytes,
                     offset, pattern_bytes, i, memory[i], expected);
        }
    }
}

static void fills_have_any_pattern_size_and_place(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 3, 4, 16, 100, 255, 256};
    struct geo_allocation device;
    uint8_t pattern[33], application[512];
    work_begin();
    uint8_t *memory = memory_make(&device, GEO_MEMORY_DEVICE, 512);
    for (uint32_t i = 0; i < sizeof(pattern); i++) {
        pattern[i] = (uint8_t)(i + 1);
    }
    for (uint32_t length = 1; length <= sizeof(pattern); length += length < 9 ? 1 : 8) {
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            for (size_t offset = 0; offset < 5; offset++) {
                fill_check(memory, offset, sizes[i], pattern, length);
            }
            fill_check(application, 1, sizes[i], pattern, length);
        }
    }
    memory_free(&device);
    work_end();
}

/* Patterns that repeat a value of CUDA are one call. */
static void simple_patterns_are_one_call(void **state)
{
    (void)state;
    static const uint8_t zeros[16] = {0};
    static const uint8_t pairs[8] = {1, 2, 1, 2, 1, 2, 1, 2};
    static const uint8_t words[8] = {1, 2, 3, 4, 1, 2, 3, 4};
    struct geo_allocation device;
    work_begin();
    uint8_t *memory = memory_make(&device, GEO_MEMORY_DEVICE, 512);
    fill_check(memory, 0, 512, zeros, sizeof(zeros));
    assert_int_equal(calls(FAKE_CUDA_MemsetD8Async), 1);
    fill_check(memory, 2, 500, pairs, sizeof(pairs));
    assert_int_equal(calls(FAKE_CUDA_MemsetD16Async), 1);
    fill_check(memory, 4, 500, words, sizeof(words));
    assert_int_equal(calls(FAKE_CUDA_MemsetD32Async), 1);
    assert_int_equal(calls(FAKE_CUDA_MemcpyAsync), 0);
    memory_free(&device);
    work_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_that_gpus_reach_is_copied_by_one_call),
        cmocka_unit_test(memory_of_the_application_is_copied_in_pieces),
        cmocka_unit_test(copies_of_the_applications_memory_do_not_block),
        cmocka_unit_test(regions_keep_their_pitches),
        cmocka_unit_test(fills_have_any_pattern_size_and_place),
        cmocka_unit_test(simple_patterns_are_one_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
