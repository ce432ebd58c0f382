/* Scenarios: functions that run in a process of their own, because what they test happens once per
 * process (initialisation, exit, environment) or ends it.
 *
 * A test program lists its scenarios and calls scenario_main first; its cmocka tests then run them
 * by name. In a scenario, CHECK ends the process with a message. */
#ifndef TESTS_LOADER_SCENARIO_H
#define TESTS_LOADER_SCENARIO_H

#include "fake_driver.h"

#include <level_zero/ze_api.h>

#include <stdbool.h>
#include <stddef.h>

struct scenario {
    const char *name;
    void (*run)(void);
};

struct scenario_outcome {
    int exit_code; /* -1 when it did not exit by itself */
    int signal;    /* 0, or what killed it */
    bool timed_out;
    char output[32768]; /* stdout and stderr, terminated */
};

/* Runs the scenario that the command line names and exits; returns in the test program itself. */
void scenario_main(int argc, char **argv, const struct scenario *scenarios, size_t count);

/* Runs a scenario with the given variables ("NAME=value", ended by NULL) and none of the other
 * variables that loader and drivers read. "{x}" in a value stands for the path of fake driver x. */
void scenario_run(struct scenario_outcome *outcome, const char *name, ...)
    __attribute__((sentinel));

/* The same, and fails the test unless the scenario ended with exit code 0. */
void scenario_passes(const char *name, ...) __attribute__((sentinel));

/* From now on scenarios run in this copy of the test program; NULL: in the program itself. */
void scenario_program(const char *path);

/* In the scenario: sets a variable, with "{x}" as above. */
void scenario_setenv(const char *name, const char *value);

/* The state of a fake driver that is loaded in this process; ends the scenario when it is not. */
struct fake_driver_state *fake_state(const char *name);

/* Whether the fake driver's file is loaded. */
bool fake_is_loaded(const char *name);

/* The loader's explanation of the named fake driver (or other candidate); "" when there is none. */
const char *explanation_of(const char *name);

void scenario_fail(const char *file, int line, const char *text) __attribute__((noreturn));

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            scenario_fail(__FILE__, __LINE__, #condition);                                         \
        }                                                                                          \
    } while (0)

#define CHECK_RESULT(expression, expected)                                                         \
    do {                                                                                           \
        ze_result_t check_result = (expression);                                                   \
        if (check_result != (expected)) {                                                          \
            scenario_fail_result(__FILE__, __LINE__, #expression, check_result);                   \
        }                                                                                          \
    } while (0)

void scenario_fail_result(const char *file, int line, const char *text, ze_result_t result)
    __attribute__((noreturn));

#endif
