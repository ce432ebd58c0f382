/* A main thread that ends by pthread_exit beside threads of ours, whose beginning the test holds
 * back. Each case runs in a process of its own. */
#include "apart.h"

#include "exec/thread/thread.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

enum { PATIENCE_S = 60 };

#if !defined(GEOID_SANITIZED) /* sanitizers have a pthread_create of their own */
/* ---- threads that begin when the main thread has ended ---- */

static _Atomic bool held_back;

struct held {
    void *(*main)(void *);
    void *argument;
};

static bool main_has_ended(void)
{
    char text[256];
    snprintf(text, sizeof(text), "/proc/self/task/%d/stat", (int)getpid());
    const int fd = open(text, O_RDONLY);
    NEED(fd >= 0);
    const ssize_t length = read(fd, text, sizeof(text) - 1);
    close(fd);
    text[length > 0 ? length : 0] = '\0';
    const char *state = strrchr(text, ')');
    return state && strncmp(state, ") Z", 3) == 0;
}

static void *begin_late(void *data)
{
    const struct held held = *(struct held *)data;
    free(data);
    while (!main_has_ended()) {
        usleep(1000);
    }
    return held.main(held.argument);
}

int pthread_create(pthread_t *restrict thread, const pthread_attr_t *restrict attributes,
                   void *(*main)(void *), void *restrict argument)
{
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!real) {
        void *symbol = dlsym(RTLD_NEXT, "pthread_create");
        memcpy(&real, &symbol, sizeof(real));
    }
    if (!held_back) {
        return real(thread, attributes, main, argument);
    }
    struct held *held = malloc(sizeof(*held));
    NEED(held);
    *held = (struct held){.main = main, .argument = argument};
    return real(thread, attributes, begin_late, held);
}
#endif

/* ---- the cases ---- */

static void *sleep_for_ever(void *unused)
{
    for (;;) {
        pause();
    }
    return unused;
}

static void child_run(void)
{
#if !defined(GEOID_SANITIZED)
    held_back = true;
#endif
    NEED(geo_exec_thread_start(sleep_for_ever, NULL));
    pthread_exit(NULL);
}

/* Returns how the child ended; one that does not is killed. */
static int child_status(void)
{
    int status = -1;
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        child_run();
    }
    for (int i = 0; waitpid(child, &status, WNOHANG) == 0; i++) {
        if (i == PATIENCE_S * 100) {
            kill(child, SIGKILL);
        }
        usleep(10000);
    }
    return status;
}

static void a_thread_that_has_not_begun_keeps_no_process(void **state)
{
    (void)state;
#ifdef GEOID_SANITIZED
    skip(); /* its pthread_create comes before the one of this file */
#endif
    assert_int_equal(child_status(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_that_has_not_begun_keeps_no_process),
    };
    return cmocka_run_group_tests_name("threads of the runtime", tests, NULL, NULL);
}
