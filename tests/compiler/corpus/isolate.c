/* Corpus of kernels: a child process for each file, so that a crash costs one case. See
 * isolate.h. */
#include "isolate.h"

#include "limit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

void isolate_explain(char *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, ISOLATE_TEXT, format, arguments);
    va_end(arguments);
}

struct isolate_result *isolate_results_create(size_t count)
{
    void *memory = mmap(NULL, (count + 1) * sizeof(struct isolate_result), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        perror("mmap");
        abort();
    }
    return memory;
}

void isolate_results_destroy(struct isolate_result *results, size_t count)
{
    munmap(results, (count + 1) * sizeof(*results));
}

static void fail(struct isolate_result *result, const char *text)
{
    result->state = ISOLATE_FAILED;
    snprintf(result->text, sizeof(result->text), "%s", text);
}

/* The body of a child: all steps that are pending. Returns false when `end` or `begin` failed. */
static bool work(const struct isolate_ops *ops, void *context, struct isolate_result *results,
                 size_t count)
{
    char text[ISOLATE_TEXT] = "";
    limit_work(ops->step_seconds);
    if (ops->begin && !ops->begin(context, text)) {
        for (size_t i = 0; i < count; i++) {
            if (results[i].state == ISOLATE_PENDING) {
                fail(&results[i], text);
                isolate_explain(text, "could not start, like the step before");
            }
        }
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        if (results[i].state != ISOLATE_PENDING) {
            continue;
        }
        bool skipped = false;
        limit_work(ops->step_seconds);
        text[0] = '\0';
        results[i].state = ISOLATE_RUNNING;
        bool good = ops->step(context, i, text, &skipped);
        snprintf(results[i].text, sizeof(results[i].text), "%s", text);
        results[i].state = skipped ? ISOLATE_SKIPPED : good ? ISOLATE_PASSED : ISOLATE_FAILED;
    }
    limit_work(ops->step_seconds);
    bool good = !ops->end || ops->end(context, text);
    if (!good) {
        fprintf(stderr, "%s\n", text);
    }
    limit_work(0);
    return good;
}

/* Says how a child ended on the step it was in, or on all that are left when it was in none. */
static void blame(struct isolate_result *results, size_t count, int status)
{
    char text[128];
    if (WIFSIGNALED(status)) {
        const char *limit = limit_name(WTERMSIG(status));
        snprintf(text, sizeof(text), "the process died: %s",
                 limit ? limit : strsignal(WTERMSIG(status)));
    } else {
        snprintf(text, sizeof(text), "the process ended with status %d", WEXITSTATUS(status));
    }
    for (size_t i = 0; i < count; i++) {
        if (results[i].state == ISOLATE_RUNNING) {
            fail(&results[i], text);
            return;
        }
    }
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (results[i].state == ISOLATE_PENDING) {
            fail(&results[i], any ? "could not start, like the step before" : text);
            any = true;
        }
    }
    if (!any && count > 0) { /* after the last step: at exit */
        fail(&results[count - 1], text);
    }
}

static bool is_pending(const struct isolate_result *results, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (results[i].state == ISOLATE_PENDING) {
            return true;
        }
    }
    return false;
}

void isolate_run(const struct isolate_ops *ops, void *context, struct isolate_result *results,
                 size_t count)
{
    if (ops->step_seconds == 0) {
        if (is_pending(results, count)) { /* `begin` may take long */
            work(ops, context, results, count);
        }
        return;
    }
    while (is_pending(results, count)) {
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            /* A normal exit: exit handlers of the libraries are part of what is tested. */
            exit(work(ops, context, results, count) ? 0 : 1);
        }
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) < 0) {
            perror("fork");
            abort();
        }
        if (status != 0) {
            blame(results, count, status);
        }
    }
}
