/* What processes are busy with, as others see it: kernels run for as long as the test wants. The
 * processes have a /dev/shm of their own. */
#include "support.h"

#include "backend/host/census_table.h"
#include "own_shm.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static uint64_t looked(enum geo_busy_kind kind, uint64_t now_ns)
{
    static uint16_t cpus[GEO_BUSY_CPUS];
    static uint64_t ns[GEO_BUSY_CPUS];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < GEO_BUSY_CPUS; i++) {
        cpus[i] = (uint16_t)i;
    }
    assert_true(geo_census_read_busy("", kind, now_ns, cpus, ns, GEO_BUSY_CPUS));
    for (uint32_t i = 0; i < GEO_BUSY_CPUS; i++) {
        sum += ns[i];
    }
    return sum;
}

#define GROUPS_MAX 2

/* What a process and the test share. */
struct shared {
    _Atomic uint32_t started, go[GROUPS_MAX], done, leave;
};
static struct shared *shared;
static struct fixture cpu;

/* Each group says that it runs, and runs until it is told that it is enough. */
static void waits(const struct geo_launch *launch, struct geo_worker *worker, uint64_t first,
                  uint64_t count)
{
    (void)launch, (void)worker;
    for (uint64_t group = first; group < first + count; group++) {
        atomic_fetch_add(&shared->started, 1);
        while (!atomic_load(&shared->go[group])) {
        }
    }
}

static void host_waits(void *data)
{
    (void)data;
    atomic_fetch_add(&shared->started, 1);
    while (!atomic_load(&shared->go[1])) {
    }
}

static void run_waits(uint32_t groups)
{
    struct test_kernel kernel;
    struct test_batch batch;
    struct geo_backend_stream *stream = stream_open(&cpu);
    kernel_init(&kernel, waits);
    batch_init(&batch);
    batch_add_launch(&batch, &kernel.kernel, groups, NULL, 0);
    stream_run_batch(&cpu, stream, &batch);
}

static void run_one(void)
{
    run_waits(1);
}

static void run_two(void)
{
    run_waits(2);
}

static void run_host_after_kernel(void)
{
    struct test_kernel kernel;
    struct test_batch batch;
    struct geo_backend_stream *stream = stream_open(&cpu);
    kernel_init(&kernel, waits);
    batch_init(&batch);
    batch_add_launch(&batch, &kernel.kernel, 1, NULL, 0);
    struct geo_command_host_function *host =
        batch_add(&batch, GEO_COMMAND_HOST_FUNCTION, sizeof(*host));
    host->function = host_waits;
    stream_run_batch(&cpu, stream, &batch);
}

static void run_copy(void)
{
    enum { BYTES = 32 << 20 };
    struct test_batch batch;
    struct geo_backend_stream *stream = stream_open(&cpu);
    uint8_t *bytes = calloc(2, BYTES);
    assert_non_null(bytes);
    batch_init(&batch);
    struct geo_command_copy *copy = batch_add(&batch, GEO_COMMAND_COPY, sizeof(*copy));
    copy->source = bytes;
    copy->destination = bytes + BYTES;
    copy->bytes = BYTES;
    stream_run_batch(&cpu, stream, &batch);
}

static void run_fill(void)
{
    enum { BYTES = 32 << 20 };
    struct test_batch batch;
    struct geo_backend_stream *stream = stream_open(&cpu);
    uint8_t *bytes = malloc(BYTES);
    assert_non_null(bytes);
    batch_init(&batch);
    struct geo_command_fill *fill = batch_add(&batch, GEO_COMMAND_FILL, sizeof(*fill) + 16);
    fill->destination = bytes;
    fill->bytes = BYTES;
    fill->pattern_offset = sizeof(*fill);
    fill->pattern_bytes = 1;
    stream_run_batch(&cpu, stream, &batch);
}

/* What its parent has made runs in a child. */
static void run_in_child(void)
{
    struct test_kernel kernel;
    struct test_batch batch;
    struct geo_backend_stream *stream = stream_open(&cpu);
    kernel_init(&kernel, waits);
    batch_init(&batch);
    batch_add_launch(&batch, &kernel.kernel, 1, NULL, 0);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        stream_run_batch(&cpu, stream, &batch);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* A process that runs `run`, tells that it is done, and ends when it is told to. */
static pid_t process_start(void (*run)(void))
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        fixture_open(&cpu, &geo_backend_cpu_ops);
        run();
        atomic_store(&shared->done, 1);
        wait_for(&shared->leave, 1);
        _exit(0);
    }
    return child;
}

static void process_end(pid_t child)
{
    int status;
    atomic_store(&shared->leave, 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* Two milliseconds later than the last time: what runs now has run for long enough to be seen. */
static uint64_t later(void)
{
    const uint64_t start = geo_now_ns();
    while (geo_now_ns() < start + 2000000) {
        usleep(100);
    }
    return geo_now_ns();
}

static uint64_t kernels(uint64_t now)
{
    return looked(GEO_BUSY_KERNEL, now);
}

/* How much more there is than there was, as a multiple of the time that has passed: exactly. */
static void assert_grows(uint64_t threads)
{
    const uint64_t first = later(), before = kernels(first);
    const uint64_t second = later(), after = kernels(second);
    assert_int_equal(after - before, threads * (second - first));
}

static int process_setup(void **state)
{
    char path[64];
    (void)state;
    snprintf(path, sizeof(path), GEO_CENSUS_FOLDER "/" GEO_CENSUS_NAME "%u", (unsigned)geteuid());
    unlink(path);
    memset(shared, 0, sizeof(*shared));
    return 0;
}

/* SYC-12 */
static void a_kernel_counts_while_it_runs_and_no_longer(void **state)
{
    (void)state;
    const uint64_t begin = geo_now_ns();
    pid_t child = process_start(run_one);
    wait_for(&shared->started, 1);
    assert_int_equal(kernels(geo_now_ns()), 0); /* nobody looked before */
    assert_grows(1);
    const uint64_t before = kernels(later());
    atomic_store(&shared->go[0], 1);
    wait_for(&shared->done, 1);
    const uint64_t after = kernels(later());
    assert_true(after >= before && after <= geo_now_ns() - begin);
    assert_int_equal(kernels(later()), after);
    process_end(child);
    assert_int_equal(kernels(later()), after);
    assert_int_equal(looked(GEO_BUSY_COPY, later()), 0);
}

/* Who looks before anybody has used a device sees all of what comes then. */
static void a_look_before_all_others_counts(void **state)
{
    (void)state;
    const uint64_t begin = geo_now_ns();
    assert_int_equal(kernels(begin), 0);
    pid_t child = process_start(run_one);
    wait_for(&shared->started, 1);
    later();
    atomic_store(&shared->go[0], 1);
    process_end(child);
    const uint64_t all = kernels(later());
    assert_true(all >= 2000000 && all <= geo_now_ns() - begin);
}

static void what_ended_processes_did_stays(void **state)
{
    (void)state;
    pid_t child = process_start(run_one);
    wait_for(&shared->started, 1);
    (void)kernels(geo_now_ns());
    later();
    atomic_store(&shared->go[0], 1);
    process_end(child);
    const uint64_t first = kernels(later());
    assert_true(first >= 2000000);
    memset(shared, 0, sizeof(*shared));
    child = process_start(run_one);
    wait_for(&shared->started, 1);
    assert_grows(1);
    assert_true(kernels(later()) > first + 4000000);
    atomic_store(&shared->go[0], 1);
    process_end(child);
}

static void what_is_killed_runs_on_for_nobody(void **state)
{
    (void)state;
    int status;
    pid_t child = process_start(run_one);
    wait_for(&shared->started, 1);
    assert_grows(1);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    const uint64_t closed = kernels(later());
    assert_int_equal(closed, 0); /* it had ended nothing */
    assert_int_equal(kernels(later()), 0);
}

/* SYC-12 */
static void copies_and_fills_are_no_kernels(void **state)
{
    (void)state;
    void (*const runs[])(void) = {run_copy, run_fill};
    for (int i = 0; i < 2; i++) {
        memset(shared, 0, sizeof(*shared));
        const uint64_t kernel = kernels(later()), copy = looked(GEO_BUSY_COPY, later());
        memset(shared, 0, sizeof(*shared));
        pid_t second = process_start(runs[i]);
        wait_for(&shared->done, 1);
        const uint64_t copied = looked(GEO_BUSY_COPY, later());
        assert_true(copied > copy);
        assert_int_equal(looked(GEO_BUSY_COPY, later()), copied);
        assert_int_equal(kernels(later()), kernel);
        process_end(second);
    }
}

/* Whoever of the two has done what is there to do does not count while it waits for the other. */
static void each_thread_counts_for_as_long_as_it_has_something(void **state)
{
    (void)state;
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
        skip();
    }
    for (int turn = 0; turn < 8; turn++) { /* whose group is which differs */
        const int first = turn % 2;
        memset(shared, 0, sizeof(*shared));
        pid_t child = process_start(run_two);
        wait_for(&shared->started, 2);
        (void)kernels(geo_now_ns());
        assert_grows(2);
        const uint64_t closed = kernels(later());
        atomic_store(&shared->go[first], 1);
        later();
        /* a thread may be late on a busy machine; then it is looked at again */
        uint64_t grown = 2, elapsed = 1;
        for (const uint64_t end = geo_now_ns() + PATIENCE_NS;
             grown != elapsed && geo_now_ns() < end;) {
            const uint64_t from = later(), before = kernels(from), to = later();
            grown = kernels(to) - before;
            elapsed = to - from;
        }
        assert_int_equal(grown, elapsed);
        assert_true(kernels(later()) > closed);
        atomic_store(&shared->go[1 - first], 1);
        wait_for(&shared->done, 1);
        const uint64_t after = kernels(later());
        assert_int_equal(kernels(later()), after);
        process_end(child);
    }
}

static void host_functions_do_not_count(void **state)
{
    (void)state;
    pid_t child = process_start(run_host_after_kernel);
    wait_for(&shared->started, 1);
    assert_grows(1);
    atomic_store(&shared->go[0], 1);
    wait_for(&shared->started, 2);
    const uint64_t after = kernels(later());
    assert_int_equal(kernels(later()), after);
    atomic_store(&shared->go[1], 1);
    process_end(child);
    assert_int_equal(kernels(later()), after);
}

static void children_count_that_run_what_their_parents_made(void **state)
{
    (void)state;
    pid_t child = process_start(run_in_child);
    wait_for(&shared->started, 1);
    assert_grows(1);
    atomic_store(&shared->go[0], 1);
    process_end(child);
    const uint64_t after = kernels(later());
    assert_true(after >= 2000000);
    assert_int_equal(kernels(later()), after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_kernel_counts_while_it_runs_and_no_longer, process_setup),
        cmocka_unit_test_setup(a_look_before_all_others_counts, process_setup),
        cmocka_unit_test_setup(what_ended_processes_did_stays, process_setup),
        cmocka_unit_test_setup(what_is_killed_runs_on_for_nobody, process_setup),
        cmocka_unit_test_setup(copies_and_fills_are_no_kernels, process_setup),
        cmocka_unit_test_setup(each_thread_counts_for_as_long_as_it_has_something, process_setup),
        cmocka_unit_test_setup(host_functions_do_not_count, process_setup),
        cmocka_unit_test_setup(children_count_that_run_what_their_parents_made, process_setup),
    };
    if (access("/dev/shm", W_OK) != 0 || !own_shm()) {
        puts("no /dev/shm of our own: processes are not looked at");
        return 0;
    }
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return shared == MAP_FAILED ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
