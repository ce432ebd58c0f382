/* Programs that call pthread_exit. If the main thread does, the process ends with the last thread
 * of the program, whatever threads the driver has. A host function must not. Each case is a process
 * of its own. */
#include "harness.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 4 << 20, PATIENCE_S = 60 };

static _Atomic int *done; /* what threads of the child did; shared with it */

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

/* Leaves the driver with threads of its own. Returns an idle list. */
static ze_command_list_handle_t driver_use(void)
{
    const ze_context_desc_t context_desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    const ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_command_queue_desc_t list_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                               .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    ze_init_driver_type_desc_t types = {.stype = ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC,
                                        .flags = UINT32_MAX};
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    ze_command_list_handle_t list;
    void *memory;
    uint32_t count = 1;
    MUST(zeInitDrivers(&count, &driver, &types) == ZE_RESULT_SUCCESS);
    count = 1;
    MUST(zeDeviceGet(driver, &count, &device) == ZE_RESULT_SUCCESS);
    MUST(zeContextCreate(driver, &context_desc, &context) == ZE_RESULT_SUCCESS);
    MUST(zeMemAllocDevice(context, &on_device, BYTES, 0, device, &memory) == ZE_RESULT_SUCCESS);
    MUST(zeCommandListCreateImmediate(context, device, &list_desc, &list) == ZE_RESULT_SUCCESS);
    for (int i = 0; i < 20; i++) {
        MUST(zeCommandListAppendMemoryFill(list, memory, "x", 1, BYTES, NULL, 0, NULL) ==
             ZE_RESULT_SUCCESS);
    }
    MUST(zeCommandListHostSynchronize(list, UINT64_MAX) == ZE_RESULT_SUCCESS);
    return list;
}

static void *driver_use_apart(void *unused)
{
    driver_use();
    return unused;
}

/* Has work to do when the main thread has long ended. */
static void *work_on(void *unused)
{
    usleep(700000);
    atomic_fetch_add(done, 1);
    return unused;
}

static void child_main_ends(void)
{
    pthread_t thread;
    driver_use();
    MUST(pthread_create(&thread, NULL, work_on, NULL) == 0);
    pthread_exit(NULL);
}

/* The driver's library is loaded by a thread that ends first. The main thread never calls it. */
static void child_other_thread_begins(void)
{
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, driver_use_apart, NULL) == 0);
    MUST(pthread_join(thread, NULL) == 0);
    MUST(pthread_create(&thread, NULL, work_on, NULL) == 0);
    pthread_exit(NULL);
}

/* The signal finds nobody to take it, for the program's threads block it and are gone. */
static void child_is_terminated(void)
{
    sigset_t term;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    driver_use();
    MUST(pthread_sigmask(SIG_BLOCK, &term, NULL) == 0 && kill(getpid(), SIGTERM) == 0);
    atomic_fetch_add(done, 1);
    pthread_exit(NULL);
}

static void exit_at_once(void *unused)
{
    (void)unused;
    pthread_exit(NULL);
}

static int messages[2]; /* a pipe: what the child writes to standard error */

static void child_host_function_exits(void)
{
    ze_command_list_handle_t list = driver_use();
    MUST(dup2(messages[1], STDERR_FILENO) == STDERR_FILENO);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    MUST(zeCommandListAppendHostFunction(list, exit_at_once, NULL, NULL, NULL, 0, NULL) ==
         ZE_RESULT_SUCCESS);
    (void)zeCommandListHostSynchronize(list, UINT64_MAX);
}

/* Returns how the child ended; one that does not is killed. */
static int in_a_child(void (*run)(void))
{
    int status = -1;
    atomic_store(done, 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        run();
        _exit(1);
    }
    for (int i = 0; waitpid(child, &status, WNOHANG) == 0; i++) {
        if (i == PATIENCE_S * 100) {
            kill(child, SIGKILL);
        }
        usleep(10000);
    }
    return status;
}

static void the_last_thread_of_the_program_ends_it(void **state)
{
    (void)state;
    assert_int_equal(in_a_child(child_main_ends), 0);
    assert_int_equal(atomic_load(done), 1);
    assert_int_equal(in_a_child(child_other_thread_begins), 0);
    assert_int_equal(atomic_load(done), 1);
}

static void a_pending_signal_takes_effect(void **state)
{
    (void)state;
    int status = in_a_child(child_is_terminated);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGTERM);
    assert_int_equal(atomic_load(done), 1);
}

/* Nobody can finish the list, so a wait for it would have no end. */
static void a_host_function_that_exits_ends_the_process(void **state)
{
    char text[1024];
    (void)state;
    assert_int_equal(pipe(messages), 0);
    int status = in_a_child(child_host_function_exits);
    close(messages[1]);
    ssize_t length = read(messages[0], text, sizeof(text) - 1);
    close(messages[0]);
    text[length > 0 ? length : 0] = '\0';
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
    assert_non_null(strstr(text, "called pthread_exit: host functions must return"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_thread_of_the_program_ends_it),
        cmocka_unit_test(a_pending_signal_takes_effect),
        cmocka_unit_test(a_host_function_that_exits_ends_the_process),
    };
    done = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return done == MAP_FAILED ? 1 : cmocka_run_group_tests_name("end", tests, NULL, NULL);
}
