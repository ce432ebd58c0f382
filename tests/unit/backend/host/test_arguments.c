/* Unit tests of the arguments of kernels in launch records: how the backends that run on the host
 * encode them. */
#include "support.h"

/* The kernel "local" of tests/fixtures/native_module.c has the arguments (out, a, b). The last two
 * are local, and the kernel has 256 bytes of local variables. */
enum { LOCAL_KERNEL = 2, A = 1, B = 2, ARGUMENTS = 3 };

struct block {
    _Alignas(GEO_COMMAND_ALIGN) uint64_t words[ARGUMENTS];
};

static struct file native;

static int group_setup(void **state)
{
    (void)state;
    native = file_read("backend_native.o");
    return 0;
}

static int group_teardown(void **state)
{
    (void)state;
    free(native.bytes);
    return 0;
}

static struct geo_backend_program *program_load(const struct fixture *fixture)
{
    struct geo_native_view view;
    struct geo_backend_program *program;
    struct geo_strbuf log;
    const char *reason = "";
    geo_strbuf_init(&log, 0);
    assert_int_equal(geo_native_parse(native.bytes, native.size, &view, &reason),
                     ZE_RESULT_SUCCESS);
    assert_int_equal(fixture->ops->program->load(fixture->device, &view, &program, &log),
                     ZE_RESULT_SUCCESS);
    geo_strbuf_finish(&log);
    return program;
}

/* Encodes the launch and expects these numbers for the local arguments. */
static void expect_locals(const struct fixture *fixture, const struct geo_backend_kernel *kernel,
                          const uint64_t sizes[ARGUMENTS], uint64_t a, uint64_t b, uint64_t bytes)
{
    const uint64_t values[ARGUMENTS] = {UINT64_C(0x123456789ABCDEF0)};
    struct geo_command_launch launch = {.group_count = {7, 6, 5}, .local_size = {4, 3, 2}};
    struct block block;
    for (int round = 0; round < 2; round++) { /* a recorded launch is encoded again */
        memset(&block, 0xAA, sizeof(block));
        fixture->ops->program->encode(kernel, values, sizes, &launch, block.words);
        assert_ptr_equal(launch.kernel, kernel);
        assert_int_equal(block.words[0], values[0]);
        assert_int_equal(block.words[A], a);
        assert_int_equal(block.words[B], b);
        assert_int_equal(launch.local_argument_bytes, bytes);
        assert_int_equal(launch.group_count[1], 6);
        assert_int_equal(launch.local_size[2], 2);
    }
}

static void local_arguments_lie_behind_the_variables(const struct geo_backend_ops *ops)
{
    struct fixture fixture;
    fixture_open(&fixture, ops);
    struct geo_backend_program *program = program_load(&fixture);
    const struct geo_backend_kernel *kernel = ops->program->kernel(program, LOCAL_KERNEL);
    const uint64_t none[ARGUMENTS] = {0}, small[ARGUMENTS] = {0, 1, 8};
    const uint64_t large[ARGUMENTS] = {0, 129, 300};
    assert_int_equal(ops->program->argument_bytes(kernel), ARGUMENTS * sizeof(uint64_t));
    assert_int_equal(ops->program->local_bytes(kernel, none), 256);
    assert_int_equal(ops->program->local_bytes(kernel, small), 256 + 128 + 128);
    assert_int_equal(ops->program->local_bytes(kernel, large), 256 + 256 + 384);
    expect_locals(&fixture, kernel, none, 256, 256, 0);
    expect_locals(&fixture, kernel, small, 256, 256 + 128, 256);
    expect_locals(&fixture, kernel, large, 256, 256 + 256, 256 + 384);
    ops->program->unload(program);
}

static void the_cpu_encodes_local_arguments(void **state)
{
    (void)state;
    local_arguments_lie_behind_the_variables(&geo_backend_cpu_ops);
}

static void the_null_device_encodes_local_arguments(void **state)
{
    (void)state;
    local_arguments_lie_behind_the_variables(&geo_backend_null_ops);
}

/* ---- groups that wait for each other ---- */

static uint32_t groups_of(const struct fixture *fixture, const struct geo_backend_kernel *kernel,
                          uint32_t size)
{
    const uint32_t group_size[3] = {size, 1, 1};
    const uint64_t sizes[ARGUMENTS] = {0};
    return fixture->ops->program->cooperative_groups(fixture->device, kernel, group_size, sizes);
}

/* KRN-11 */
static void groups_that_wait_need_a_worker_each(void **state)
{
    (void)state;
    struct fixture fixture;
    struct test_kernel kernel;
    fixture_open(&fixture, &geo_backend_cpu_ops);
    kernel_init(&kernel, NULL);
    struct geo_device_info before = fixture.device->info;
    fixture.device->info.eus_per_subslice = 5;
    assert_int_equal(groups_of(&fixture, &kernel.kernel, 1), 5);
    kernel.kernel.flags = GEO_KERNEL_DEVICE_BARRIER | GEO_KERNEL_WAITS;
    assert_int_equal(groups_of(&fixture, &kernel.kernel, 1), 5);
    fixture.device->info.eus_per_subslice = 1000; /* more than a job has participants */
    assert_int_equal(groups_of(&fixture, &kernel.kernel, 1), 256);
    fixture.device->info = before;
}

/* KRN-11 */
static void groups_that_meet_need_memory_each(void **state)
{
    (void)state;
    struct fixture fixture;
    struct test_kernel kernel;
    fixture_open(&fixture, &geo_backend_cpu_ops);
    kernel_init(&kernel, NULL);
    kernel.kernel.flags = GEO_KERNEL_DEVICE_BARRIER;
    assert_int_equal(groups_of(&fixture, &kernel.kernel, 1), 65536); /* no memory: the most */
    kernel.kernel.needs.chunk_bytes = UINT64_C(1) << 20;
    assert_int_equal(groups_of(&fixture, &kernel.kernel, 1), 1024);
    assert_int_equal(groups_of(&fixture, &kernel.kernel, 1024), 1);
    kernel.kernel.needs.chunk_bytes = UINT64_C(1) << 32; /* more than one group may have */
    assert_int_equal(groups_of(&fixture, &kernel.kernel, 1), 1);
    kernel.kernel.needs.chunk_bytes = UINT64_MAX & ~UINT64_C(127);
    assert_int_equal(groups_of(&fixture, &kernel.kernel, 1024), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cpu_encodes_local_arguments),
        cmocka_unit_test(the_null_device_encodes_local_arguments),
        cmocka_unit_test(groups_that_wait_need_a_worker_each),
        cmocka_unit_test(groups_that_meet_need_memory_each),
    };
    return cmocka_run_group_tests_name("arguments", tests, group_setup, group_teardown);
}
