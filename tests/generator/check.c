/* One program: expected memory from the interpreter, actual memory from the device, compared leaf
 * by leaf (padding is not looked at). See check.h. */
#include "check.h"

#include "evaluate.h"
#include "limit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 60, MAX_PARAMETERS = 64 };

static bool memory_create(const struct gen_program *program, uint8_t **memory)
{
    const struct gen_function *kernel = gen_kernel(program);
    for (uint32_t i = 0; i < kernel->parameters.count; i++) {
        const struct gen_variable *parameter = kernel->parameters.items[i];
        if (parameter->role != GEN_BUFFER) {
            continue;
        }
        size_t bytes = gen_buffer_bytes(program, parameter);
        memory[i] = aligned_alloc(128, (bytes + 127) & ~(size_t)127);
        if (!memory[i]) {
            return false;
        }
        gen_buffer_fill(program, parameter, memory[i]);
    }
    return true;
}

static void memory_destroy(uint8_t **memory)
{
    for (uint32_t i = 0; i < MAX_PARAMETERS; i++) {
        free(memory[i]);
    }
}

static bool memory_equal(const struct gen_program *program, uint8_t *const *expected,
                         uint8_t *const *actual, const char *what, char *text)
{
    const struct gen_function *kernel = gen_kernel(program);
    for (uint32_t i = 0; i < kernel->parameters.count; i++) {
        const struct gen_variable *buffer = kernel->parameters.items[i];
        size_t bytes = buffer->role == GEN_BUFFER ? gen_buffer_bytes(program, buffer) : 0;
        if (bytes == 0 || memcmp(expected[i], actual[i], bytes) == 0) {
            continue;
        }
        for (uint32_t e = 0; e < buffer->length; e++) {
            for (uint32_t l = 0; l < buffer->type->leaves; l++) {
                uint32_t offset;
                const struct gen_type *leaf = gen_type_leaf(buffer->type, l, &offset);
                size_t at = (size_t)e * buffer->type->size + offset;
                uint64_t want = 0, have = 0;
                memcpy(&want, expected[i] + at, leaf->size);
                memcpy(&have, actual[i] + at, leaf->size);
                if (want != have) {
                    snprintf(text, GEN_TEXT, "v%u[%u] leaf %u: 0x%llx expected, %s gives 0x%llx",
                             buffer->number, e, l, (unsigned long long)want, what,
                             (unsigned long long)have);
                    return false;
                }
            }
        }
    }
    return true;
}

enum gen_verdict gen_check(const struct gen_device *device, const struct gen_program *program,
                           uint32_t lanes, char *text)
{
    uint8_t *expected[MAX_PARAMETERS] = {NULL}, *actual[MAX_PARAMETERS] = {NULL};
    enum gen_verdict verdict = GEN_INVALID;
    bool skipped = false;
    if ((program->subgroup_size && !device->has_subgroups) ||
        (program->collectives && !device->has_collectives) ||
        (program->halves && !device->has_halves) || (program->modes && !device->has_modes) ||
        (program->spaces && !device->has_spaces) || (program->far && !device->has_far) ||
        (program->returns && !device->has_returns)) {
        return GEN_LEFT_OUT;
    }
    if (!memory_create(program, expected) || !memory_create(program, actual)) {
        snprintf(text, GEN_TEXT, "out of memory");
    } else if (gen_interpret(program, expected, GEN_FORWARD, text, GEN_TEXT)) {
        verdict = GEN_PASSED;
        if (!device->run) {
            /* The interpreter against itself in another order: finds races. */
            if (!gen_interpret(program, actual, GEN_BACKWARD, text, GEN_TEXT)) {
                verdict = GEN_INVALID;
            }
        } else if (!device->run(program, lanes, actual, &skipped, text, GEN_TEXT)) {
            verdict = GEN_FAILED;
        }
        if (verdict == GEN_PASSED && !skipped &&
            !memory_equal(program, expected, actual, device->name, text)) {
            verdict = GEN_FAILED;
        }
    }
    memory_destroy(expected);
    memory_destroy(actual);
    if (verdict == GEN_PASSED && !skipped && device->also) {
        return gen_check(device->also, program, device->also_lanes, text);
    }
    return skipped ? GEN_SKIPPED : verdict;
}

bool gen_device_open(const struct gen_device *device, char *text)
{
    return (!device->open || device->open(text, GEN_TEXT)) &&
           (!device->also || gen_device_open(device->also, text));
}

void gen_device_close(const struct gen_device *device)
{
    if (device->also) {
        gen_device_close(device->also);
    }
    if (device->close) {
        device->close();
    }
}

static void run_child(const struct gen_device *device, const struct gen_program *program,
                      uint32_t lanes, char *shared)
{
    enum gen_verdict verdict = GEN_FAILED;
    limit_work(SECONDS);
    if (gen_device_open(device, shared)) {
        verdict = gen_check(device, program, lanes, shared);
    }
    _exit((int)verdict);
}

enum gen_verdict gen_check_isolated(const struct gen_device *device,
                                    const struct gen_program *program, uint32_t lanes, char *text)
{
    char *shared = mmap(NULL, GEN_TEXT, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status = 0;
    if (shared == MAP_FAILED) {
        return GEN_INVALID;
    }
    pid_t child = fork();
    if (child == 0) {
        run_child(device, program, lanes, shared);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        munmap(shared, GEN_TEXT);
        return GEN_INVALID;
    }
    enum gen_verdict verdict = GEN_FAILED;
    if (WIFEXITED(status) && WEXITSTATUS(status) <= GEN_LEFT_OUT) {
        verdict = (enum gen_verdict)WEXITSTATUS(status);
    } else if (WIFSIGNALED(status)) {
        const char *limit = limit_name(WTERMSIG(status));
        snprintf(shared, GEN_TEXT, "killed by signal %d (%s)", WTERMSIG(status),
                 limit ? limit : "crash");
    } else {
        snprintf(shared, GEN_TEXT, "the process ended with %d", WEXITSTATUS(status));
    }
    snprintf(text, GEN_TEXT, "%s", shared);
    munmap(shared, GEN_TEXT);
    return verdict;
}
