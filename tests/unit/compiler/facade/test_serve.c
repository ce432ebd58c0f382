/* Unit test of the child that builds (facade/serve.c): it answers whatever happens to it, once it
 * is ready it can open nothing, and it goes when nobody is there any more. */
#include "base/assert.h"
#include "compiler/facade/job.h"
#include "compiler/facade/service.h"

#include "order.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Stands for a step of the build that never looks at the clock, or that has a failed assertion. */
static bool endless, wrong;
void __real_geo_job_run(struct geo_job *job);
void __wrap_geo_job_run(struct geo_job *job);
void __wrap_geo_job_run(struct geo_job *job)
{
    volatile bool *forever = &endless;
    geo_job_current = job;
    while (*forever) {
    }
    if (wrong) {
        geo_assert_failed("1 == 2", "step.c", 17, "step");
    }
    __real_geo_job_run(job);
}

struct server {
    pid_t pid;
    int socket;
};

static struct server server_start(void)
{
    struct server server;
    struct geo_message hello;
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    fflush(NULL);
    server.pid = fork();
    assert_true(server.pid >= 0);
    if (server.pid == 0) {
        close(pair[0]);
        _exit(geo_compiler_serve(pair[1]));
    }
    close(pair[1]);
    server.socket = pair[0];
    assert_true(geo_message_receive(server.socket, &hello, NULL));
    assert_int_equal(hello.count, 0);
    return server;
}

static void server_end(struct server *server)
{
    int status;
    close(server->socket);
    assert_int_equal(waitpid(server->pid, &status, 0), server->pid);
    assert_int_equal(status, 0);
}

static void answer_expect(const struct server *server, ze_result_t result, const char *text)
{
    struct geo_message message;
    struct geo_answer answer;
    assert_true(geo_message_receive(server->socket, &message, NULL));
    assert_true(geo_answer_read(&message, &answer));
    assert_int_equal(answer.result, result);
    assert_int_equal(answer.last,
                     result != ZE_RESULT_SUCCESS); /* here, of what crashes or is stopped */
    if (text) {
        assert_non_null(strstr(answer.log, text));
    }
    free(message.bytes);
    geo_answer_finish(&answer);
}

static void it_builds_one_order_after_the_other(void **state)
{
    (void)state;
    struct server server = server_start();
    struct geo_order *order = order_make();
    for (int i = 0; i < 3; i++) {
        assert_true(geo_message_send(server.socket, &order->message, NULL));
        answer_expect(&server, ZE_RESULT_SUCCESS, NULL);
    }
    geo_order_unref(order);
    server_end(&server);
}

static void a_crash_is_an_answer(void **state)
{
    (void)state;
#ifdef GEOID_SANITIZED
    skip(); /* their own handling of what does not return wants to open files */
#endif
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        char text[64];
        struct server server = server_start();
        snprintf(text, sizeof(text), "crashed in no build (): signal %d", signals[i]);
        kill(server.pid, signals[i]);
        answer_expect(&server, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE, text);
        server_end(&server);
    }
}

/* Time is processor time, of which the child alone takes as much as it needs. */
static void a_step_without_end_is_stopped(void **state)
{
    (void)state;
#ifdef GEOID_SANITIZED
    skip(); /* as above */
#endif
    setenv("GEOID_BUILD_TIME", "1", 1);
    struct geo_order *order = order_make();
    unsetenv("GEOID_BUILD_TIME");
    endless = true;
    struct server server = server_start();
    endless = false;
    assert_true(geo_message_send(server.socket, &order->message, NULL));
    answer_expect(&server, ZE_RESULT_ERROR_MODULE_BUILD_FAILURE,
                  "stopped in the beginning (): it took too long: more than 1 s of processor time, "
                  "the limit of GEOID_BUILD_TIME");
    geo_order_unref(order);
    server_end(&server);
}

/* The process ends with SIGABRT, as one does whose standard error is read. */
static void a_failed_assertion_is_an_answer(void **state)
{
    (void)state;
    int status;
    struct geo_order *order = order_make();
    wrong = true;
    struct server server = server_start();
    wrong = false;
    assert_true(geo_message_send(server.socket, &order->message, NULL));
    answer_expect(
        &server, ZE_RESULT_ERROR_UNKNOWN,
        "error: internal: step.c:17: step: an invariant of Geoid does not hold: 1 == 2\n");
    geo_order_unref(order);
    close(server.socket);
    assert_int_equal(waitpid(server.pid, &status, 0), server.pid);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
}

static void what_is_no_order_ends_it(void **state)
{
    (void)state;
    struct server server = server_start();
    struct geo_message none = {.bytes = (uint8_t *)"nonsense", .count = 8};
    assert_true(geo_message_send(server.socket, &none, NULL));
    struct geo_message message;
    assert_false(geo_message_receive(server.socket, &message, NULL));
    server_end(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_builds_one_order_after_the_other),
        cmocka_unit_test(a_crash_is_an_answer),
        cmocka_unit_test(a_step_without_end_is_stopped),
        cmocka_unit_test(a_failed_assertion_is_an_answer),
        cmocka_unit_test(what_is_no_order_ends_it),
    };
    return cmocka_run_group_tests_name("facade_serve", tests, NULL, NULL);
}
