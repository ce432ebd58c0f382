/* Memory of the host runtime: slabs, own descriptors, limits, imports, reserved ranges. */
#include "support.h"

#include "backend/host/device.h"
#include "backend/host/memory.h"
#include "backend/host/slab.h"
#include "backend/host/usage.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define PAGE GEO_PAGE_BYTES

static struct fixture cpu;
static const struct geo_memory_ops *memory;

static int group_setup(void **state)
{
    (void)state;
    fixture_open(&cpu, &geo_backend_cpu_ops);
    memory = cpu.ops->memory;
    return 0;
}

static ze_result_t allocate(uint64_t bytes, uint64_t alignment, struct geo_allocation *out)
{
    return memory->allocate(cpu.backend, cpu.device, GEO_MEMORY_DEVICE, bytes, alignment, 0, out);
}

static size_t lines_of(const char *path)
{
    FILE *file = fopen(path, "re");
    size_t lines = 0;
    int c;
    assert_non_null(file);
    while ((c = fgetc(file)) != EOF) {
        lines += c == '\n';
    }
    fclose(file);
    return lines;
}

/* The thread sanitizer maps memory of its own for what it knows of the pages. */
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define SANITIZER_MAPPINGS 20u
#endif
#endif
#ifndef SANITIZER_MAPPINGS
#define SANITIZER_MAPPINGS 0u
#endif

static size_t mappings(void)
{
    return lines_of("/proc/self/maps");
}

/* Whether the pages at an address share memory with those of a descriptor at an offset. */
static void expect_backed_by(const struct geo_allocation *allocation)
{
    uint8_t *window = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, allocation->fd.number,
                           (off_t)allocation->fd_offset);
    assert_true(window != MAP_FAILED);
    *(volatile uint8_t *)allocation->base = 0x5c;
    assert_int_equal(window[0], 0x5c);
    munmap(window, PAGE);
}

/* ---- slabs ---- */

/* MEM-11, MEM-16 */
static void allocations_own_whole_pages_at_their_alignment(void **state)
{
    (void)state;
    const uint64_t sizes[] = {1, 64, PAGE, PAGE + 1, 100000, 1 << 20, (3 << 20) + 5, 40 << 20};
    const uint64_t alignments[] = {0, 1, 64, PAGE, 65536, 2 << 20, 64 << 20};
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        for (size_t a = 0; a < sizeof(alignments) / sizeof(alignments[0]); a++) {
            struct geo_allocation allocation;
            assert_int_equal(allocate(sizes[s], alignments[a], &allocation), ZE_RESULT_SUCCESS);
            uintptr_t base = (uintptr_t)allocation.base;
            assert_int_equal(base % PAGE, 0);
            assert_int_equal(base % (alignments[a] ? alignments[a] : 1), 0);
            assert_int_equal(allocation.bytes % PAGE, 0);
            assert_true(allocation.bytes >= sizes[s]);
            assert_int_equal(allocation.page_bytes, PAGE);
            memset(allocation.base, 0xab, allocation.bytes);
            expect_backed_by(&allocation);
            memory->release(cpu.backend, &allocation);
            assert_null(allocation.base);
        }
    }
}

/* Random allocations and frees never overlap, keep their contents, and leave nothing behind. */
static void slabs_never_hand_out_a_page_twice(void **state)
{
    (void)state;
    enum { LIVE = 400, ROUNDS = 20000 };
    static struct geo_allocation live[LIVE];
    static uint32_t stamps[LIVE];
    uint32_t random = 12345;
    memset(live, 0, sizeof(live));
    for (uint32_t round = 0; round < ROUNDS; round++) {
        random = random * 1664525 + 1013904223;
        uint32_t i = (random >> 8) % LIVE;
        if (live[i].base) {
            uint32_t *words = live[i].base;
            uint64_t last = live[i].bytes / 4 - 1;
            assert_int_equal(words[0], stamps[i]);
            assert_int_equal(words[last], stamps[i]);
            memory->release(cpu.backend, &live[i]);
        } else {
            uint64_t bytes = (random >> 16) % 64 == 0 ? 900000 : (random >> 16) % 40000 + 1;
            uint64_t alignment = random & 0x80 ? 0 : 16384;
            assert_int_equal(allocate(bytes, alignment, &live[i]), ZE_RESULT_SUCCESS);
            uint32_t *words = live[i].base;
            stamps[i] = round + 1;
            words[0] = words[live[i].bytes / 4 - 1] = stamps[i];
        }
    }
    for (int i = 0; i < LIVE; i++) {
        memory->release(cpu.backend, &live[i]);
    }
    assert_true(geo_slab_count() <= 1);
    assert_int_equal(geo_usage_bytes(), 0);
}

static void a_million_allocations_leave_no_mappings_behind(void **state)
{
    (void)state;
    struct geo_allocation allocation;
    assert_int_equal(allocate(PAGE, 0, &allocation), ZE_RESULT_SUCCESS);
    memory->release(cpu.backend, &allocation);
    (void)mappings(); /* reading them takes memory, too, the first time */
    size_t before = mappings();
    for (int i = 0; i < 1000000; i++) {
        if (allocate(PAGE, 0, &allocation) != ZE_RESULT_SUCCESS) {
            fail_msg("allocation %d failed", i);
        }
        memory->release(cpu.backend, &allocation);
    }
    assert_true(mappings() <= before + 2);
}

static void many_live_allocations_need_few_mappings_and_descriptors(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    struct geo_allocation *live = calloc(COUNT, sizeof(*live));
    size_t before = mappings();
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(allocate(1, 0, &live[i]), ZE_RESULT_SUCCESS);
    }
    assert_true(mappings() < before + 40 + SANITIZER_MAPPINGS);
    for (int i = 0; i < COUNT; i++) {
        memory->release(cpu.backend, &live[i]);
    }
    assert_true(geo_slab_count() <= 1);
    free(live);
}

/* ---- limits ---- */

/* VAL-12, MEM-16 */
static void impossible_sizes_and_alignments_are_results(void **state)
{
    (void)state;
    struct geo_allocation allocation;
    assert_int_equal(allocate(0, 0, &allocation), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_int_equal(allocate(UINT64_MAX, 0, &allocation), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_int_equal(allocate(INT64_MAX, 0, &allocation), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_int_equal(allocate(64, 65537, &allocation), ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
    assert_int_equal(allocate(64, UINT64_C(1) << 40, &allocation),
                     ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
}

/* more than there is is a result, for each kind its own */
static void memory_runs_out_with_a_result(void **state)
{
    (void)state;
    uint64_t total = cpu.device->info.memory_bytes;
    struct geo_allocation half, rest;
    geo_usage_limit(1 << 20);
    assert_int_equal(memory->allocate(cpu.backend, NULL, GEO_MEMORY_SHARED, 600000, 0, 0, &half),
                     ZE_RESULT_SUCCESS);
    assert_int_equal(memory->allocate(cpu.backend, NULL, GEO_MEMORY_DEVICE, 600000, 0, 0, &rest),
                     ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_int_equal(memory->allocate(cpu.backend, NULL, GEO_MEMORY_HOST, 600000, 0, 0, &rest),
                     ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    memory->release(cpu.backend, &half);
    assert_int_equal(memory->allocate(cpu.backend, NULL, GEO_MEMORY_HOST, 600000, 0, 0, &rest),
                     ZE_RESULT_SUCCESS);
    memory->release(cpu.backend, &rest);
    geo_usage_limit(total);
    uint64_t available = 0;
    assert_int_equal(memory->available(cpu.backend, cpu.device, &available), ZE_RESULT_SUCCESS);
    assert_true(available > 0 && available <= total);
}

static ze_result_t allocate_exportable(uint64_t bytes, struct geo_allocation *out)
{
    return memory->allocate(cpu.backend, cpu.device, GEO_MEMORY_DEVICE, bytes, 0,
                            GEO_MEMORY_EXPORTABLE, out);
}

/* For memory that needs one; other memory does without, until one is there. */
static void running_out_of_descriptors_is_a_result(void **state)
{
    (void)state;
    struct rlimit old, low;
    enum { COUNT = 64, LARGE = 40 << 20 /* too large for a slab */ };
    struct geo_allocation live[COUNT], without;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    low = old;
    low.rlim_cur = 24;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    int count = 0;
    ze_result_t result = ZE_RESULT_SUCCESS;
    while (count < COUNT && result == ZE_RESULT_SUCCESS) { /* one each */
        result = allocate_exportable(LARGE, &live[count]);
        count += result == ZE_RESULT_SUCCESS;
    }
    ze_result_t other = allocate(LARGE, 0, &without);
    ze_result_t early = memory->isolate(cpu.backend, &without);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
    assert_true(count > 0 && count < COUNT);
    assert_int_equal(result, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    assert_int_equal(other, ZE_RESULT_SUCCESS);
    assert_int_equal(early, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    assert_true(without.fd.number == -1 && !without.exclusive);
    *(int *)without.base = 7;
    assert_int_equal(memory->isolate(cpu.backend, &without), ZE_RESULT_SUCCESS);
    assert_true(without.exclusive);
    assert_int_equal(*(int *)without.base, 7);
    expect_backed_by(&without);
    memory->release(cpu.backend, &without);
    for (int i = 0; i < count; i++) {
        memory->release(cpu.backend, &live[i]);
    }
    assert_int_equal(geo_usage_bytes(), 0);
}

/* ---- descriptors ---- */

/* EXM-1, EXM-4 */
static void exportable_memory_has_a_descriptor_of_its_own(void **state)
{
    (void)state;
    struct geo_allocation small, shared;
    assert_int_equal(memory->allocate(cpu.backend, cpu.device, GEO_MEMORY_DEVICE, 100, 0,
                                      GEO_MEMORY_EXPORTABLE, &small),
                     ZE_RESULT_SUCCESS);
    assert_true(small.exclusive);
    assert_int_equal(small.fd_offset, 0);
    assert_int_equal(lseek(small.fd.number, 0, SEEK_END), PAGE);
    assert_int_equal(ftruncate(small.fd.number, 0),
                     -1); /* sealed: a receiver cannot cut it short */
    assert_int_equal(allocate(100, 0, &shared), ZE_RESULT_SUCCESS);
    assert_false(shared.exclusive);
    memory->release(cpu.backend, &small);
    memory->release(cpu.backend, &shared);
}

/* EXM-2, IPC-2 */
static void imported_memory_is_the_same_memory(void **state)
{
    (void)state;
    struct geo_allocation mine, theirs;
    assert_int_equal(allocate(3 * PAGE, 0, &mine), ZE_RESULT_SUCCESS);
    for (int read_only = 0; read_only < 2; read_only++) {
        assert_int_equal(memory->import(cpu.backend, NULL, mine.fd.number, mine.fd_offset + 100,
                                        2 * PAGE, read_only, &theirs),
                         ZE_RESULT_SUCCESS);
        assert_true(theirs.base != (uint8_t *)mine.base + 100);
        ((uint8_t *)mine.base)[100] = (uint8_t)(7 + read_only);
        assert_int_equal(((uint8_t *)theirs.base)[0], 7 + read_only);
        memory->release(cpu.backend, &theirs);
    }
    assert_int_equal(((uint8_t *)mine.base)[100], 8); /* the release took nothing of ours */
    memory->release(cpu.backend, &mine);
}

/* Other processes' memory takes nothing of the device: it is noted as shared. */
static void imported_memory_is_shared_not_charged(void **state)
{
    (void)state;
    struct geo_allocation mine, theirs;
    struct geo_physical *physical;
    assert_int_equal(allocate_exportable(4 * PAGE, &mine), ZE_RESULT_SUCCESS);
    uint64_t used = cpu.device->used_bytes, shared = cpu.device->shared_bytes;
    assert_int_equal(
        memory->import(cpu.backend, cpu.device, mine.fd.number, PAGE, 3 * PAGE, false, &theirs),
        ZE_RESULT_SUCCESS);
    assert_int_equal(cpu.device->shared_bytes, shared + 3 * PAGE);
    assert_int_equal(
        memory->physical_import(cpu.backend, cpu.device, mine.fd.number, 2 * PAGE, &physical),
        ZE_RESULT_SUCCESS);
    assert_int_equal(cpu.device->shared_bytes, shared + 5 * PAGE);
    assert_int_equal(cpu.device->used_bytes, used);
    memory->release(cpu.backend, &theirs);
    assert_int_equal(cpu.device->shared_bytes, shared + 2 * PAGE);
    memory->physical_destroy(physical);
    assert_int_equal(cpu.device->shared_bytes, shared);
    memory->release(cpu.backend, &mine);
}

/* EXM-3 */
static void bad_descriptors_are_refused(void **state)
{
    (void)state;
    struct geo_allocation mine, theirs;
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    assert_int_equal(memory->allocate(cpu.backend, cpu.device, GEO_MEMORY_DEVICE, PAGE, 0,
                                      GEO_MEMORY_EXPORTABLE, &mine),
                     ZE_RESULT_SUCCESS);
    const struct {
        int fd;
        uint64_t offset, bytes;
    } bad[] = {{-1, 0, PAGE},
               {9999, 0, PAGE},
               {pipes[0], 0, PAGE},
               {mine.fd.number, 0, 0},
               {mine.fd.number, 0, PAGE + 1},
               {mine.fd.number, PAGE, 1},
               {mine.fd.number, 1, PAGE},
               {mine.fd.number, UINT64_MAX, 16},
               {mine.fd.number, 16, UINT64_MAX}};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(memory->import(cpu.backend, NULL, bad[i].fd, bad[i].offset, bad[i].bytes,
                                        false, &theirs),
                         ZE_RESULT_ERROR_INVALID_ARGUMENT);
    }
    memory->release(cpu.backend, &mine);
    close(pipes[0]);
    close(pipes[1]);
}

/* ---- moving ---- */

/* IPC-2: the place in the slab is used again, the pages are not. */
static void moved_memory_gives_its_place_back(void **state)
{
    (void)state;
    enum { PAGES = 16 };
    struct geo_allocation guard, moved, again;
    assert_int_equal(allocate(PAGE, 0, &guard), ZE_RESULT_SUCCESS); /* keeps the slab */
    size_t before = mappings();
    int slab = guard.fd.number;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(allocate(PAGES * PAGE, 0, &moved), ZE_RESULT_SUCCESS);
        uint8_t *base = moved.base;
        uint64_t offset = moved.fd_offset;
        assert_int_equal(moved.fd.number, slab);
        memset(base, 0x11, PAGES * PAGE);
        assert_int_equal(memory->isolate(cpu.backend, &moved), ZE_RESULT_SUCCESS);
        assert_int_equal(memory->isolate(cpu.backend, &moved), ZE_RESULT_SUCCESS); /* once */
        assert_ptr_equal(moved.base, base);
        assert_true(moved.exclusive);
        assert_int_equal(moved.fd_offset, 0);
        assert_int_equal(lseek(moved.fd.number, 0, SEEK_END), PAGES * PAGE);
        expect_backed_by(&moved);
        assert_int_equal(base[PAGES * PAGE - 1], 0x11);
        off_t data = lseek(slab, (off_t)offset, SEEK_DATA); /* nothing left in the slab */
        assert_true(data < 0 || data >= (off_t)(offset + PAGES * PAGE));
        memory->release(cpu.backend, &moved);
        assert_int_equal(allocate(PAGES * PAGE, 0, &again), ZE_RESULT_SUCCESS);
        assert_ptr_equal(again.base, base);
        expect_backed_by(&again);
        memory->release(cpu.backend, &again);
    }
    assert_int_equal(mappings(), before); /* in one piece again */
    memory->release(cpu.backend, &guard);
    assert_int_equal(geo_usage_bytes(), 0);
}

struct raise_arguments {
    volatile uint32_t *cells; /* [count] */
    uint64_t count;
    _Atomic bool *started, *stop;
    _Atomic uint32_t *rounds, *lost;
};

static void raise_kernel(const struct geo_launch *launch, struct geo_worker *worker, uint64_t first,
                         uint64_t count)
{
    (void)worker;
    (void)first;
    (void)count;
    const struct raise_arguments *arguments = (const struct raise_arguments *)launch->arguments;
    uint32_t round = 0;
    while (round < 3 || !atomic_load(arguments->stop)) {
        for (uint64_t i = 0; i < arguments->count; i++) {
            if (arguments->cells[i] != round) {
                atomic_fetch_add(arguments->lost, 1);
            }
            arguments->cells[i] = round + 1;
        }
        atomic_store(arguments->rounds, ++round);
        atomic_store(arguments->started, true);
    }
}

/* IPC-2 */
static void kernels_write_on_while_memory_moves(void **state)
{
    (void)state;
    enum { BYTES = 512 << 10 };
    struct test_kernel kernel;
    struct geo_backend_stream *stream = stream_open(&cpu);
    kernel_init(&kernel, raise_kernel);
    for (int i = 0; i < 20; i++) {
        struct geo_allocation moved;
        struct test_batch batch;
        _Atomic bool started = false, stop = false;
        _Atomic uint32_t rounds = 0, lost = 0;
        uint64_t ticket;
        assert_int_equal(allocate(BYTES, 0, &moved), ZE_RESULT_SUCCESS);
        memset(moved.base, 0, BYTES);
        struct raise_arguments arguments = {moved.base, BYTES / 4, &started, &stop, &rounds, &lost};
        batch_init(&batch);
        batch_add_launch(&batch, &kernel.kernel, 1, &arguments, sizeof(arguments));
        assert_int_equal(
            cpu.ops->stream->submit(stream, &batch.batch, (struct geo_event_ref){0}, &ticket),
            ZE_RESULT_SUCCESS);
        while (!atomic_load(&started)) {
            sched_yield();
        }
        assert_int_equal(memory->isolate(cpu.backend, &moved), ZE_RESULT_SUCCESS);
        atomic_store(&stop, true);
        assert_int_equal(cpu.ops->stream->wait(stream, ticket, PATIENCE_NS), ZE_RESULT_SUCCESS);
        assert_int_equal(lost, 0);
        uint32_t *view = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, moved.fd.number, 0);
        assert_true(view != MAP_FAILED);
        for (size_t cell = 0; cell < BYTES / 4; cell++) {
            assert_int_equal(view[cell], rounds);
        }
        munmap(view, BYTES);
        batch_finish(&batch);
        memory->release(cpu.backend, &moved);
    }
    cpu.ops->stream->destroy(stream);
}

/* ---- reserved ranges ---- */

/* VMM-1, VMM-4, VMM-5, VMM-7, VMM-9 */
static void physical_pages_are_mapped_into_reserved_ranges(void **state)
{
    (void)state;
    uint64_t page = 0;
    void *range;
    struct geo_physical *physical;
    assert_int_equal(memory->page_size(cpu.backend, 100, &page), ZE_RESULT_SUCCESS);
    assert_int_equal(page, PAGE);
    assert_int_equal(memory->reserve(cpu.backend, NULL, 16 * page, &range), ZE_RESULT_SUCCESS);
    assert_int_equal(memory->reserve(cpu.backend, NULL, 100, &range),
                     ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_int_equal(memory->physical_create(cpu.backend, cpu.device, 4 * page, &physical),
                     ZE_RESULT_SUCCESS);
    uint8_t *a = (uint8_t *)range + 2 * page, *b = (uint8_t *)range + 9 * page;
    assert_int_equal(
        memory->map(cpu.backend, a, 4 * page, physical, 0, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE),
        ZE_RESULT_SUCCESS);
    assert_int_equal(memory->map(cpu.backend, b, 2 * page, physical, 2 * page,
                                 ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY),
                     ZE_RESULT_SUCCESS);
    a[2 * page] = 99;
    assert_int_equal(b[0], 99);
    assert_int_equal(
        memory->map(cpu.backend, a, 4 * page, physical, page, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE),
        ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        memory->set_access(cpu.backend, b, 2 * page, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE),
        ZE_RESULT_SUCCESS);
    b[0] = 98;
    assert_int_equal(a[2 * page], 98);
    memory->physical_destroy(physical); /* what is mapped stays */
    assert_int_equal(a[2 * page], 98);
    assert_int_equal(memory->unmap(cpu.backend, a, 4 * page), ZE_RESULT_SUCCESS);
    assert_int_equal(b[0], 98);
    assert_int_equal(memory->unreserve(cpu.backend, range, 16 * page), ZE_RESULT_SUCCESS);
}

static uint64_t available(void)
{
    uint64_t bytes = 0;
    assert_int_equal(memory->available(cpu.backend, cpu.device, &bytes), ZE_RESULT_SUCCESS);
    return bytes;
}

/* Physical memory takes what allocations take, and runs out as they do. */
static void physical_memory_is_charged_like_allocations(void **state)
{
    (void)state;
    const uint64_t total = cpu.device->info.memory_bytes, used = cpu.device->used_bytes;
    const uint64_t third = total / 3 & ~(uint64_t)(PAGE - 1);
    struct geo_physical *parts[3], *more = NULL;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(memory->physical_create(cpu.backend, cpu.device, third, &parts[i]),
                         ZE_RESULT_SUCCESS);
    }
    assert_int_equal(cpu.device->used_bytes, used + 2 * third);
    assert_true(available() <= total - 2 * third);
    assert_int_equal(memory->physical_create(cpu.backend, cpu.device, third + 4 * PAGE, &more),
                     ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    geo_usage_limit(2 * third + PAGE);
    assert_int_equal(memory->physical_create(cpu.backend, NULL, 2 * PAGE, &more),
                     ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    assert_int_equal(memory->physical_create(cpu.backend, NULL, PAGE, &parts[2]),
                     ZE_RESULT_SUCCESS);
    geo_usage_limit(total);
    assert_null(more);
    assert_int_equal(cpu.device->used_bytes, used + 2 * third); /* the host's is not the device's */
    for (int i = 0; i < 3; i++) {
        memory->physical_destroy(parts[i]);
    }
    assert_int_equal(cpu.device->used_bytes, used);
}

/* ---- limits and threads ---- */

static ze_result_t allocate_on(struct geo_backend_device *device, uint64_t bytes,
                               struct geo_allocation *out)
{
    return memory->allocate(cpu.backend, device, GEO_MEMORY_DEVICE, bytes, 0, 0, out);
}

/* A thread that asks for all memory of a device, again and again: there is never as much. */
struct refusals {
    struct geo_backend_device *device;
    _Atomic bool end, wrong;
    _Atomic uint32_t count;
};

static void *refusals_main(void *argument)
{
    struct refusals *refusals = argument;
    uint64_t bytes = cpu.ops->device_info(refusals->device)->memory_bytes;
    while (!atomic_load(&refusals->end)) {
        struct geo_allocation all;
        if (allocate_on(refusals->device, bytes, &all) != ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY) {
            atomic_store(&refusals->wrong, true);
        }
        atomic_fetch_add(&refusals->count, 1);
    }
    return NULL;
}

static void refusals_expect_no_effect(struct geo_backend_device *device)
{
    enum { REFUSALS = 200000 };
    struct refusals refusals = {.device = device};
    struct geo_allocation some, more;
    ze_result_t result = ZE_RESULT_SUCCESS;
    pthread_t thread;
    assert_int_equal(allocate_on(device, PAGE, &some), ZE_RESULT_SUCCESS);
    assert_int_equal(pthread_create(&thread, NULL, refusals_main, &refusals), 0);
    while (result == ZE_RESULT_SUCCESS && atomic_load(&refusals.count) < REFUSALS) {
        result = allocate_on(device, PAGE, &more);
        memory->release(cpu.backend, result == ZE_RESULT_SUCCESS ? &more : NULL);
    }
    atomic_store(&refusals.end, true);
    pthread_join(thread, NULL);
    memory->release(cpu.backend, &some);
    assert_int_equal(result, ZE_RESULT_SUCCESS);
    assert_false(refusals.wrong);
}

/* MEM-16: not for a moment; of the machine's memory, and of a device's share of it */
static void what_is_refused_takes_nothing_from_others(void **state)
{
    static struct geo_backend_device share = {.info.memory_bytes = 64 * PAGE, .node = -1};
    (void)state;
    refusals_expect_no_effect(cpu.device);
    refusals_expect_no_effect(&share);
}

/* ---- the tail ---- */

/* Whether the system may read, and write, a byte there; neither faults. */
static bool may_read(const int pipe_ends[2], const uint8_t *at)
{
    uint8_t byte;
    return write(pipe_ends[1], at, 1) == 1 && read(pipe_ends[0], &byte, 1) == 1;
}

static bool may_write(const int pipe_ends[2], uint8_t *at)
{
    uint8_t byte = 1;
    assert_int_equal(write(pipe_ends[1], &byte, 1), 1);
    if (read(pipe_ends[0], at, 1) == 1) {
        return true;
    }
    assert_int_equal(errno, EFAULT);
    assert_int_equal(read(pipe_ends[0], &byte, 1), 1);
    return false;
}

static void a_page_behind_every_allocation_can_be_read(void **state)
{
    (void)state;
    enum { SMALL = (64 << 20) / PAGE + 10 }; /* more than a slab holds */
    static struct geo_allocation small[SMALL];
    const uint64_t sizes[] = {1 << 20, (2 << 20) - PAGE, 5 << 20}, alignments[] = {0, 65536};
    int pipe_ends[2];
    assert_int_equal(pipe(pipe_ends), 0);
    for (int i = 0; i < SMALL; i++) {
        assert_int_equal(allocate(PAGE, 0, &small[i]), ZE_RESULT_SUCCESS);
    }
    for (int i = 0; i < SMALL; i++) {
        assert_true(may_read(pipe_ends, (uint8_t *)small[i].base + PAGE));
        assert_true(may_read(pipe_ends, (uint8_t *)small[i].base + PAGE + 63));
    }
    for (int i = 0; i < SMALL; i++) {
        memory->release(cpu.backend, &small[i]);
    }
    for (int i = 0; i < 6; i++) {
        struct geo_allocation own;
        assert_int_equal(allocate(sizes[i / 2], alignments[i % 2], &own), ZE_RESULT_SUCCESS);
        uint8_t *end = (uint8_t *)own.base + own.bytes;
        assert_true(may_read(pipe_ends, end) && may_read(pipe_ends, end + PAGE - 1));
        assert_int_equal(*(volatile uint8_t *)end, 0);
        assert_false(may_write(pipe_ends, end));
        memory->release(cpu.backend, &own);
        assert_false(may_read(pipe_ends, end));
    }
    close(pipe_ends[0]);
    close(pipe_ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_own_whole_pages_at_their_alignment),
        cmocka_unit_test(slabs_never_hand_out_a_page_twice),
        cmocka_unit_test(a_million_allocations_leave_no_mappings_behind),
        cmocka_unit_test(many_live_allocations_need_few_mappings_and_descriptors),
        cmocka_unit_test(impossible_sizes_and_alignments_are_results),
        cmocka_unit_test(memory_runs_out_with_a_result),
        cmocka_unit_test(running_out_of_descriptors_is_a_result),
        cmocka_unit_test(exportable_memory_has_a_descriptor_of_its_own),
        cmocka_unit_test(imported_memory_is_the_same_memory),
        cmocka_unit_test(imported_memory_is_shared_not_charged),
        cmocka_unit_test(bad_descriptors_are_refused),
        cmocka_unit_test(moved_memory_gives_its_place_back),
        cmocka_unit_test(kernels_write_on_while_memory_moves),
        cmocka_unit_test(physical_pages_are_mapped_into_reserved_ranges),
        cmocka_unit_test(physical_memory_is_charged_like_allocations),
        cmocka_unit_test(what_is_refused_takes_nothing_from_others),
        cmocka_unit_test(a_page_behind_every_allocation_can_be_read),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
