/* Properties, and which debuggers can attach to which processes. */
#include "debug.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static const char *const on[] = {"ZET_ENABLE_PROGRAM_DEBUGGING=1", NULL};
static const char *const off[] = {"ZET_ENABLE_PROGRAM_DEBUGGING=0", NULL};

static ze_result_t try_attach(pid_t pid)
{
    const zet_debug_config_t config = {.pid = (uint32_t)pid};
    return zetDebugAttach(device, &config, &session);
}

/* Checks a failed attach, which leaves the handle alone. */
static void assert_refused(pid_t pid, ze_result_t result)
{
    zet_debug_session_handle_t before = session;
    assert_int_equal((unsigned)try_attach(pid), (unsigned)result);
    assert_ptr_equal(session, before);
}

static const char *last_error(void)
{
    const char *text = NULL;
    assert_success(zeDriverGetLastErrorDescription(driver, &text));
    return text;
}

/* DBG-2 The flag tells that a debugger can attach. */
static void the_flag_of_a_device_says_that_debuggers_can_attach(void **state)
{
    zet_device_debug_properties_t properties = {.stype = ZET_STRUCTURE_TYPE_DEVICE_DEBUG_PROPERTIES,
                                                .flags = 0x7fffff00u};
    (void)state;
    assert_success(zetDeviceGetDebugProperties(device, &properties));
    assert_int_equal(properties.flags, ZET_DEVICE_DEBUG_PROPERTY_FLAG_ATTACH);
}

/* DBG-3 A process that did not opt in, that does not exist, and the debugger itself. */
static void processes_that_did_not_opt_in_are_refused(void **state)
{
    (void)state;
    child_start(off);
    ask("init");
    assert_refused(child.pid, ZE_RESULT_ERROR_NOT_AVAILABLE);
    assert_non_null(strstr(last_error(), "ZET_ENABLE_PROGRAM_DEBUGGING=1"));
    const pid_t gone = child.pid;
    child_end();
    assert_refused(gone, ZE_RESULT_ERROR_NOT_AVAILABLE);
    assert_refused(0, ZE_RESULT_ERROR_NOT_AVAILABLE);
    assert_refused((pid_t)UINT32_MAX, ZE_RESULT_ERROR_NOT_AVAILABLE);
    assert_refused(getpid(), ZE_RESULT_ERROR_NOT_AVAILABLE);
    assert_non_null(strstr(last_error(), "GEOID_DEBUG_SELF=1"));
}

/* ENV-24 DBG-3 The variable of the process switches debugging on. */
static void a_process_that_opted_in_is_debugged(void **state)
{
    (void)state;
    child_start(on);
    ask("init");
    assert_success(try_attach(child.pid));
    assert_non_null(session);
}

/* An attach by another thread. */
struct attach {
    pthread_t thread;
    pid_t pid;
    _Atomic pid_t number; /* of the thread; 0: it has not begun */
    _Atomic bool ended;
    ze_result_t result;
};

static void *attach_main(void *argument)
{
    struct attach *attach = argument;
    atomic_store(&attach->number, (pid_t)syscall(SYS_gettid));
    attach->result = try_attach(attach->pid);
    atomic_store(&attach->ended, true);
    return NULL;
}

/* Returns whether a thread of this process sleeps. */
static bool is_asleep(pid_t number)
{
    char path[64], text[512] = "";
    (void)snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)number);
    FILE *file = fopen(path, "r");
    if (!file) {
        return false; /* the thread has ended */
    }
    size_t length = fread(text, 1, sizeof(text) - 1, file);
    (void)fclose(file);
    text[length] = 0;
    const char *behind = strrchr(text, ')');
    return behind && strncmp(behind, ") S", 3) == 0;
}

/* The process calls zeInit when the debugger waits. */
static void a_process_that_is_starting_is_awaited(void **state)
{
    (void)state;
    child_start(on);
    struct attach attach = {.pid = child.pid};
    assert_int_equal(pthread_create(&attach.thread, NULL, attach_main, &attach), 0);
    while (!atomic_load(&attach.ended) &&
           !(atomic_load(&attach.number) && is_asleep(atomic_load(&attach.number)))) {
        sched_yield();
    }
    say("init");
    pthread_join(attach.thread, NULL);
    assert_success(attach.result);
    assert_true(hear()[0] != '0');
}

/* DBG-1 DBG-3 One debugger at a time; after it, the next. Another process is another session. */
static void a_device_of_a_process_has_one_debugger(void **state)
{
    struct debugged other = {.pid = 0};
    zet_debug_session_handle_t second = NULL;
    zet_debug_config_t config;
    (void)state;
    child_setup(NULL);
    assert_success(try_attach(child.pid));
    assert_refused(child.pid, ZE_RESULT_ERROR_NOT_AVAILABLE);
    child_swap(&other);
    child_setup(NULL);
    config.pid = (uint32_t)child.pid;
    assert_success(zetDebugAttach(device, &config, &second));
    assert_success(zetDebugDetach(second));
    child_end();
    child_swap(&other);
    assert_success(zetDebugDetach(session));
    session = NULL;
    assert_success(try_attach(child.pid));
}

/* DBG-3 A process of another user. */
static void processes_of_other_users_are_refused(void **state)
{
    struct debugged other = {.pid = 0};
    char refused[16];
    (void)state;
    if (geteuid() != 0) {
        skip();
    }
    snprintf(refused, sizeof(refused), "0x%x", (unsigned)ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS);
    child_setup(NULL);
    const pid_t debugged = child.pid;
    child_swap(&other);
    child_start(off);
    assert_string_equal(ask("user 65534"), "1");
    ask("init");
    assert_string_equal(ask("attach %d", (int)debugged), refused);
    child_end();
    child_swap(&other);
    assert_success(try_attach(child.pid));
}

static int raw_connect(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int length =
        snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "geoid-debug-1-%d", (int)child.pid);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(
        connect(fd, (const struct sockaddr *)&name,
                (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length)),
        0);
    return fd;
}

/* Garbage on the socket ends that connection, and nothing else. */
static void garbage_ends_its_connection_only(void **state)
{
    uint8_t bytes[4096];
    (void)state;
    child_setup(NULL);
    for (size_t size = 1; size <= sizeof(bytes); size *= 4) {
        for (int fill = 0; fill < 256; fill += 51) {
            int fd = raw_connect();
            memset(bytes, fill, sizeof(bytes));
            assert_int_equal(send(fd, bytes, size, MSG_NOSIGNAL), size);
            assert_int_equal(recv(fd, bytes, sizeof(bytes), 0), 0); /* it is closed */
            close(fd);
        }
    }
    assert_string_equal(ask("ping"), "ok");
    assert_success(try_attach(child.pid));
}

/* Connects as another user, and waits until the connection is closed. Returns whether a connection
 * of this user that was made before is still open: a silent one is closed after some seconds. */
static bool other_user_is_closed_first(void)
{
    uint8_t byte = 0;
    int ours = raw_connect();
    assert_int_equal(seteuid(65534), 0);
    int fd = raw_connect();
    assert_int_equal(seteuid(0), 0);
    assert_int_equal(recv(fd, &byte, 1, 0), 0);
    const bool open = recv(ours, &byte, 1, MSG_DONTWAIT) < 0;
    close(fd);
    close(ours);
    return open;
}

/* A process of another user connects to the socket, as it may: it gets no answer. */
static void connections_of_other_users_are_closed(void **state)
{
    (void)state;
    if (geteuid() != 0) {
        skip();
    }
    child_setup(NULL);
    bool closed = false;
    for (int i = 0; i < 3 && !closed; i++) { /* the machine may be busy for seconds */
        closed = other_user_is_closed_first();
    }
    assert_true(closed);
}

/* A debugger that connects and says nothing does not keep others away. */
static void a_silent_connection_keeps_nobody_away(void **state)
{
    int fds[64];
    (void)state;
    child_setup(NULL);
    for (int i = 0; i < 4; i++) {
        fds[i] = raw_connect();
    }
    assert_success(try_attach(child.pid));
    for (int i = 0; i < 4; i++) {
        close(fds[i]);
    }
}

/* The first queue waits for a debugger. */
static void the_first_queue_waits_for_a_debugger(void **state)
{
    static const char *const waits[] = {"ZET_ENABLE_PROGRAM_DEBUGGING=1", "GEOID_DEBUG_WAIT=600",
                                        NULL};
    (void)state;
    child_start(waits);
    ask("init");
    say("queue 0");
    assert_success(try_attach(child.pid));
    event_await(ZET_DEBUG_EVENT_TYPE_PROCESS_ENTRY);
    assert_string_equal(hear(), "ok");
}

#define TEST(function) cmocka_unit_test_teardown(function, child_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_flag_of_a_device_says_that_debuggers_can_attach),
        TEST(processes_that_did_not_opt_in_are_refused),
        TEST(a_process_that_opted_in_is_debugged),
        TEST(a_process_that_is_starting_is_awaited),
        TEST(a_device_of_a_process_has_one_debugger),
        TEST(processes_of_other_users_are_refused),
        TEST(garbage_ends_its_connection_only),
        TEST(connections_of_other_users_are_closed),
        TEST(a_silent_connection_keeps_nobody_away),
        TEST(the_first_queue_waits_for_a_debugger),
    };
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
