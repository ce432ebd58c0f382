/* What kernels ask of their host: printf and assert, called by kernels written in C. Each case runs
 * in a process of its own, whose standard output and error are files. */
#include "support.h"

#include "exec/thread/fault.h"
#include "forks.h"

#include <signal.h>
#include <stdio.h>
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

static int group_setup(void **state)
{
    (void)state;
    fixture_open(&cpu, &geo_backend_cpu_ops);
    return 0;
}

/* ---- a process with its output ---- */

struct apart {
    int status; /* of waitpid */
    char *output, *errors;
    size_t output_length;
};

static char *file_text(FILE *file, size_t *length)
{
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    char *text = calloc(1, *length + 1);
    assert_non_null(text);
    rewind(file);
    assert_int_equal(fread(text, 1, *length, file), *length);
    fclose(file);
    return text;
}

static struct apart run_apart(int (*run)(void))
{
    struct apart apart = {.status = -1};
    FILE *output = tmpfile(), *errors = tmpfile();
    size_t length;
    assert_non_null(output);
    assert_non_null(errors);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        const int signals[] = {SIGSEGV, SIGBUS, SIGABRT};
        for (int i = 0; i < 3; i++) {
            signal(signals[i], SIG_DFL);
        }
        dup2(fileno(output), STDOUT_FILENO);
        dup2(fileno(errors), STDERR_FILENO);
        alarm(2 * patience_s());
        geo_fault_open();
        geo_fault_after_fork(); /* over the defaults just set */
        int result = run();
        fflush(NULL);
        _exit(result);
    }
    waitpid(child, &apart.status, 0);
    apart.output = file_text(output, &apart.output_length);
    apart.errors = file_text(errors, &length);
    return apart;
}

static void apart_free(struct apart *apart)
{
    free(apart->output);
    free(apart->errors);
}

static void expect_exit(const struct apart *apart)
{
    if (!WIFEXITED(apart->status) || WEXITSTATUS(apart->status) != 0) {
        print_error("status 0x%x\n%s", (unsigned)apart->status, apart->errors);
        fail();
    }
}

/* ---- kernels ---- */

static const struct geo_cl_type word_type = {GEO_CL_INTEGER, 4, 1, 0};
static const struct geo_cl_type two_words[] = {{GEO_CL_INTEGER, 4, 1, 0},
                                               {GEO_CL_INTEGER, 4, 1, 0}};

struct arguments {
    const char *format;
    int32_t *result;
    uint64_t value;
    struct geo_cl_type type;
};

/* Prints one value with one format. */
static void one_kernel(const struct geo_launch *launch, struct geo_worker *worker, uint64_t first,
                       uint64_t count)
{
    const struct arguments *arguments = (const struct arguments *)launch->arguments;
    (void)worker, (void)first, (void)count;
    *arguments->result =
        launch->services->print(launch, arguments->format, &arguments->type, 1, &arguments->value);
}

static int32_t print_one(const char *format, struct geo_cl_type type, uint64_t value)
{
    struct test_kernel kernel;
    struct test_batch batch;
    int32_t result = 1;
    const struct arguments arguments = {format, &result, value, type};
    struct geo_backend_stream *stream = stream_open(&cpu);
    kernel_init(&kernel, one_kernel);
    batch_init(&batch);
    batch_add_launch(&batch, &kernel.kernel, 1, &arguments, sizeof(arguments));
    cpu.ops->stream->execute(stream, &batch.batch, (struct geo_event_ref){0});
    cpu.ops->stream->destroy(stream);
    batch_finish(&batch);
    return result;
}

/* Ten lines from each group. */
static void lines_kernel(const struct geo_launch *launch, struct geo_worker *worker, uint64_t first,
                         uint64_t count)
{
    (void)worker;
    for (uint64_t group = first; group < first + count; group++) {
        for (uint64_t line = 0; line < 10; line++) {
            const uint64_t values[] = {group, line};
            launch->services->print(launch, "group %d prints line %d\n", two_words, 2, values);
        }
    }
}

static void lines_print(uint32_t groups)
{
    struct test_kernel kernel;
    struct test_batch batch;
    struct geo_backend_stream *stream = stream_open(&cpu);
    kernel_init(&kernel, lines_kernel);
    batch_init(&batch);
    batch_add_launch(&batch, &kernel.kernel, groups, NULL, 0);
    stream_run_batch(&cpu, stream, &batch);
    cpu.ops->stream->destroy(stream);
    batch_finish(&batch);
}

/* ---- printf ---- */

#define GROUPS 20000u

static int lines_case(void)
{
    lines_print(GROUPS);
    printf("done\n");
    return 0;
}

/* KRN-12, KRN-13: whole lines, all of them, each group's in order, none after the wait. */
static void every_line_arrives_whole(void **state)
{
    (void)state;
    struct apart apart = run_apart(lines_case);
    uint32_t total = 0;
    uint8_t *next = calloc(GROUPS, 1);
    const char *at = apart.output;
    assert_non_null(next);
    expect_exit(&apart);
    for (; strncmp(at, "group ", 6) == 0; total++) {
        char wanted[64];
        uint32_t group = 0;
        for (const char *digit = at + 6; *digit >= '0' && *digit <= '9' && group < GROUPS;) {
            group = group * 10 + (uint32_t)(*digit++ - '0');
        }
        assert_true(group < GROUPS);
        snprintf(wanted, sizeof(wanted), "group %u prints line %u\n", group, next[group]++);
        assert_int_equal(strncmp(at, wanted, strlen(wanted)), 0);
        at += strlen(wanted);
    }
    assert_int_equal(total, GROUPS * 10);
    assert_string_equal(at, "done\n");
    free(next);
    apart_free(&apart);
}

/* A denormal float keeps its value, though the application's thread flushes them. */
static int denormal_case(void)
{
    const struct geo_cl_type single = {GEO_CL_FLOAT, 4, 1, 0};
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(0x9fc0);
#endif
    return print_one("%a\n", single, 1) != 0 || print_one("%g\n", single, 3) != 0;
}

static void denormals_print_their_value(void **state)
{
    (void)state;
    struct apart apart = run_apart(denormal_case);
    expect_exit(&apart);
    assert_string_equal(apart.output, "0x1p-149\n4.2039e-45\n");
    apart_free(&apart);
}

/* Formats and strings anywhere: not mapped, not terminated before what is not mapped, far too
 * long. */
static int wild_case(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), large = 3u << 20;
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *endless = malloc(large);
    const struct geo_cl_type pointer = {GEO_CL_POINTER, 8, 1, 0};
    char *last = pages + page - 5;
    if (pages == MAP_FAILED || !endless || mprotect(pages + page, page, PROT_NONE)) {
        return 1;
    }
    memset(endless, 'x', large - 1);
    endless[large - 1] = '\0';
    memcpy(last, "[%d]\n", 5);
    int failed = print_one(NULL, word_type, 1) != -1;
    failed += print_one((const char *)8, word_type, 1) != -1;
    failed += print_one((const char *)(uintptr_t)0x8000000000000000u, word_type, 1) != -1;
    failed += print_one(last, word_type, 1) != -1; /* no end */
    failed += print_one(endless, word_type, 1) != -1;
    failed += print_one("%s\n", pointer, (uintptr_t)endless) != -1;
    failed += print_one("%.3s\n", pointer, (uintptr_t)endless) != 0;
    failed += print_one("%s\n", pointer, 8) != 0;
    failed += print_one("%s\n", pointer, 0x8000000000000000u) != 0;
    failed += print_one("%s\n", pointer, (uintptr_t)last) != 0;
    failed += print_one("%.5s", pointer, (uintptr_t)last) != 0;
    memcpy(last, "[%d]", 5);
    failed += print_one(last, word_type, 7) != 0;
    free(endless);
    munmap(pages, 2 * page);
    return failed;
}

/* KRN-12 */
static void wild_addresses_do_no_harm(void **state)
{
    (void)state;
    struct apart apart = run_apart(wild_case);
    expect_exit(&apart);
    assert_string_equal(apart.output, "xxx\n(invalid)\n(invalid)\n(invalid)\n[%d]\n[7]");
    apart_free(&apart);
}

static int closed_case(void)
{
    close(STDOUT_FILENO);
    setvbuf(stdout, NULL, _IONBF, 0);
    return print_one("%d\n", word_type, 1) != -1;
}

static void output_that_cannot_be_written_is_an_error(void **state)
{
    (void)state;
    struct apart apart = run_apart(closed_case);
    expect_exit(&apart);
    apart_free(&apart);
}

/* ---- fork and exit ---- */

static _Atomic uint32_t printing;

static void endless_kernel(const struct geo_launch *launch, struct geo_worker *worker,
                           uint64_t first, uint64_t count)
{
    (void)worker, (void)first, (void)count;
    for (uint64_t turn = 0; turn < UINT64_MAX; turn++) {
        launch->services->print(launch, "turn %d\n", &word_type, 1, &turn);
        atomic_store(&printing, 1);
    }
}

/* Two endless printers; never comes back from them. */
static void printers_start(struct test_kernel *kernel, struct test_batch batches[2])
{
    kernel_init(kernel, endless_kernel);
    for (int i = 0; i < 2; i++) {
        struct geo_backend_stream *stream = stream_open(&cpu);
        batch_init(&batches[i]);
        batch_add_launch(&batches[i], &kernel->kernel, 1, NULL, 0);
        cpu.ops->stream->submit(stream, &batches[i].batch, (struct geo_event_ref){0}, NULL);
    }
    wait_for(&printing, 1);
}

static int fork_case(void)
{
    static struct test_kernel kernel;
    static struct test_batch batches[2];
    if (!freopen("/dev/null", "w", stdout)) {
        return 1;
    }
    printers_start(&kernel, batches);
    for (int round = 0; round < 30; round++) {
        int status = -1;
        pid_t child = fork();
        if (child == 0) {
            alarm(patience_s()); /* ends a child that waits for a lock without an owner */
            lines_print(20);
            _exit(fflush(stdout) != 0);
        }
        waitpid(child, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            return 2;
        }
    }
    return 0;
}

static void a_child_of_a_printing_process_prints(void **state)
{
    (void)state;
    if (!forks_beside_threads_work()) {
        skip();
    }
    struct apart apart = run_apart(fork_case);
    expect_exit(&apart);
    apart_free(&apart);
}

static int exit_case(void)
{
    static struct test_kernel kernel;
    static struct test_batch batches[2];
    if (!freopen("/dev/null", "w", stdout)) {
        return 1;
    }
    printers_start(&kernel, batches);
    exit(0);
}

static void a_printing_process_can_exit(void **state)
{
    (void)state;
    struct apart apart = run_apart(exit_case);
    expect_exit(&apart);
    apart_free(&apart);
}

/* ---- assert ---- */

static void assert_kernel(const struct geo_launch *launch, struct geo_worker *worker,
                          uint64_t first, uint64_t count)
{
    (void)worker, (void)count;
    const struct geo_assertion assertion = {
        .expression = (uintptr_t)"x < 3",
        .file = (uintptr_t)"a.cpp",
        .line = 12,
        .function = 8, /* no address of a string */
        .global_id = {first, 2, 3},
        .local_id = {4, 5, UINT64_MAX},
    };
    launch->services->print(launch, "before %d\n", &word_type, 1, &first);
    launch->services->assert_fail(launch, &assertion);
}

static const char message[] = "a.cpp:12: (null): global id: [0,2,3], local id: "
                              "[4,5,18446744073709551615] Assertion `x < 3` failed.\n";

static int assert_case(void)
{
    struct test_kernel kernel;
    struct test_batch batch;
    struct geo_backend_stream *stream = stream_open(&cpu);
    kernel_init(&kernel, assert_kernel);
    batch_init(&batch);
    batch_add_launch(&batch, &kernel.kernel, 1, NULL, 0);
    ze_result_t result = cpu.ops->stream->execute(stream, &batch.batch, (struct geo_event_ref){0});
    cpu.ops->stream->destroy(stream);
    batch_finish(&batch);
    return result != ZE_RESULT_ERROR_DEVICE_LOST;
}

static void a_failed_assertion_aborts(void **state)
{
    (void)state;
    struct apart apart = run_apart(assert_case);
    assert_true(WIFSIGNALED(apart.status));
    assert_int_equal(WTERMSIG(apart.status), SIGABRT);
    assert_string_equal(apart.errors, message);
    assert_string_equal(apart.output, "before 0\n");
    apart_free(&apart);
}

static void a_failed_assertion_can_lose_the_device_instead(void **state)
{
    (void)state;
    setenv("GEOID_ASSERT", "report", 1);
    struct apart apart = run_apart(assert_case);
    unsetenv("GEOID_ASSERT");
    expect_exit(&apart);
    assert_int_equal(strncmp(apart.errors, message, strlen(message)), 0);
    assert_non_null(strstr(apart.errors, "failed assertion"));
    assert_string_equal(apart.output, "before 0\n");
    apart_free(&apart);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_line_arrives_whole),
        cmocka_unit_test(denormals_print_their_value),
        cmocka_unit_test(wild_addresses_do_no_harm),
        cmocka_unit_test(output_that_cannot_be_written_is_an_error),
        cmocka_unit_test(a_child_of_a_printing_process_prints),
        cmocka_unit_test(a_printing_process_can_exit),
        cmocka_unit_test(a_failed_assertion_aborts),
        cmocka_unit_test(a_failed_assertion_can_lose_the_device_instead),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
