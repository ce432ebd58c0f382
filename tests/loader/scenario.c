/* Tests of the loader in child processes: running scenarios. See scenario.h. */
#include "scenario.h"

#include <geoid/loader.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// cmocka wants these first
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#define TIME_LIMIT_MS 600000

extern char **environ;

static const char *program; /* of this process */

void scenario_program(const char *path)
{
    program = path ? path : "/proc/self/exe";
}

void scenario_main(int argc, char **argv, const struct scenario *scenarios, size_t count)
{
    scenario_program(NULL);
    if (argc < 3 || strcmp(argv[1], "--scenario") != 0) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (strcmp(scenarios[i].name, argv[2]) == 0) {
            scenarios[i].run();
            exit(0);
        }
    }
    fprintf(stderr, "no scenario %s\n", argv[2]);
    exit(98);
}

/* Copies a value with every "{x}" replaced by the path of fake driver x. */
static char *value_expand(const char *value)
{
    size_t room = strlen(value) + 1;
    for (const char *at = value; (at = strchr(at, '{')); at++) {
        room += strlen(FAKE_FOLDER) + 16;
    }
    char *text = calloc(1, room), *out = text;
    while (text && *value) {
        const char *end = *value == '{' ? strchr(value, '}') : NULL;
        if (end) {
            out += sprintf(out, FAKE_FOLDER "/libfake_%.*s.so", (int)(end - value - 1), value + 1);
            value = end + 1;
        } else {
            *out++ = *value++;
        }
    }
    return text;
}

void scenario_setenv(const char *name, const char *value)
{
    char *text = value_expand(value);
    setenv(name, text, 1);
    free(text);
}

static bool is_ours(const char *variable)
{
    static const char *const prefixes[] = {"ZE_",       "ZES_",         "ZET_",
                                           "ZEL_",      "NEO_",         "FAKE_",
                                           "GEOID_LOG", "GEOID_DRIVER", "GEOID_DEVICE_TYPE"};
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0) {
            return true;
        }
    }
    return false;
}

static char **environment_make(va_list variables)
{
    size_t count = 0, used = 0;
    while (environ[count]) {
        count++;
    }
    char **list = calloc(count + 32, sizeof(*list));
    assert_non_null(list);
    const char *variable;
    while ((variable = va_arg(variables, const char *))) { /* the first of a name counts */
        list[used++] = value_expand(variable);
    }
    for (size_t i = 0; i < count; i++) {
        if (!is_ours(environ[i])) {
            list[used++] = strdup(environ[i]);
        }
    }
    return list;
}

static long now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Collects the output until the child closed it or the time is up. */
static void output_read(struct scenario_outcome *outcome, int fd, pid_t child)
{
    size_t length = 0;
    long limit = now_ms() + TIME_LIMIT_MS;
    for (;;) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        long left = limit - now_ms();
        if (left <= 0 || poll(&wait, 1, (int)left) == 0) {
            outcome->timed_out = true;
            kill(child, SIGKILL);
            return;
        }
        char buffer[4096];
        ssize_t bytes = read(fd, buffer, sizeof(buffer));
        if (bytes <= 0) {
            return;
        }
        size_t room = sizeof(outcome->output) - 1 - length;
        size_t kept = (size_t)bytes < room ? (size_t)bytes : room;
        memcpy(outcome->output + length, buffer, kept);
        length += kept;
        outcome->output[length] = '\0';
    }
}

static void scenario_start(struct scenario_outcome *outcome, const char *name, va_list variables)
{
    int pipes[2];
    *outcome = (struct scenario_outcome){.exit_code = -1};
    char **list = environment_make(variables);
    assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(pipes[1], STDOUT_FILENO);
        dup2(pipes[1], STDERR_FILENO);
        char *arguments[] = {(char *)(uintptr_t)"scenario", (char *)(uintptr_t)"--scenario",
                             (char *)(uintptr_t)name, NULL};
        execve(program, arguments, list);
        _exit(97);
    }
    close(pipes[1]);
    output_read(outcome, pipes[0], child);
    close(pipes[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    outcome->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    outcome->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    for (size_t i = 0; list[i]; i++) {
        free(list[i]);
    }
    free(list);
}

void scenario_run(struct scenario_outcome *outcome, const char *name, ...)
{
    va_list variables;
    va_start(variables, name);
    scenario_start(outcome, name, variables);
    va_end(variables);
}

void scenario_passes(const char *name, ...)
{
    struct scenario_outcome outcome;
    va_list variables;
    va_start(variables, name);
    scenario_start(&outcome, name, variables);
    va_end(variables);
    if (outcome.exit_code != 0) {
        fail_msg("scenario %s: exit code %d, signal %d%s\n%s", name, outcome.exit_code,
                 outcome.signal, outcome.timed_out ? ", out of time" : "", outcome.output);
    }
}

void scenario_fail(const char *file, int line, const char *text)
{
    fprintf(stderr, "%s:%d: not so: %s\n", file, line, text);
    fflush(NULL);
    _exit(1);
}

void scenario_fail_result(const char *file, int line, const char *text, ze_result_t result)
{
    fprintf(stderr, "%s:%d: %s gave 0x%x\n", file, line, text, (unsigned)result);
    fflush(NULL);
    _exit(1);
}

static void *fake_open(const char *name)
{
    char path[4096];
    snprintf(path, sizeof(path), FAKE_FOLDER "/libfake_%s.so", name);
    return dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
}

bool fake_is_loaded(const char *name)
{
    void *object = fake_open(name);
    if (object) {
        dlclose(object);
    }
    return object != NULL;
}

struct fake_driver_state *fake_state(const char *name)
{
    void *object = fake_open(name);
    CHECK(object != NULL);
    struct fake_driver_state *state = dlsym(object, "fake_driver_state");
    dlclose(object); /* the loader holds it */
    CHECK(state != NULL);
    return state;
}

const char *explanation_of(const char *name)
{
    static char text[65536];
    size_t size = sizeof(text);
    geoid_pfnLoaderExplain_t explain = /* some programs are not linked with the loader */
        (geoid_pfnLoaderExplain_t)dlsym(RTLD_DEFAULT, "geoidLoaderExplain");
    CHECK(explain);
    CHECK_RESULT(explain(text, &size), ZE_RESULT_SUCCESS);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        const char *tab = strchr(line, '\t');
        char known[64];
        snprintf(known, sizeof(known), "libfake_%s.so", name);
        const char *found = strstr(line, known);
        if ((found && tab && found < tab) || strncmp(line, name, strlen(name)) == 0) {
            return line;
        }
    }
    return "";
}
