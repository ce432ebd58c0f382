/* The fake libcuda itself: order of streams, events, words of memory, modules, launches, and the
 * wrong calls that it notices. */
#include "cuda_fixture.h"

#include <signal.h>
#include <stdatomic.h>

enum { BYTES = 4096 };

static struct cudas cudas;
static struct geo_cuda cuda;

#define ask(function, ...) assert_int_equal(GEO_CUDA(&cuda, function, __VA_ARGS__), 0)

static geo_cuda_context context_enter(int gpu)
{
    geo_cuda_context context = NULL;
    ask(DevicePrimaryCtxRetain, &context, gpu);
    ask(CtxPushCurrent, context);
    return context;
}

static void context_leave(int gpu)
{
    geo_cuda_context context = NULL;
    ask(CtxPopCurrent, &context);
    ask(DevicePrimaryCtxRelease, gpu);
}

static void begin(const char *gpus)
{
    struct geo_strbuf why;
    cudas_library(&cudas, CUDA_NEW, gpus);
    geo_strbuf_init(&why, 400);
    assert_int_equal(geo_cuda_open(&cuda, &why), ZE_RESULT_SUCCESS);
    geo_strbuf_finish(&why);
    context_enter(0);
}

static void end(void)
{
    context_leave(0);
    geo_cuda_close(&cuda);
    cudas_close(&cudas);
}

static geo_cuda_stream stream_create(void)
{
    geo_cuda_stream stream = NULL;
    ask(StreamCreateWithPriority, &stream, GEO_CUDA_STREAM_NON_BLOCKING, 0);
    return stream;
}

static void *host_create(size_t bytes)
{
    void *memory = NULL;
    ask(MemHostAlloc, &memory, bytes, GEO_CUDA_HOST_PORTABLE);
    return memory;
}

/* A word that both sides see. */
static _Atomic uint64_t *word_create(void)
{
    void *word = host_create(sizeof(uint64_t));
    atomic_store((_Atomic uint64_t *)word, 0);
    return word;
}

static geo_cuda_address at(const void *pointer)
{
    return (geo_cuda_address)(uintptr_t)pointer;
}

/* ---- order ---- */

static void a_stream_executes_in_its_order(void **state)
{
    (void)state;
    geo_cuda_address memory = 0;
    begin("h100");
    unsigned char *out = host_create(BYTES);
    geo_cuda_stream stream = stream_create();
    _Atomic uint64_t *word = word_create();
    ask(MemAlloc, &memory, BYTES);
    ask(StreamWaitValue64, stream, at(word), 5, GEO_CUDA_WAIT_VALUE_GEQ);
    ask(MemsetD8Async, memory, 1, BYTES, stream);
    ask(MemsetD32Async, memory + 4, 0x02020202, 2, stream);
    ask(MemcpyAsync, at(out), memory, BYTES, stream);
    ask(StreamWriteValue64, stream, at(word), 9, GEO_CUDA_WRITE_VALUE_DEFAULT);
    assert_int_equal(GEO_CUDA(&cuda, StreamQuery, stream), GEO_CUDA_NOT_READY);
    atomic_store(word, 6);
    ask(StreamSynchronize, stream);
    ask(StreamQuery, stream);
    assert_int_equal(atomic_load(word), 9);
    for (int i = 0; i < BYTES; i++) {
        assert_int_equal(out[i], i >= 4 && i < 12 ? 2 : 1);
    }
    ask(StreamDestroy, stream);
    ask(MemFreeHost, (void *)word);
    ask(MemFreeHost, out);
    ask(MemFree, memory);
    end();
}

static void events_order_streams(void **state)
{
    (void)state;
    float milliseconds = -1;
    geo_cuda_address memory = 0;
    geo_cuda_event event = NULL, second = NULL;
    begin("h100");
    geo_cuda_stream first = stream_create(), other = stream_create();
    _Atomic uint64_t *word = word_create();
    uint32_t *out = host_create(sizeof(*out));
    ask(MemAlloc, &memory, sizeof(*out));
    ask(EventCreate, &event, 0);
    ask(EventCreate, &second, 0);
    ask(EventQuery, event); /* never recorded */
    ask(StreamWaitValue64, first, at(word), 1, 0);
    ask(MemsetD32Async, memory, 7, 1, first);
    ask(EventRecord, event, first);
    ask(StreamWaitEvent, other, event, 0);
    ask(MemcpyAsync, at(out), memory, sizeof(*out), other);
    ask(EventRecord, second, other);
    assert_int_equal(GEO_CUDA(&cuda, EventQuery, event), GEO_CUDA_NOT_READY);
    assert_int_equal(GEO_CUDA(&cuda, EventElapsedTime, &milliseconds, event, second),
                     GEO_CUDA_NOT_READY);
    atomic_store(word, 1);
    ask(EventSynchronize, second);
    assert_int_equal(*out, 7);
    ask(EventElapsedTime, &milliseconds, event, second);
    assert_true(milliseconds >= 0);
    ask(EventDestroy, event);
    ask(EventDestroy, second);
    ask(StreamDestroy, first);
    ask(StreamDestroy, other);
    ask(MemFree, memory);
    ask(MemFreeHost, out);
    ask(MemFreeHost, (void *)word);
    end();
}

/* Pageable memory is copied during the call, after what is before it in the stream. */
static void a_copy_of_pageable_memory_waits(void **state)
{
    (void)state;
    unsigned char out[8];
    geo_cuda_address memory = 0;
    begin("h100");
    geo_cuda_stream stream = stream_create();
    ask(MemAlloc, &memory, sizeof(out));
    ask(MemsetD8Async, memory, 4, sizeof(out), stream);
    ask(MemcpyAsync, at(out), memory, sizeof(out), stream);
    assert_int_equal(out[7], 4); /* without a synchronisation */
    ask(StreamDestroy, stream);
    ask(MemFree, memory);
    end();
}

static void boxes_are_copied_with_their_pitches(void **state)
{
    (void)state;
    enum { WIDTH = 3, ROWS = 2, SLICES = 2 };
    unsigned char from[64], to[64];
    begin("h100");
    geo_cuda_stream stream = stream_create();
    for (int i = 0; i < 64; i++) {
        from[i] = (unsigned char)i;
    }
    memset(to, 0xff, sizeof(to));
    const geo_cuda_copy_box box = {
        .source = {.x_bytes = 1,
                   .y = 1,
                   .kind = GEO_CUDA_MEMORY_UNIFIED,
                   .base = at(from),
                   .pitch_bytes = 8,
                   .rows = 3},
        .destination = {.kind = GEO_CUDA_MEMORY_UNIFIED,
                        .base = at(to),
                        .pitch_bytes = 4,
                        .rows = 2},
        .width_bytes = WIDTH,
        .height = ROWS,
        .depth = SLICES,
    };
    ask(Memcpy3DAsync, &box, stream);
    ask(StreamSynchronize, stream);
    for (int z = 0; z < SLICES; z++) {
        for (int y = 0; y < ROWS; y++) {
            for (int x = 0; x < WIDTH; x++) {
                assert_int_equal(to[(z * 2 + y) * 4 + x], (z * 3 + y + 1) * 8 + x + 1);
            }
            assert_int_equal(to[(z * 2 + y) * 4 + 3], 0xff);
        }
    }
    ask(StreamDestroy, stream);
    end();
}

static void a_lost_gpu_executes_nothing_more(void **state)
{
    (void)state;
    geo_cuda_address memory = 0;
    begin("h100,t4");
    unsigned char *out = host_create(1);
    *out = 3;
    geo_cuda_stream stream = stream_create();
    _Atomic uint64_t *word = word_create();
    ask(MemAlloc, &memory, 1);
    ask(StreamWaitValue64, stream, at(word), 1, 0); /* never */
    ask(MemcpyAsync, at(out), memory, 1, stream);
    cudas.fake->lost[0] = GEO_CUDA_ILLEGAL_ADDRESS;
    assert_int_equal(GEO_CUDA(&cuda, StreamSynchronize, stream), GEO_CUDA_ILLEGAL_ADDRESS);
    assert_int_equal(GEO_CUDA(&cuda, MemAlloc, &memory, 1), GEO_CUDA_ILLEGAL_ADDRESS);
    context_enter(1); /* another GPU goes on */
    geo_cuda_stream other = stream_create();
    ask(StreamSynchronize, other);
    ask(StreamDestroy, other);
    context_leave(1);
    cudas.fake->lost[0] = 0;
    ask(StreamDestroy, stream);
    assert_int_equal(*out, 3);
    ask(MemFreeHost, out);
    ask(MemFree, memory);
    ask(MemFreeHost, (void *)word);
    end();
}

/* ---- modules ---- */

static const char ptx[] = "// made for the test\n"
                          ".version 7.8\n.target sm_90\n.address_size 64\n"
                          ".visible .global .align 8 .b8 table[24];\n"
                          ".visible .global .align 4 .u32 counter = 3;\n"
                          ".visible .entry add(\n"
                          "    .param .align 8 .b8 arguments[24],\n"
                          "    .param .u64 offset\n"
                          ")\n.maxntid 1024\n{\n    ret;\n}\n"
                          ".visible .entry nothing()\n{\n    ret;\n}\n";

static struct fake_cuda_launch seen;
static uint64_t seen_words[4];

static void kernel_see(const struct fake_cuda_launch *launch, void *data)
{
    seen = *launch;
    memcpy(seen_words, launch->parameters[0], 24);
    memcpy(&seen_words[3], launch->parameters[1], 8);
    atomic_store((_Atomic uint64_t *)data, seen_words[0]);
}

static void a_launch_calls_the_function_of_the_test(void **state)
{
    (void)state;
    uint64_t arguments[3] = {11, 22, 33}, offset = 44;
    void *parameters[] = {arguments, &offset};
    geo_cuda_module module = NULL;
    geo_cuda_function function = NULL, missing = NULL;
    geo_cuda_address address = 0;
    size_t bytes = 0;
    int count = 0;
    begin("rtx4090");
    _Atomic uint64_t *word = word_create();
    geo_cuda_stream stream = stream_create();
    cudas.fake->kernel = kernel_see;
    cudas.fake->kernel_data = (void *)word;
    ask(ModuleLoadDataEx, &module, ptx, 0, NULL, NULL);
    ask(ModuleGetFunction, &function, module, "add");
    assert_int_equal(GEO_CUDA(&cuda, ModuleGetFunction, &missing, module, "sub"),
                     GEO_CUDA_NOT_FOUND);
    ask(ModuleGetGlobal, &address, &bytes, module, "table");
    assert_int_equal(bytes, 24);
    ask(ModuleGetGlobal, &address, &bytes, module, "counter");
    assert_int_equal(bytes, 4);
    assert_int_equal(
        GEO_CUDA(&cuda, LaunchKernel, function, 2, 1, 1, 32, 1, 1, 60000, stream, parameters, NULL),
        GEO_CUDA_INVALID_VALUE);
    ask(FuncSetAttribute, function, GEO_CUDA_FUNCTION_MAX_DYNAMIC_SHARED, 60000);
    ask(LaunchKernel, function, 2, 3, 4, 32, 2, 1, 60000, stream, parameters, NULL);
    arguments[0] = 99; /* the launch has a copy */
    ask(StreamSynchronize, stream);
    assert_int_equal(atomic_load(word), 11);
    assert_string_equal(seen.name, "add");
    assert_int_equal(seen.groups[1], 3);
    assert_int_equal(seen.size[0], 32);
    assert_int_equal(seen.shared_bytes, 60000);
    assert_int_equal(seen.parameter_count, 2);
    assert_int_equal(seen.parameter_bytes[0], 24);
    assert_int_equal(seen_words[2], 33);
    assert_int_equal(seen_words[3], 44);
    ask(OccupancyMaxActiveBlocksPerMultiprocessor, &count, function, 256, 0);
    assert_int_equal(count, 6);
    ask(ModuleUnload, module);
    ask(StreamDestroy, stream);
    ask(MemFreeHost, (void *)word);
    end();
}

static void what_is_no_ptx_is_refused_with_a_log(void **state)
{
    (void)state;
    char log[64] = "";
    int options[] = {GEO_CUDA_JIT_ERROR_LOG_BUFFER, GEO_CUDA_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof(log)};
    geo_cuda_module module = NULL;
    begin("h100");
    assert_int_equal(GEO_CUDA(&cuda, ModuleLoadDataEx, &module, "kernel", 2, options, values),
                     GEO_CUDA_INVALID_PTX);
    assert_string_equal(log, "ptxas: fatal: the text is not PTX");
    end();
}

/* ---- wrong calls ---- */

static int free_twice(void *data)
{
    geo_cuda_address memory = 0;
    (void)data;
    (void)GEO_CUDA(&cuda, MemAlloc, &memory, 8);
    (void)GEO_CUDA(&cuda, MemFree, memory);
    (void)GEO_CUDA(&cuda, MemFree, memory);
    return 0;
}

static int free_as_host(void *data)
{
    geo_cuda_address memory = 0;
    (void)data;
    (void)GEO_CUDA(&cuda, MemAlloc, &memory, 8);
    (void)GEO_CUDA(&cuda, MemFreeHost, (void *)(uintptr_t)memory);
    return 0;
}

static int copy_too_much(void *data)
{
    char out[16];
    geo_cuda_address memory = 0;
    (void)data;
    (void)GEO_CUDA(&cuda, MemAlloc, &memory, 8);
    (void)GEO_CUDA(&cuda, MemcpyAsync, at(out), memory, 16, stream_create());
    return 0;
}

static int wait_for_pageable_word(void *data)
{
    uint64_t word = 0;
    (void)data;
    (void)GEO_CUDA(&cuda, StreamWaitValue64, stream_create(), at(&word), 0, 0);
    return 0;
}

static int use_without_context(void *data)
{
    geo_cuda_context context = NULL;
    geo_cuda_address memory = 0;
    (void)data;
    (void)GEO_CUDA(&cuda, CtxPopCurrent, &context);
    (void)GEO_CUDA(&cuda, MemAlloc, &memory, 8);
    return 0;
}

static int use_stream_of_another(void *data)
{
    (void)data;
    geo_cuda_stream stream = stream_create();
    context_enter(1);
    (void)GEO_CUDA(&cuda, StreamSynchronize, stream);
    return 0;
}

static int use_destroyed_stream(void *data)
{
    (void)data;
    geo_cuda_stream stream = stream_create();
    (void)GEO_CUDA(&cuda, StreamDestroy, stream);
    (void)GEO_CUDA(&cuda, StreamQuery, stream);
    return 0;
}

static int use_default_stream(void *data)
{
    (void)data;
    (void)GEO_CUDA(&cuda, StreamSynchronize, NULL);
    return 0;
}

static void call_cuda(void *data)
{
    int count = 0;
    (void)data;
    (void)GEO_CUDA(&cuda, DeviceGetCount, &count);
}

static int call_in_host_function(void *data)
{
    (void)data;
    geo_cuda_stream stream = stream_create();
    (void)GEO_CUDA(&cuda, LaunchHostFunc, stream, call_cuda, NULL);
    (void)GEO_CUDA(&cuda, StreamSynchronize, stream);
    return 0;
}

static int launch_without_function(void *data)
{
    geo_cuda_module module = NULL;
    geo_cuda_function function = NULL;
    (void)data;
    (void)GEO_CUDA(&cuda, ModuleLoadDataEx, &module, ptx, 0, NULL, NULL);
    (void)GEO_CUDA(&cuda, ModuleGetFunction, &function, module, "nothing");
    (void)GEO_CUDA(&cuda, LaunchKernel, function, 1, 1, 1, 1, 1, 1, 0, stream_create(), NULL, NULL);
    return 0;
}

/* Each call is made in a child that has opened the library itself. */
static int (*wrong)(void *data);

static int wrong_call(void *data)
{
    begin("h100,t4");
    return wrong(data);
}

static void wrong_calls_end_the_test(void **state)
{
    (void)state;
    static const struct {
        int (*call)(void *data);
        const char *text;
    } table[] = {
        {free_twice, "is not allocated by the matching function"},
        {free_as_host, "is not allocated by the matching function"},
        {copy_too_much, "go beyond an allocation of 8 bytes"},
        {wait_for_pageable_word, "is not memory that the GPU reaches"},
        {use_without_context, "cuMemAlloc: no context is current"},
        {use_stream_of_another, "the stream is of GPU 0, the current context of GPU 1"},
        {use_destroyed_stream, "is destroyed"},
        {use_default_stream, "the default stream is used"},
        {call_in_host_function, "cuDeviceGetCount: called by a host function"},
        {launch_without_function, "the test has no function for nothing"},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        char text[512];
        wrong = table[i].call;
        int status = cudas_child(wrong_call, NULL, text);
        if (status != 1000 + SIGABRT || !strstr(text, table[i].text)) {
            print_error("call %zu: status %d, \"%s\"\n", i, status, text);
            fail();
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_calls_end_the_test), /* before there are threads */
        cmocka_unit_test(a_stream_executes_in_its_order),
        cmocka_unit_test(events_order_streams),
        cmocka_unit_test(a_copy_of_pageable_memory_waits),
        cmocka_unit_test(boxes_are_copied_with_their_pitches),
        cmocka_unit_test(a_lost_gpu_executes_nothing_more),
        cmocka_unit_test(a_launch_calls_the_function_of_the_test),
        cmocka_unit_test(what_is_no_ptx_is_refused_with_a_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
