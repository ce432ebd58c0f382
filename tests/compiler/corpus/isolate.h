/* Runs a list of steps in child processes, so that one that crashes or hangs costs only itself: the
 * next child goes on with the step after it. Results come back through shared memory. The parent
 * must not have started any runtime. */
#ifndef GEOID_TESTS_CORPUS_ISOLATE_H
#define GEOID_TESTS_CORPUS_ISOLATE_H

#include <stdbool.h>
#include <stddef.h>

enum isolate_state {
    ISOLATE_PENDING,
    ISOLATE_RUNNING,
    ISOLATE_PASSED,
    ISOLATE_FAILED,
    ISOLATE_SKIPPED
};

enum { ISOLATE_TEXT = 2000 };

struct isolate_result {
    enum isolate_state state;
    char text[ISOLATE_TEXT];
};

/* Each callback runs in a child and returns false with a reason in `text` (ISOLATE_TEXT bytes).
 * `begin` comes first in every child; when it fails, all steps that are left fail with its text. A
 * step may set *skipped. */
struct isolate_ops {
    bool (*begin)(void *context, char *text);
    bool (*step)(void *context, size_t index, char *text, bool *skipped);
    bool (*end)(void *context, char *text);
    unsigned step_seconds; /* processor time of begin, of each step and of end (limit.h); 0: none,
                              and everything runs in this process */
};

/* Writes a reason, cut to ISOLATE_TEXT bytes. */
__attribute__((format(printf, 2, 3))) void isolate_explain(char *text, const char *format, ...);

/* Zeroed results that parent and children share. */
struct isolate_result *isolate_results_create(size_t count);
void isolate_results_destroy(struct isolate_result *results, size_t count);

void isolate_run(const struct isolate_ops *ops, void *context, struct isolate_result *results,
                 size_t count);

#endif
