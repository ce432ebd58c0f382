/* Helpers of the tests of debugging: they start the debugged process (debugged.c), attach to it,
 * and wait for events. */
#ifndef GEOID_TESTS_DEBUG_DEBUG_H
#define GEOID_TESTS_DEBUG_DEBUG_H

#include "harness/patience.h"

#include <geoid/debug.h>
#include <level_zero/zet_api.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <cmocka.h>

#define ALL_THREADS ((ze_device_thread_t){UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX})

/* The debugged process. */
struct debugged {
    pid_t pid;
    int to, from;
    uint64_t words; /* address of its array */
};

extern ze_driver_handle_t driver;
extern ze_device_handle_t device;
extern struct debugged child;
extern zet_debug_session_handle_t session;

#define assert_result(call, expected)                                                              \
    assert_int_equal((unsigned)(call), (unsigned)ZE_RESULT_##expected)
#define assert_success(call) assert_result(call, SUCCESS)

/* Setup and teardown of groups and tests. */
int group_setup(void **state);
/* Starts the process with debugging on, and makes it call init. */
int child_setup(void **state);
/* The same, and attaches. */
int session_setup(void **state);
int child_teardown(void **state);

/* Starts the process. `variables` is a list of "NAME=value" that ends with NULL. */
void child_start(const char *const variables[]);
void child_end(void);
/* Exchanges the process that the functions below talk to with another one. */
void child_swap(struct debugged *other);
/* Says a command; hears the answer to the oldest one; does both. The text is valid until the next
 * answer. */
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);
const char *hear(void);
__attribute__((format(printf, 1, 2))) const char *ask(const char *format, ...);
/* Returns whether an answer is there. */
bool answer_is_there(void);
/* Returns a word of the array, as the process sees it. */
uint64_t word(uint32_t index);
/* Waits until the word differs from a value. */
void word_leaves(uint32_t index, uint64_t value);

/* Attaches to the process. */
void attach(void);

/* Waits for the next event, which must be of this type. */
zet_debug_event_t event_await(zet_debug_event_type_t type);
/* Checks that no event is waiting. */
void event_none(void);
/* Says a command that may load modules, and acknowledges these. A kernel may be built, and loaded
 * as a module of its own, when it is created. Returns the last event. */
__attribute__((format(printf, 1, 2))) zet_debug_event_t loads(const char *format, ...);
/* The same for a module, which is loaded at once. */
zet_debug_event_t module_load(const char *path);
const char *fixture(const char *name); /* path of a file that the tests were built with */

/* Stops all threads, and returns the first of them. There must be one. */
ze_device_thread_t stop_one(void);

/* Reads and writes memory of all threads. */
uint64_t memory_word(uint64_t address);
void memory_set_word(uint64_t address, uint64_t value);

/* A register of a stopped thread, of a set with 64 bits. */
uint64_t register_get(ze_device_thread_t thread, uint32_t type, uint32_t number);
void register_set(ze_device_thread_t thread, uint32_t type, uint32_t number, uint64_t value);

#endif
