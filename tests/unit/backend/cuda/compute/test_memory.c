/* Memory of GPUs, and of the host for GPUs. */
#include "cuda_fixture.h"

#include "sweep.h"

#include "base/memfd.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct geo_backend_ops *const ops = &geo_backend_cuda_compute_ops;

#define GIB (1ull << 30)

static ze_result_t allocate(const struct cudas *cudas, uint32_t gpu, enum geo_memory_kind kind,
                            uint64_t bytes, uint64_t alignment, uint32_t flags,
                            struct geo_allocation *out)
{
    return ops->memory->allocate(cudas->backend, cudas_device(cudas, gpu), kind, bytes, alignment,
                                 flags, out);
}

static void release(const struct cudas *cudas, struct geo_allocation *allocation)
{
    ops->memory->release(cudas->backend, allocation);
    assert_null(allocation->base);
    assert_int_equal(allocation->fd.number, -1);
}

static const struct fake_cuda_record *record_last(const struct cudas *cudas,
                                                  enum fake_cuda_function function)
{
    const struct fake_cuda *fake = cudas->fake;
    for (unsigned i = fake->record_count; i > 0; i--) {
        if (fake->records[i - 1].function == function) {
            return &fake->records[i - 1];
        }
    }
    fail_msg("the function was not called");
    return NULL;
}

/* ---- kinds ---- */

static void device_memory_is_the_devices(void **state)
{
    (void)state;
    struct cudas cudas;
    struct geo_allocation allocation;
    cudas_open(&cudas, "h100,t4");
    assert_int_equal(allocate(&cudas, 1, GEO_MEMORY_DEVICE, 1000, 0, 0, &allocation),
                     ZE_RESULT_SUCCESS);
    assert_ptr_equal(allocation.device, cudas_device(&cudas, 1));
    assert_true(allocation.bytes >= 1000);
    assert_int_equal(allocation.page_bytes, 2 << 20);
    assert_int_equal(allocation.fd.number, -1);
    const struct fake_cuda_record *record = record_last(&cudas, FAKE_CUDA_MemAlloc);
    assert_int_equal(record->gpu, 1);
    assert_int_equal(record->first, 1000);
    assert_int_equal(cudas.fake->calls[FAKE_CUDA_DevicePrimaryCtxRetain], 1);
    release(&cudas, &allocation);
    cudas_close(&cudas);
}

static void memory_of_the_host_is_pinned_for_all_gpus(void **state)
{
    (void)state;
    static const enum geo_memory_kind kinds[] = {GEO_MEMORY_HOST, GEO_MEMORY_SHARED};
    struct cudas cudas;
    struct geo_allocation allocation;
    cudas_open(&cudas, "h100,t4");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(allocate(&cudas, 1, kinds[i], 100, 0, 0, &allocation), ZE_RESULT_SUCCESS);
        assert_null(allocation.device);
        assert_int_equal(allocation.page_bytes, 4096);
        memset(allocation.base, 1, 100);
        const struct fake_cuda_record *record = record_last(&cudas, FAKE_CUDA_MemHostAlloc);
        assert_int_equal(record->second, GEO_CUDA_HOST_PORTABLE | GEO_CUDA_HOST_DEVICE_MAP);
        release(&cudas, &allocation);
    }
    assert_int_equal(cudas.fake->host_used, 0);
    cudas_close(&cudas);
}

/* No second context is made for memory that all contexts share. */
static void memory_of_no_device_uses_a_context_that_exists(void **state)
{
    (void)state;
    struct cudas cudas;
    struct geo_allocation first, second;
    cudas_open(&cudas, "h100,t4");
    assert_int_equal(allocate(&cudas, 1, GEO_MEMORY_DEVICE, 8, 0, 0, &first), ZE_RESULT_SUCCESS);
    assert_int_equal(ops->memory->allocate(cudas.backend, NULL, GEO_MEMORY_HOST, 64, 0, 0, &second),
                     ZE_RESULT_SUCCESS);
    assert_int_equal(record_last(&cudas, FAKE_CUDA_MemHostAlloc)->gpu, 1);
    assert_int_equal(cudas.fake->contexts, 1);
    release(&cudas, &first);
    release(&cudas, &second);
    cudas_close(&cudas);
}

/* The thread's own context is current again after each call. */
static void calls_restore_the_current_context(void **state)
{
    (void)state;
    struct cudas cudas;
    struct geo_cuda cuda;
    struct geo_strbuf why;
    struct geo_allocation allocation;
    geo_cuda_context mine = NULL, now = NULL;
    cudas_open(&cudas, "h100,t4");
    geo_strbuf_init(&why, 400);
    assert_int_equal(geo_cuda_open(&cuda, &why), ZE_RESULT_SUCCESS);
    assert_int_equal(GEO_CUDA(&cuda, DevicePrimaryCtxRetain, &mine, 1), 0);
    assert_int_equal(GEO_CUDA(&cuda, CtxPushCurrent, mine), 0);
    assert_int_equal(allocate(&cudas, 0, GEO_MEMORY_DEVICE, 8, 0, 0, &allocation),
                     ZE_RESULT_SUCCESS);
    release(&cudas, &allocation);
    assert_int_equal(GEO_CUDA(&cuda, CtxPopCurrent, &now), 0);
    assert_ptr_equal(now, mine);
    assert_int_equal(GEO_CUDA(&cuda, DevicePrimaryCtxRelease, 1), 0);
    geo_cuda_close(&cuda);
    geo_strbuf_finish(&why);
    cudas_close(&cudas);
}

/* ---- sizes and alignments ---- */

static void every_alignment_up_to_1_gib_is_kept(void **state)
{
    (void)state;
    struct cudas cudas;
    struct geo_allocation allocation;
    cudas_open(&cudas, "h100");
    for (int kind = GEO_MEMORY_HOST; kind <= GEO_MEMORY_SHARED; kind++) {
        for (uint32_t flags = 0; flags <= (kind == GEO_MEMORY_DEVICE ? 0 : 1); flags++) {
            for (uint64_t alignment = 1; alignment <= 1 << 22; alignment *= 2) {
                assert_int_equal(allocate(&cudas, 0, (enum geo_memory_kind)kind, 64, alignment,
                                          flags ? GEO_MEMORY_EXPORTABLE : 0, &allocation),
                                 ZE_RESULT_SUCCESS);
                assert_int_equal((uintptr_t)allocation.base % alignment, 0);
                if (kind != GEO_MEMORY_DEVICE) {
                    memset(allocation.base, 1, 64);
                }
                release(&cudas, &allocation);
            }
        }
    }
    cudas_close(&cudas);
}

static void bad_sizes_and_alignments_are_refused(void **state)
{
    (void)state;
    struct cudas cudas;
    struct geo_allocation allocation;
    cudas_open(&cudas, "h100");
    assert_int_equal(allocate(&cudas, 0, GEO_MEMORY_DEVICE, 0, 0, 0, &allocation),
                     ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_int_equal(allocate(&cudas, 0, GEO_MEMORY_HOST, UINT64_MAX, 0, 0, &allocation),
                     ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_int_equal(allocate(&cudas, 0, GEO_MEMORY_DEVICE, 8, 768, 0, &allocation),
                     ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
    assert_int_equal(allocate(&cudas, 0, GEO_MEMORY_DEVICE, 8, 2 * GIB, 0, &allocation),
                     ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
    assert_int_equal(cudas.fake->contexts, 0);
    cudas_close(&cudas);
}

static void lack_of_memory_is_a_result(void **state)
{
    (void)state;
    struct cudas cudas;
    struct geo_allocation allocation, small;
    uint64_t before = 0, after = 0;
    cudas_open(&cudas, "t4");
    assert_int_equal(allocate(&cudas, 0, GEO_MEMORY_DEVICE, 16 * GIB, 0, 0, &allocation),
                     ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    cudas.fake->host_limit = 1 << 20;
    assert_int_equal(allocate(&cudas, 0, GEO_MEMORY_HOST, 2 << 20, 0, 0, &allocation),
                     ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    assert_int_equal(allocate(&cudas, 0, GEO_MEMORY_SHARED, 2 << 20, 0, 0, &allocation),
                     ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    assert_int_equal(
        allocate(&cudas, 0, GEO_MEMORY_HOST, 2 << 20, 0, GEO_MEMORY_EXPORTABLE, &allocation),
        ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
    assert_int_equal(ops->memory->available(cudas.backend, cudas_device(&cudas, 0), &before),
                     ZE_RESULT_SUCCESS);
    assert_int_equal(allocate(&cudas, 0, GEO_MEMORY_DEVICE, 1 << 20, 0, 0, &small),
                     ZE_RESULT_SUCCESS);
    assert_int_equal(ops->memory->available(cudas.backend, cudas_device(&cudas, 0), &after),
                     ZE_RESULT_SUCCESS);
    assert_int_equal(before - after, 1 << 20);
    release(&cudas, &small);
    cudas_close(&cudas);
}

/* A context that could not be made is tried again. */
static void a_context_without_memory_is_made_later(void **state)
{
    (void)state;
    struct cudas cudas;
    struct geo_allocation allocation;
    cudas_open(&cudas, "h100");
    cudas.fake->results[FAKE_CUDA_DevicePrimaryCtxRetain] = GEO_CUDA_OUT_OF_MEMORY;
    assert_int_equal(allocate(&cudas, 0, GEO_MEMORY_DEVICE, 8, 0, 0, &allocation),
                     ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    cudas.fake->results[FAKE_CUDA_DevicePrimaryCtxRetain] = 0;
    assert_int_equal(allocate(&cudas, 0, GEO_MEMORY_DEVICE, 8, 0, 0, &allocation),
                     ZE_RESULT_SUCCESS);
    release(&cudas, &allocation);
    cudas_close(&cudas);
}

static void a_lost_gpu_is_lost_and_another_is_not(void **state)
{
    (void)state;
    struct cudas cudas;
    struct geo_allocation first, second, third;
    uint64_t bytes;
    cudas_open(&cudas, "h100,t4");
    assert_int_equal(allocate(&cudas, 0, GEO_MEMORY_DEVICE, 8, 0, 0, &first), ZE_RESULT_SUCCESS);
    cudas.fake->lost[0] = GEO_CUDA_ILLEGAL_ADDRESS;
    assert_int_equal(allocate(&cudas, 0, GEO_MEMORY_DEVICE, 8, 0, 0, &second),
                     ZE_RESULT_ERROR_DEVICE_LOST);
    assert_int_equal(ops->memory->available(cudas.backend, cudas_device(&cudas, 0), &bytes),
                     ZE_RESULT_ERROR_DEVICE_LOST);
    assert_int_equal(allocate(&cudas, 1, GEO_MEMORY_DEVICE, 8, 0, 0, &third), ZE_RESULT_SUCCESS);
    release(&cudas, &third);
    cudas.fake->lost[0] = 0;
    release(&cudas, &first);
    cudas_close(&cudas);
}

/* ---- memory files ---- */

static void exportable_memory_is_a_file_that_gpus_reach(void **state)
{
    (void)state;
    enum { BYTES = 10000 };
    struct cudas cudas;
    struct geo_allocation allocation;
    cudas_open(&cudas, "h100");
    assert_int_equal(
        allocate(&cudas, 0, GEO_MEMORY_SHARED, BYTES, 0, GEO_MEMORY_EXPORTABLE, &allocation),
        ZE_RESULT_SUCCESS);
    assert_true(allocation.exclusive);
    assert_int_equal(allocation.fd_offset, 0);
    assert_int_equal(allocation.bytes, 12288);
    const struct fake_cuda_record *record = record_last(&cudas, FAKE_CUDA_MemHostRegister);
    assert_int_equal(record->first, 12288);
    assert_int_equal(record->second, GEO_CUDA_REGISTER_PORTABLE | GEO_CUDA_REGISTER_DEVICE_MAP);
    assert_int_equal(ops->memory->isolate(cudas.backend, &allocation), ZE_RESULT_SUCCESS);
    uint8_t *other = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, geo_fd_get(&allocation.fd), 0);
    assert_ptr_not_equal(other, MAP_FAILED);
    memset(allocation.base, 7, BYTES);
    assert_int_equal(other[BYTES - 1], 7);
    munmap(other, BYTES);
    int fd = allocation.fd.number;
    release(&cudas, &allocation);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
    cudas_close(&cudas);
}

static void imported_memory_is_the_files(void **state)
{
    (void)state;
    struct cudas cudas;
    struct geo_allocation whole, part;
    cudas_open(&cudas, "h100");
    int fd = geo_memfd_create("test", 3 * GEO_PAGE_BYTES);
    assert_true(fd >= 0);
    assert_int_equal(ops->memory->import(cudas.backend, cudas_device(&cudas, 0), fd, 0,
                                         3 * GEO_PAGE_BYTES, false, &whole),
                     ZE_RESULT_SUCCESS);
    assert_int_equal(
        ops->memory->import(cudas.backend, NULL, fd, GEO_PAGE_BYTES + 64, 100, true, &part),
        ZE_RESULT_SUCCESS);
    assert_ptr_equal(whole.device, cudas_device(&cudas, 0));
    assert_int_equal(record_last(&cudas, FAKE_CUDA_MemHostRegister)->second,
                     GEO_CUDA_REGISTER_PORTABLE | GEO_CUDA_REGISTER_DEVICE_MAP |
                         GEO_CUDA_REGISTER_READ_ONLY);
    ((uint8_t *)whole.base)[GEO_PAGE_BYTES + 64 + 99] = 55;
    assert_int_equal(((const uint8_t *)part.base)[99], 55);
    assert_int_equal(part.bytes, 100);
    assert_false(part.exclusive);
    release(&cudas, &part);
    release(&cudas, &whole);
    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC); /* it stays the caller's */
    close(fd);
    cudas_close(&cudas);
}

static void what_cannot_be_imported_is_refused(void **state)
{
    (void)state;
    struct cudas cudas;
    struct geo_allocation allocation;
    int ends[2];
    cudas_open(&cudas, "t4");
    int fd = geo_memfd_create("test", GEO_PAGE_BYTES);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(
        ops->memory->import(cudas.backend, NULL, fd, 0, 2 * GEO_PAGE_BYTES, false, &allocation),
        ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ops->memory->import(cudas.backend, NULL, ends[0], 0, 8, false, &allocation),
                     ZE_RESULT_ERROR_INVALID_ARGUMENT);
    /* a T4 cannot register memory that it may only read */
    assert_int_equal(ops->memory->import(cudas.backend, NULL, fd, 0, 8, true, &allocation),
                     ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    close(ends[0]);
    close(ends[1]);
    close(fd);
    cudas_close(&cudas);
}

static void what_cannot_be_exported_is_refused(void **state)
{
    (void)state;
    struct cudas cudas;
    struct geo_allocation allocation;
    int fd;
    cudas_open(&cudas, "h100");
    assert_int_equal(
        allocate(&cudas, 0, GEO_MEMORY_DEVICE, 8, 0, GEO_MEMORY_EXPORTABLE, &allocation),
        ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_int_equal(allocate(&cudas, 0, GEO_MEMORY_HOST, 8, 0, 0, &allocation), ZE_RESULT_SUCCESS);
    assert_int_equal(ops->memory->isolate(cudas.backend, &allocation),
                     ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_false(ops->memory->makes_dmabufs(cudas.backend));
    assert_int_equal(ops->memory->dmabuf(cudas.backend, 0, 0, 8, &fd),
                     ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    release(&cudas, &allocation);
    cudas_close(&cudas);
}

/* ---- threads and children ---- */

static void *memory_use(void *data)
{
    const struct cudas *cudas = data;
    for (int i = 0; i < 50; i++) {
        struct geo_allocation allocation;
        enum geo_memory_kind kind = i % 2 ? GEO_MEMORY_DEVICE : GEO_MEMORY_SHARED;
        if (allocate(cudas, 0, kind, 64, 0, 0, &allocation) != ZE_RESULT_SUCCESS) {
            return data;
        }
        ops->memory->release(cudas->backend, &allocation);
    }
    return NULL;
}

static void threads_share_one_context(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    struct cudas cudas;
    pthread_t threads[THREADS];
    cudas_open(&cudas, "h100");
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, memory_use, &cudas), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *failed = &cudas;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    assert_int_equal(cudas.fake->calls[FAKE_CUDA_DevicePrimaryCtxRetain], 1);
    cudas_close(&cudas);
}

struct inherited {
    struct cudas *cudas;
    struct geo_allocation device, host, file;
};

static int child_uses(void *data)
{
    struct inherited *inherited = data;
    const struct cudas *cudas = inherited->cudas;
    struct geo_allocation allocation;
    uint64_t bytes;
    bool good = allocate(cudas, 0, GEO_MEMORY_DEVICE, 8, 0, 0, &allocation) ==
                    ZE_RESULT_ERROR_UNINITIALIZED &&
                allocate(cudas, 1, GEO_MEMORY_HOST, 8, 0, 0, &allocation) ==
                    ZE_RESULT_ERROR_UNINITIALIZED &&
                allocate(cudas, 0, GEO_MEMORY_HOST, 8, 0, GEO_MEMORY_EXPORTABLE, &allocation) ==
                    ZE_RESULT_ERROR_UNINITIALIZED &&
                ops->memory->available(cudas->backend, cudas_device(cudas, 0), &bytes) ==
                    ZE_RESULT_ERROR_UNINITIALIZED;
    ops->memory->release(cudas->backend, &inherited->device);
    ops->memory->release(cudas->backend, &inherited->host);
    ops->memory->release(cudas->backend, &inherited->file);
    ops->close(cudas->backend);
    return good && cudas->fake->calls_in_children == 0 ? 0 : 1;
}

static void a_child_gets_errors_and_frees_nothing_of_its_parent(void **state)
{
    (void)state;
    struct cudas cudas;
    struct inherited inherited = {.cudas = &cudas};
    char text[512];
    cudas_open(&cudas, "h100,t4");
    assert_int_equal(allocate(&cudas, 0, GEO_MEMORY_DEVICE, 8, 0, 0, &inherited.device),
                     ZE_RESULT_SUCCESS);
    assert_int_equal(allocate(&cudas, 0, GEO_MEMORY_HOST, 8, 0, 0, &inherited.host),
                     ZE_RESULT_SUCCESS);
    assert_int_equal(
        allocate(&cudas, 0, GEO_MEMORY_HOST, 8, 0, GEO_MEMORY_EXPORTABLE, &inherited.file),
        ZE_RESULT_SUCCESS);
    assert_int_equal(cudas_child(child_uses, &inherited, text), 0);
    release(&cudas, &inherited.device);
    release(&cudas, &inherited.host);
    release(&cudas, &inherited.file);
    cudas_close(&cudas);
}

/* ---- lack of memory ---- */

static struct cudas swept;
static struct geo_allocation swept_allocations[3];

static void swept_undo(void)
{
    for (int i = 0; i < 3; i++) {
        ops->memory->release(swept.backend, &swept_allocations[i]);
    }
}

static ze_result_t swept_run(void)
{
    ze_result_t result = allocate(&swept, 0, GEO_MEMORY_DEVICE, 8, 0, 0, &swept_allocations[0]);
    if (result == ZE_RESULT_SUCCESS) {
        result = allocate(&swept, 0, GEO_MEMORY_HOST, 8, 0, 0, &swept_allocations[1]);
    }
    if (result == ZE_RESULT_SUCCESS) {
        result = allocate(&swept, 0, GEO_MEMORY_HOST, 8, 0, GEO_MEMORY_EXPORTABLE,
                          &swept_allocations[2]);
    }
    if (result != ZE_RESULT_SUCCESS) {
        swept_undo();
    }
    return result;
}

/* The host's memory runs out, not CUDA's. */
static void no_lack_of_memory_crashes_or_leaks(void **state)
{
    (void)state;
    struct geo_allocation first;
    const struct sweep sweep = {.name = "memory of GPUs", .run = swept_run, .undo = swept_undo};
    cudas_open(&swept, "h100");
    assert_int_equal(allocate(&swept, 0, GEO_MEMORY_DEVICE, 8, 0, 0, &first), ZE_RESULT_SUCCESS);
    sweep_run(&sweep);
    release(&swept, &first);
    cudas_close(&swept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(device_memory_is_the_devices),
        cmocka_unit_test(memory_of_the_host_is_pinned_for_all_gpus),
        cmocka_unit_test(memory_of_no_device_uses_a_context_that_exists),
        cmocka_unit_test(calls_restore_the_current_context),
        cmocka_unit_test(every_alignment_up_to_1_gib_is_kept),
        cmocka_unit_test(bad_sizes_and_alignments_are_refused),
        cmocka_unit_test(lack_of_memory_is_a_result),
        cmocka_unit_test(a_context_without_memory_is_made_later),
        cmocka_unit_test(a_lost_gpu_is_lost_and_another_is_not),
        cmocka_unit_test(exportable_memory_is_a_file_that_gpus_reach),
        cmocka_unit_test(imported_memory_is_the_files),
        cmocka_unit_test(what_cannot_be_imported_is_refused),
        cmocka_unit_test(what_cannot_be_exported_is_refused),
        cmocka_unit_test(threads_share_one_context),
        cmocka_unit_test(a_child_gets_errors_and_frees_nothing_of_its_parent),
        cmocka_unit_test(no_lack_of_memory_crashes_or_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
