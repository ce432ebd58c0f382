/* Fork and exit: the child has a working backend of its own, and nothing keeps a process alive. */
#include "support.h"

#include "exec/thread/sync.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* The thread sanitizer by default ends a forked child that starts threads. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "die_after_fork=0";
}

static struct fixture cpu;

struct shared {
    _Atomic uint32_t entered, open;
};
static struct shared *shared;

static int group_setup(void **state)
{
    (void)state;
    fixture_open(&cpu, &geo_backend_cpu_ops);
    shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return shared == MAP_FAILED;
}

static void gate_kernel(const struct geo_launch *launch, struct geo_worker *worker, uint64_t first,
                        uint64_t count)
{
    (void)launch;
    (void)worker;
    (void)first;
    (void)count;
    atomic_fetch_add(&shared->entered, 1);
    while (atomic_load(&shared->open) == 0) {
        geo_machine_pause();
    }
}

static void count_kernel(const struct geo_launch *launch, struct geo_worker *worker, uint64_t first,
                         uint64_t count)
{
    (void)worker;
    (void)first;
    _Atomic uint32_t *total = *(_Atomic uint32_t *const *)launch->arguments;
    atomic_fetch_add(total, (uint32_t)count);
}

/* Runs launches on a new stream and on workers; 0 when all is well. */
static int backend_works(void)
{
    struct test_kernel kernel;
    struct test_batch batch;
    _Atomic uint32_t total = 0, *pointer = &total;
    uint64_t ticket;
    kernel_init(&kernel, count_kernel);
    struct geo_backend_stream *stream = stream_open(&cpu);
    batch_init(&batch);
    batch_add_launch(&batch, &kernel.kernel, 10000, &pointer, sizeof(pointer));
    for (int i = 0; i < 20; i++) {
        cpu.ops->stream->submit(stream, &batch.batch, (struct geo_event_ref){0}, &ticket);
        if (cpu.ops->stream->wait(stream, ticket, PATIENCE_NS) != ZE_RESULT_SUCCESS) {
            return 1; /* a bounded wait: workers did it */
        }
    }
    cpu.ops->stream->destroy(stream);
    batch_finish(&batch);
    return total == 200000 ? 0 : 2;
}

static int child_status(pid_t child)
{
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static void the_child_of_a_fork_has_workers_of_its_own(void **state)
{
    (void)state;
    assert_int_equal(backend_works(), 0);
    for (int i = 0; i < 10; i++) {
        pid_t child = fork();
        if (child == 0) {
            int result = backend_works();
            pid_t grandchild = fork();
            if (grandchild == 0) {
                _exit(backend_works());
            }
            _exit(result ? result : child_status(grandchild));
        }
        assert_int_equal(backend_works(), 0);
        assert_int_equal(child_status(child), 0);
    }
}

static void work_in_flight_stays_with_the_parent(void **state)
{
    (void)state;
    struct test_kernel kernel;
    struct test_batch batch;
    uint64_t ticket;
    kernel_init(&kernel, gate_kernel);
    batch_init(&batch);
    batch_add_launch(&batch, &kernel.kernel, 1, NULL, 0);
    struct geo_backend_stream *stream = stream_open(&cpu);
    atomic_store(&shared->entered, 0);
    atomic_store(&shared->open, 0);
    cpu.ops->stream->submit(stream, &batch.batch, (struct geo_event_ref){0}, &ticket);
    wait_for(&shared->entered, 1);
    pid_t child = fork();
    if (child == 0) {
        /* the stream is empty here and can be used */
        int result = cpu.ops->stream->wait(stream, UINT64_MAX, 0) != ZE_RESULT_SUCCESS;
        struct test_batch own;
        batch_init(&own);
        batch_add(&own, GEO_COMMAND_NOP, sizeof(struct geo_command));
        cpu.ops->stream->submit(stream, &own.batch, (struct geo_event_ref){0}, &ticket);
        result += 2 * (cpu.ops->stream->wait(stream, ticket, PATIENCE_NS) != ZE_RESULT_SUCCESS);
        cpu.ops->stream->destroy(stream);
        _exit(result);
    }
    assert_int_equal(child_status(child), 0);
    assert_int_equal(cpu.ops->stream->wait(stream, ticket, 0), ZE_RESULT_NOT_READY);
    atomic_store(&shared->open, 1);
    assert_int_equal(cpu.ops->stream->wait(stream, ticket, UINT64_MAX), ZE_RESULT_SUCCESS);
    assert_int_equal(shared->entered, 1); /* it ran once, here */
    cpu.ops->stream->destroy(stream);
    batch_finish(&batch);
}

/* Parent and child share the pages of before the fork; neither frees the other's new pages
 * (docs/decisions/memory.md, "`fork` shares the pages of memory made before it"). */
static void memory_of_before_the_fork_is_shared(void **state)
{
    (void)state;
    const struct geo_memory_ops *memory = cpu.ops->memory;
    struct geo_allocation old, late;
    assert_int_equal(memory->allocate(cpu.backend, cpu.device, GEO_MEMORY_DEVICE, 4096, 0, 0, &old),
                     ZE_RESULT_SUCCESS);
    _Atomic uint32_t *word = old.base;
    atomic_store(word, 1);
    pid_t child = fork();
    if (child == 0) {
        int result = atomic_load(word) != 1;
        memory->allocate(cpu.backend, cpu.device, GEO_MEMORY_DEVICE, 4096, 0, 0, &late);
        *(uint32_t *)late.base = 77;
        result += 2 * (late.base == old.base);
        memory->release(cpu.backend, &late);
        atomic_store(word, 2);
        memory->release(cpu.backend, &old); /* only of this process's books */
        _exit(result);
    }
    assert_int_equal(child_status(child), 0);
    assert_int_equal(*word, 2);
    assert_int_equal(
        memory->allocate(cpu.backend, cpu.device, GEO_MEMORY_DEVICE, 4096, 0, 0, &late),
        ZE_RESULT_SUCCESS);
    assert_true(late.base != old.base);
    memory->release(cpu.backend, &late);
    memory->release(cpu.backend, &old);
}

/* Exit does not wait for kernels that never end, and does not crash on them. */
static void a_process_can_exit_while_kernels_run(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        pid_t child = fork();
        if (child == 0) {
            struct test_kernel kernel;
            struct test_batch batch;
            uint64_t ticket;
            alarm(patience_s());
            kernel_init(&kernel, gate_kernel);
            batch_init(&batch);
            batch_add_launch(&batch, &kernel.kernel, 4, NULL, 0);
            atomic_store(&shared->entered, 0);
            atomic_store(&shared->open, 0);
            struct geo_backend_stream *stream = stream_open(&cpu);
            cpu.ops->stream->submit(stream, &batch.batch, (struct geo_event_ref){0}, &ticket);
            wait_for(&shared->entered, 1);
            cpu.ops->close(cpu.backend);
            exit(0);
        }
        assert_int_equal(child_status(child), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_child_of_a_fork_has_workers_of_its_own),
        cmocka_unit_test(work_in_flight_stays_with_the_parent),
        cmocka_unit_test(memory_of_before_the_fork_is_shared),
        cmocka_unit_test(a_process_can_exit_while_kernels_run),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
