/* Runs the corpus on an NVIDIA GPU, from the files that corpus_ptx has written, and compares the
 * results as corpus_simt does. It needs neither the compiler nor LLVM, so the program, the PTX and
 * the results can be carried to a machine with a GPU:
 *
 *     corpus_gpu PTX_FOLDER RESULT_FOLDER LIST LEVEL [TOPIC [KERNEL]]
 *
 * Without a GPU or its driver the test is skipped. Each module runs in a process of its own, as an
 * error of a kernel ends the use of CUDA in its process. */
#include "corpus_check.h"
#include "cuda.h"
#include "isolate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Bytes before and behind each buffer that must not change. */
enum { GUARD = 256, GUARD_BYTE = 0x5C, SKIPPED = 77 };

/* A line of the file beside the PTX. */
struct kernel {
    char name[128];
    unsigned long long local_bytes;
    uint32_t argument_bytes, count, offsets[CORPUS_MAX_ARGS];
};

/* The kernels of one module, and how to run them. */
struct unit {
    struct corpus_check *check;
    const struct corpus_file *file;
    const char *ptx, *level, *producer, *only;
    struct cuda cuda;
    cuda_module module;
};

/* One launch. */
struct launch {
    struct unit *unit;
    struct corpus_run run;
    cuda_address base[CORPUS_MAX_ARGS], surface[CORPUS_MAX_ARGS];
    size_t shift[CORPUS_MAX_ARGS]; /* of the buffer in its allocation */
};

static bool failed(const struct unit *unit, cuda_result result, const char *what, char *text)
{
    if (result) {
        isolate_explain(text, "%s: %s", what, cuda_text(&unit->cuda, result));
    }
    return result != 0;
}

#define TRY(unit, call)                                                                            \
    if (failed(unit, (unit)->cuda.call, #call, text)) {                                            \
        return false;                                                                              \
    }

/* ---- modules ---- */

static bool begin(void *context, char *text)
{
    struct unit *unit = context;
    const char *reason;
    char path[2048];
    size_t bytes;
    int device;
    cuda_context cuda;
    if (!cuda_open(&unit->cuda, &reason)) {
        isolate_explain(text, "%s", reason);
        return false;
    }
    TRY(unit, device_get(&device, 0));
    TRY(unit, context_retain(&cuda, device));
    TRY(unit, context_set(cuda));
    snprintf(path, sizeof(path), "%s/%s.%s.ptx", unit->ptx, unit->file->file, unit->level);
    uint8_t *ptx = corpus_file_read(path, &bytes, text, ISOLATE_TEXT);
    if (!ptx) {
        return false;
    }
    cuda_result result = unit->cuda.module_load(&unit->module, ptx);
    free(ptx);
    return !failed(unit, result, "cuModuleLoadData", text);
}

static bool end(void *context, char *text)
{
    struct unit *unit = context;
    TRY(unit, module_unload(unit->module));
    return true;
}

static bool kernel_read(const struct unit *unit, const char *name, struct kernel *kernel,
                        char *text)
{
    char path[2048], line[512];
    bool found = false;
    snprintf(path, sizeof(path), "%s/%s.txt", unit->ptx, unit->file->file);
    FILE *stream = fopen(path, "r");
    while (stream && !found && fgets(line, sizeof(line), stream)) {
        int at = 0, step;
        *kernel = (struct kernel){0};
        found = sscanf(line, "%127s %llu %u %u%n", kernel->name, &kernel->local_bytes,
                       &kernel->argument_bytes, &kernel->count, &at) == 4 &&
                strcmp(kernel->name, name) == 0 && kernel->count <= CORPUS_MAX_ARGS;
        for (uint32_t i = 0; found && i < kernel->count; i++, at += step) {
            found = sscanf(line + at, "%u%n", &kernel->offsets[i], &step) == 1;
        }
    }
    if (stream) {
        fclose(stream);
    }
    if (!found) {
        isolate_explain(text, "%s has no kernel %s", path, name);
    }
    return found;
}

/* ---- buffers ---- */

static bool buffer_create(struct launch *launch, size_t arg, cuda_address *address, char *text)
{
    struct unit *unit = launch->unit;
    const struct corpus_run *run = &launch->run;
    bool loose = run->test->flags & CORPUS_UNALIGNED;
    size_t shift = GUARD + (loose ? corpus_type_bytes(run->test->args[arg].type) : 0);
    size_t bytes = shift + run->bytes[arg] + GUARD;
    uint8_t *copy = malloc(bytes);
    if (!copy) {
        abort();
    }
    memset(copy, GUARD_BYTE, bytes);
    memcpy(copy + shift, run->memory[arg], run->bytes[arg]);
    launch->shift[arg] = shift;
    cuda_result result = unit->cuda.memory_alloc(&launch->base[arg], bytes);
    result = result ? result : unit->cuda.copy_in(launch->base[arg], copy, bytes);
    free(copy);
    *address = launch->base[arg] + shift;
    return !failed(unit, result, "a buffer", text);
}

static bool buffer_read(struct launch *launch, size_t arg, char *text)
{
    struct unit *unit = launch->unit;
    struct corpus_run *run = &launch->run;
    size_t shift = launch->shift[arg], bytes = shift + run->bytes[arg] + GUARD;
    uint8_t *copy = malloc(bytes);
    if (!copy) {
        abort();
    }
    bool good = !failed(unit, unit->cuda.copy_out(copy, launch->base[arg], bytes), "a copy", text);
    for (size_t i = 0; good && i < bytes; i++) {
        bool inside = i >= shift && i < shift + run->bytes[arg];
        if (!inside && copy[i] != GUARD_BYTE) {
            isolate_explain(text, "argument %zu: a byte outside of the buffer was written", arg);
            good = false;
        }
    }
    if (good) {
        memcpy(run->memory[arg], copy + shift, run->bytes[arg]);
    }
    free(copy);
    return good;
}

static bool image_create(struct launch *launch, size_t arg, cuda_address *address, char *text)
{
    struct unit *unit = launch->unit;
    struct geo_surface surface = {0};
    corpus_check_surface(&surface, launch->run.test->args[arg].bytes, *address);
    TRY(unit, memory_alloc(&launch->surface[arg], sizeof(surface)));
    TRY(unit, copy_in(launch->surface[arg], &surface, sizeof(surface)));
    *address = launch->surface[arg];
    return true;
}

/* ---- launches ---- */

/* Fills the block of arguments, and adds the local memory that they need to *local. */
static bool arguments_fill(struct launch *launch, const struct kernel *kernel, uint8_t *block,
                           uint64_t *local, char *text)
{
    const struct corpus_run *run = &launch->run;
    for (size_t i = 0; i < run->count; i++) {
        const struct corpus_arg *arg = &run->test->args[i];
        uint8_t *at = block + kernel->offsets[i];
        cuda_address word = *local;
        if (arg->kind == ARG_VALUE || arg->kind == ARG_STRUCT) {
            memcpy(at, arg->kind == ARG_VALUE ? (const void *)&arg->value : arg->bytes,
                   run->bytes[i]);
            continue;
        }
        if (arg->kind == ARG_LOCAL) {
            *local += (run->bytes[i] + 127) / 128 * 128;
        } else if (!buffer_create(launch, i, &word, text) ||
                   (arg->kind == ARG_IMAGE && !image_create(launch, i, &word, text))) {
            return false;
        }
        memcpy(at, &word, sizeof(word));
    }
    return true;
}

static bool execute(struct launch *launch, const struct kernel *kernel, uint8_t *block, char *text)
{
    struct unit *unit = launch->unit;
    const struct corpus_shape *shape = launch->run.shape;
    uint64_t offset[3] = {shape->offset[0], shape->offset[1], shape->offset[2]};
    uint64_t local = kernel->local_bytes;
    uint32_t work_dim = 3;
    cuda_function function;
    void *parameters[] = {block, &offset[0], &offset[1], &offset[2], &work_dim};
    if (!arguments_fill(launch, kernel, block, &local, text)) {
        return false;
    }
    TRY(unit, function_get(&function, unit->module, kernel->name));
    if (local > 48 * 1024) {
        TRY(unit, function_set(function, CUDA_MAX_DYNAMIC_SHARED, (int)local));
    }
    TRY(unit,
        launch(function, shape->groups[0], shape->groups[1], shape->groups[2], shape->local[0],
               shape->local[1], shape->local[2], (unsigned)local, NULL, parameters, NULL));
    TRY(unit, synchronize());
    for (size_t i = 0; i < launch->run.count; i++) {
        if (launch->base[i] && !buffer_read(launch, i, text)) {
            return false;
        }
    }
    return true;
}

static bool shape_run(struct unit *unit, const struct kernel *kernel,
                      const struct corpus_case *test, size_t index, char *text)
{
    struct launch launch = {.unit = unit};
    uint8_t *block = calloc(1, kernel->argument_bytes);
    if (!block) {
        abort();
    }
    corpus_run_init(&launch.run, test, &test->shapes[index]);
    bool good =
        execute(&launch, kernel, block, text) &&
        corpus_check_run(unit->check, unit->file->file, unit->producer, &launch.run, index, text);
    for (size_t i = 0; i < launch.run.count; i++) {
        if (launch.base[i]) {
            unit->cuda.memory_free(launch.base[i]);
        }
        if (launch.surface[i]) {
            unit->cuda.memory_free(launch.surface[i]);
        }
    }
    corpus_run_finish(&launch.run);
    free(block);
    return good;
}

static bool step(void *context, size_t index, char *text, bool *skipped)
{
    struct unit *unit = context;
    const struct corpus_case *test = &unit->file->cases[index];
    struct kernel kernel;
    if (unit->only && strcmp(unit->only, test->kernel) != 0) {
        *skipped = true;
        return true;
    }
    bool good = kernel_read(unit, test->kernel, &kernel, text);
    for (size_t i = 0; good && test->shapes[i].local[0]; i++) {
        good = shape_run(unit, &kernel, test, i, text);
    }
    return good;
}

/* ---- the corpus ---- */

/* Returns the producer whose SPIR-V corpus_ptx takes: the first that the results know. */
static const char *producer_of(const struct corpus_check *check, const struct corpus_file *file)
{
    static const char *const producers[] = {"O2", "L15", "DPC"};
    for (size_t i = 0; i < CORPUS_COUNT(producers); i++) {
        char folder[2048], path[4200], suffix[32];
        snprintf(folder, sizeof(folder), "%s/one-lane", check->results);
        snprintf(suffix, sizeof(suffix), ".%s.bin", producers[i]);
        corpus_path(path, sizeof(path), folder, file->file, file->cases[0].kernel, 0, suffix);
        if (access(path, R_OK) == 0) {
            return producers[i];
        }
    }
    return "O2";
}

static void file_run(struct unit *unit)
{
    const struct isolate_ops ops = {begin, step, end, 120};
    struct isolate_result *results = isolate_results_create(unit->file->count);
    isolate_run(&ops, unit, results, unit->file->count);
    for (size_t i = 0; i < unit->file->count; i++) {
        if (results[i].state != ISOLATE_SKIPPED) {
            corpus_check_note(unit->check, unit->file->file, unit->file->cases[i].kernel,
                              unit->producer, results[i].state == ISOLATE_PASSED, results[i].text);
        }
    }
    isolate_results_destroy(results, unit->file->count);
}

/* Looks for a GPU in a child process, so that the others start without CUDA. */
static bool gpu_find(void)
{
    struct cuda cuda;
    const char *reason;
    char name[128] = "";
    int device, status = -1;
    pid_t child = fork();
    if (child == 0) {
        bool good = cuda_open(&cuda, &reason) && cuda.device_get(&device, 0) == 0 &&
                    cuda.device_name(name, sizeof(name), device) == 0;
        printf(good ? "GPU: %s\n" : "skipped: %s\n", good ? name : reason);
        fflush(stdout);
        _exit(good ? 0 : 1);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

int main(int argc, char **argv)
{
    static struct corpus_check check;
    if (argc < 5) {
        fprintf(stderr, "usage: corpus_gpu PTX_FOLDER RESULT_FOLDER LIST LEVEL [TOPIC [KERNEL]]\n");
        return 2;
    }
    if (!corpus_check_open(&check, argv[2], argv[3])) {
        return 1;
    }
    if (!gpu_find()) {
        return SKIPPED;
    }
    for (size_t t = 0; t < corpus_topic_count; t++) {
        const struct corpus_topic *topic = corpus_topics[t];
        for (size_t i = 0; (argc <= 5 || strcmp(argv[5], topic->name) == 0) && i < topic->count;
             i++) {
            struct unit unit = {.check = &check,
                                .file = &topic->files[i],
                                .ptx = argv[1],
                                .level = argv[4],
                                .producer = producer_of(&check, &topic->files[i]),
                                .only = argc > 6 ? argv[6] : NULL};
            file_run(&unit);
        }
    }
    printf("%zu passed, %zu refused, %zu wrong\n", check.passed, check.refused, check.wrong);
    return check.wrong || !check.passed;
}
