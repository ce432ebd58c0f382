/* Shared parts of the tests of debugging. See debug.h. */
#include "debug.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

ze_driver_handle_t driver;
ze_device_handle_t device;
struct debugged child;
zet_debug_session_handle_t session;

int group_setup(void **state)
{
    uint32_t one = 1;
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    assert_success(zeInit(0));
    assert_success(zeDriverGet(&one, &driver));
    one = 1;
    assert_success(zeDeviceGet(driver, &one, &device));
    return 0;
}

/* ---- the process ---- */

void child_start(const char *const variables[])
{
    int to[2], from[2];
    assert_int_equal(pipe2(to, O_CLOEXEC), 0);
    assert_int_equal(pipe2(from, O_CLOEXEC), 0);
    child.pid = fork();
    assert_true(child.pid >= 0);
    if (child.pid == 0) {
        dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), 1);
        dup2(to[0], 0);
        dup2(from[1], 3);
        (void)fcntl(3, F_SETFD, 0); /* they may be one descriptor */
        for (; *variables; variables++) {
            putenv((char *)(uintptr_t)*variables);
        }
        execl(DEBUGGED, DEBUGGED, (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    child.to = to[1];
    child.from = from[0];
}

void child_end(void)
{
    if (child.pid > 0) {
        kill(child.pid, SIGKILL);
        waitpid(child.pid, NULL, 0);
        close(child.to);
        close(child.from);
    }
    child = (struct debugged){.pid = 0};
}

void child_swap(struct debugged *other)
{
    const struct debugged was = child;
    child = *other;
    *other = was;
}

void say(const char *format, ...)
{
    char line[2048];
    va_list values;
    va_start(values, format);
    int length = vsnprintf(line, sizeof(line) - 1, format, values);
    va_end(values);
    assert_true(length > 0 && (size_t)length < sizeof(line) - 1);
    line[length++] = '\n';
    assert_int_equal(write(child.to, line, (size_t)length), length);
}

const char *hear(void)
{
    static char line[2048];
    size_t length = 0;
    do {
        struct pollfd fd = {.fd = child.from, .events = POLLIN};
        assert_int_equal(poll(&fd, 1, (int)patience_s() * 1000), 1);
        assert_int_equal(read(child.from, &line[length], 1), 1);
    } while (line[length++] != '\n' && length < sizeof(line));
    line[length - 1] = '\0';
    return line;
}

const char *ask(const char *format, ...)
{
    char line[2048];
    va_list values;
    va_start(values, format);
    vsnprintf(line, sizeof(line), format, values);
    va_end(values);
    say("%s", line);
    return hear();
}

uint64_t word(uint32_t index)
{
    return strtoull(ask("get %u", index), NULL, 10);
}

void word_leaves(uint32_t index, uint64_t value)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    for (uint64_t i = 0; word(index) == value; i++) {
        assert_true(i < patience_s() * UINT64_C(1000));
        nanosleep(&nap, NULL);
    }
}

static const char *const debuggable[] = {"ZET_ENABLE_PROGRAM_DEBUGGING=1", NULL};

int child_setup(void **state)
{
    (void)state;
    child_start(debuggable);
    child.words = strtoull(ask("init"), NULL, 10);
    assert_true(child.words != 0);
    return 0;
}

int session_setup(void **state)
{
    child_setup(state);
    attach();
    return 0;
}

int child_teardown(void **state)
{
    (void)state;
    if (session) {
        assert_success(zetDebugDetach(session));
        session = NULL;
    }
    child_end();
    return 0;
}

/* ---- the session ---- */

void attach(void)
{
    const zet_debug_config_t config = {.pid = (uint32_t)child.pid};
    assert_success(zetDebugAttach(device, &config, &session));
    assert_non_null(session);
}

zet_debug_event_t event_await(zet_debug_event_type_t type)
{
    zet_debug_event_t event;
    memset(&event, 0xa5, sizeof(event));
    assert_success(zetDebugReadEvent(session, patience_s() * UINT64_C(1000), &event));
    assert_int_equal(event.type, type);
    return event;
}

void event_none(void)
{
    zet_debug_event_t event;
    assert_result(zetDebugReadEvent(session, 0, &event), NOT_READY);
}

const char *fixture(const char *name)
{
    static char path[1024];
    snprintf(path, sizeof(path), "%s/%s", FIXTURES, name);
    return path;
}

bool answer_is_there(void)
{
    struct pollfd fd = {.fd = child.from, .events = POLLIN};
    return poll(&fd, 1, 0) == 1;
}

zet_debug_event_t loads(const char *format, ...)
{
    char line[2048];
    zet_debug_event_t event, last = {.type = ZET_DEBUG_EVENT_TYPE_INVALID};
    va_list values;
    va_start(values, format);
    vsnprintf(line, sizeof(line), format, values);
    va_end(values);
    say("%s", line);
    while (!answer_is_there()) {
        if (zetDebugReadEvent(session, 1, &event) == ZE_RESULT_SUCCESS) {
            assert_int_equal(event.type, ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
            assert_int_equal(event.flags, ZET_DEBUG_EVENT_FLAG_NEED_ACK);
            assert_success(zetDebugAcknowledgeEvent(session, &event));
            last = event;
        }
    }
    assert_string_equal(hear(), "ok");
    return last;
}

zet_debug_event_t module_load(const char *path)
{
    const zet_debug_event_t event = loads("module %s", path);
    assert_int_equal(event.type, ZET_DEBUG_EVENT_TYPE_MODULE_LOAD);
    return event;
}

ze_device_thread_t stop_one(void)
{
    assert_success(zetDebugInterrupt(session, ALL_THREADS));
    zet_debug_event_t event = event_await(ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED);
    const ze_device_thread_t first = event.info.thread.thread;
    assert_true(first.slice != UINT32_MAX);
    while (event.info.thread.thread.slice != UINT32_MAX) {
        event = event_await(ZET_DEBUG_EVENT_TYPE_THREAD_STOPPED);
    }
    return first;
}

static const zet_debug_memory_space_desc_t *at(uint64_t address)
{
    static zet_debug_memory_space_desc_t desc;
    desc = (zet_debug_memory_space_desc_t){.stype = ZET_STRUCTURE_TYPE_DEBUG_MEMORY_SPACE_DESC,
                                           .type = ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT,
                                           .address = address};
    return &desc;
}

uint64_t memory_word(uint64_t address)
{
    uint64_t value = 0;
    assert_success(zetDebugReadMemory(session, ALL_THREADS, at(address), sizeof(value), &value));
    return value;
}

void memory_set_word(uint64_t address, uint64_t value)
{
    assert_success(zetDebugWriteMemory(session, ALL_THREADS, at(address), sizeof(value), &value));
}

uint64_t register_get(ze_device_thread_t thread, uint32_t type, uint32_t number)
{
    uint64_t value = 0;
    assert_success(zetDebugReadRegisters(session, thread, type, number, 1, &value));
    return value;
}

void register_set(ze_device_thread_t thread, uint32_t type, uint32_t number, uint64_t value)
{
    assert_success(zetDebugWriteRegisters(session, thread, type, number, 1, &value));
}
