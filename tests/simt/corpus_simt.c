/* Runs a topic of the corpus as threads of a GPU, in the interpreter: every kernel, from every
 * producer of SPIR-V whose file is there. The results are compared as those of the CPU are: with
 * pocl, a C function or the oracle of maths within the case's bounds, and bit by bit with the
 * results at one lane.
 *
 * A list (unsupported.txt) names the kernels that are not supported yet, with the reason. A kernel
 * that fails and is not in the list fails the test, and so does one that is in the list and passes.
 *
 * Usage: corpus_simt TOPIC SPIRV_FOLDER RESULT_FOLDER LIST [KERNEL] */
#include "corpus_check.h"
#include "corpus_module.h"
#include "simt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const producers[] = {"O2", "O0", "L15", "DPC"};
/* The producer whose code runs without LLVM's passes. */
#define PLAIN "O0"

/* One run of this program. */
struct session {
    struct corpus_check check;
    const char *spirv, *only;
    uint64_t steps;
};

/* One module, and how it was built. */
struct unit {
    struct session *session;
    const struct corpus_file *file;
    const char *producer;
    char path[2048];
};

/* ---- running ---- */

static const struct geo_lower_kernel *kernel_find(const struct geo_facade_lowered *lowered,
                                                  const char *name)
{
    for (uint32_t i = 0; i < lowered->result.kernel_count; i++) {
        if (strcmp(lowered->result.kernels[i].function->entry_name, name) == 0) {
            return &lowered->result.kernels[i];
        }
    }
    return NULL;
}

/* Fills the block of arguments. Returns the bytes of local memory that the arguments need. */
static uint64_t arguments_fill(struct simt *simt, const struct geo_lower_kernel *kernel,
                               struct corpus_run *run, struct geo_surface *surfaces, uint8_t *block)
{
    uint64_t local = kernel->local_bytes;
    for (size_t i = 0; i < run->count; i++) {
        const struct corpus_arg *arg = &run->test->args[i];
        uint8_t *at = block + kernel->argument_offsets[i];
        uint64_t word = local;
        if (arg->kind == ARG_VALUE || arg->kind == ARG_STRUCT) {
            memcpy(at, arg->kind == ARG_VALUE ? (const void *)&arg->value : arg->bytes,
                   run->bytes[i]);
            continue;
        }
        if (arg->kind == ARG_LOCAL) {
            local += (run->bytes[i] + 127) / 128 * 128;
        } else {
            bool loose = run->test->flags & CORPUS_UNALIGNED;
            word = simt_buffer_add(simt, run->memory[i], run->bytes[i],
                                   loose ? corpus_type_bytes(arg->type) : 0);
        }
        if (arg->kind == ARG_IMAGE) {
            corpus_check_surface(&surfaces[i], arg->bytes, word);
            word = simt_buffer_add(simt, &surfaces[i], sizeof(surfaces[i]), 0);
        }
        memcpy(at, &word, sizeof(word));
    }
    return local;
}

static bool shape_run(const struct unit *unit, struct simt *simt,
                      const struct geo_lower_kernel *kernel, const struct corpus_case *test,
                      size_t index, char *text)
{
    const struct corpus_shape *shape = &test->shapes[index];
    struct corpus_run run;
    struct geo_surface surfaces[CORPUS_MAX_ARGS] = {{0}};
    uint64_t offset[3] = {shape->offset[0], shape->offset[1], shape->offset[2]};
    uint32_t work_dim = 3;
    uint8_t *block = calloc(1, kernel->argument_bytes);
    if (!block) {
        abort();
    }
    corpus_run_init(&run, test, shape);
    simt_buffers_clear(simt);
    uint64_t local = arguments_fill(simt, kernel, &run, surfaces, block);
    const struct simt_argument arguments[] = {
        {block, kernel->argument_bytes}, {&offset[0], sizeof(offset[0])},
        {&offset[1], sizeof(offset[1])}, {&offset[2], sizeof(offset[2])},
        {&work_dim, sizeof(work_dim)},
    };
    const struct simt_launch launch = {
        .kernel = kernel->symbol,
        .groups = {shape->groups[0], shape->groups[1], shape->groups[2]},
        .local = {shape->local[0], shape->local[1], shape->local[2]},
        .arguments = arguments,
        .argument_count = sizeof(arguments) / sizeof(arguments[0]),
        .shared_bytes = local,
        .seed = index,
        .step_limit = UINT64_C(2000000000),
    };
    char error[SIMT_TEXT] = "";
    bool good = simt_run(simt, &launch, error);
    if (!good) {
        snprintf(text, CORPUS_TEXT, "%s", error);
    }
    good = good && corpus_check_run(&unit->session->check, unit->file->file, unit->producer, &run,
                                    index, text);
    corpus_run_finish(&run);
    free(block);
    return good;
}

/* Runs one kernel of a lowered module in all shapes. */
static bool kernel_run(const struct unit *unit, const struct geo_facade_lowered *lowered,
                       const struct corpus_case *test, char *text)
{
    char error[SIMT_TEXT] = "";
    const struct geo_lower_kernel *kernel = kernel_find(lowered, test->kernel);
    struct simt *simt = simt_create(lowered->result.module, error);
    bool good = kernel && simt;
    if (!good) {
        snprintf(text, CORPUS_TEXT, "%s", kernel ? error : "the module lacks the kernel");
    }
    for (size_t i = 0; good && test->shapes[i].local[0]; i++) {
        good = shape_run(unit, simt, kernel, test, i, text);
    }
    if (simt) {
        unit->session->steps += simt_steps(simt);
        simt_destroy(simt);
    }
    return good;
}

/* ---- files ---- */

/* Lowers a module, or one of its kernels. Code of one producer runs as the SIMT machine has emitted
 * it; that of the others, also, behind LLVM's passes. */
static bool module_make(const struct unit *unit, const char *kernel,
                        struct geo_facade_lowered *lowered, char *text)
{
    if (!corpus_module_lower(unit->path, unit->file->options, kernel, lowered, text, CORPUS_TEXT)) {
        return false;
    }
    if (strcmp(unit->producer, PLAIN) == 0 || corpus_module_optimize(lowered, text, CORPUS_TEXT)) {
        return true;
    }
    geo_facade_build_lowered_finish(lowered);
    return false;
}

/* A module with a kernel that is refused is lowered kernel by kernel. */
static void unit_run(struct unit *unit)
{
    struct geo_facade_lowered whole = {0};
    char text[CORPUS_TEXT];
    bool together = module_make(unit, NULL, &whole, text);
    for (size_t i = 0; i < unit->file->count; i++) {
        const struct corpus_case *test = &unit->file->cases[i];
        struct geo_facade_lowered alone = {0};
        if (unit->session->only && strcmp(unit->session->only, test->kernel) != 0) {
            continue;
        }
        bool good = together || module_make(unit, test->kernel, &alone, text);
        if (good) {
            good = kernel_run(unit, together ? &whole : &alone, test, text);
            if (!together) {
                geo_facade_build_lowered_finish(&alone);
            }
        }
        corpus_check_note(&unit->session->check, unit->file->file, test->kernel, unit->producer,
                          good, text);
    }
    if (together) {
        geo_facade_build_lowered_finish(&whole);
    }
}

static bool topic_run(struct session *session, const struct corpus_topic *topic)
{
    for (size_t i = 0; i < topic->count; i++) {
        size_t found = 0;
        for (size_t k = 0; k < CORPUS_COUNT(producers); k++) {
            struct unit unit = {
                .session = session, .file = &topic->files[i], .producer = producers[k]};
            snprintf(unit.path, sizeof(unit.path), "%s/%s.%s.spv", session->spirv, unit.file->file,
                     unit.producer);
            if (access(unit.path, R_OK) == 0) {
                found++;
                unit_run(&unit);
            }
        }
        if (!found) {
            fprintf(stderr, "corpus_simt: there is no SPIR-V of %s in %s\n", topic->files[i].file,
                    session->spirv);
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    static struct session session;
    struct corpus_check *check = &session.check;
    const struct corpus_topic *topic = argc >= 5 ? corpus_topic_find(argv[1]) : NULL;
    if (!topic) {
        fprintf(stderr, "usage: corpus_simt TOPIC SPIRV_FOLDER RESULT_FOLDER LIST [KERNEL]\n");
        return 2;
    }
    session.spirv = argv[2];
    session.only = argc > 5 ? argv[5] : NULL;
    if (!corpus_check_open(check, argv[3], argv[4]) || !topic_run(&session, topic)) {
        return 1;
    }
    corpus_check_list(check);
    printf("%s: %zu passed, %zu refused, %zu wrong, %.1f million instructions\n", topic->name,
           check->passed, check->refused, check->wrong, (double)session.steps / 1e6);
    return check->wrong || !check->passed;
}
