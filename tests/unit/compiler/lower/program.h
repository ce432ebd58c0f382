/* Whole kernels for tests: SPIR-V to code that runs in this process, without driver and queues.
 *
 * Everything here fails the running test (cmocka) when something is wrong. */
#ifndef GEO_TESTS_LOWER_PROGRAM_H
#define GEO_TESTS_LOWER_PROGRAM_H

#include "compiler/codegen/codegen.h"
#include "native/abi.h"
#include "native/native.h"

struct program;

struct program_options {
    uint32_t lanes;
    bool optimize;
    const char *cpu;        /* "x86-64-v3"; NULL: this machine's level */
    uint32_t trusted;       /* enum geo_llvm_fault: what LLVM is taken not to have */
    bool lanes_from_memory; /* as on AMD's processors */
};

/* The program of kernels/<name>.spv, such as "flow_O2"; a name with a slash is a path. */
struct program *program_build(const char *name, const struct program_options *options);
/* The same from a model, which stays the caller's and is changed. */
struct program *program_build_model(struct geo_ir_module *module,
                                    const struct program_options *options);
/* The model of the same file, freshly read. */
struct geo_ir_module *program_model(const char *name);
/* The same of changed words: instructions that spirv-as does not know. */
struct geo_ir_module *program_model_changed(const char *name,
                                            void (*change)(uint32_t *words, size_t count));
void program_destroy(struct program *program);

/* What was emitted: LLVM's text before and after optimisation. */
const char *program_lowered(const struct program *program);
const char *program_final(const struct program *program);
const struct geo_native_kernel *program_kernel(const struct program *program, const char *kernel);
/* The record of a kernel in the payload for the CPU. */
const struct geo_native_cpu_kernel *program_record(const struct program *program,
                                                   const char *kernel);
const struct geo_native_argument *program_argument_of(const struct program *program,
                                                      const struct geo_native_kernel *kernel,
                                                      uint32_t index);
/* The whole native binary. */
const void *program_object(const struct program *program, size_t *bytes);
/* The text of the build log. */
const char *program_log(const struct program *program);

/* True when this machine can run what was built. */
bool program_runs(const struct program *program);

struct program_argument {
    const void *value; /* NULL with a size: local memory */
    size_t size;
};
#define PROGRAM_POINTER(p)                                                                         \
    (struct program_argument)                                                                      \
    {                                                                                              \
        .value = (const void *[]){(p)}, .size = sizeof(void *)                                     \
    }
#define PROGRAM_VALUE(v)                                                                           \
    (struct program_argument)                                                                      \
    {                                                                                              \
        .value = &(v), .size = sizeof(v)                                                           \
    }
#define PROGRAM_LOCAL(bytes)                                                                       \
    (struct program_argument)                                                                      \
    {                                                                                              \
        .value = NULL, .size = (bytes)                                                             \
    }

struct program_launch {
    uint32_t groups[3], local[3];
    uint64_t offset[3];
    bool ids_may_wrap; /* leaves GEO_LAUNCH_IDS_FIT_31_BITS unset */
    /* keeps pending additions between calls; a last call of 0 groups executes them. NULL: each call
       executes its own */
    struct geo_pending_table *pending;
    bool keeps; /* leaves out the last call */
};

/* Kernels may access memory by their largest vectors, which are aligned to their size. */
#define PROGRAM_ALIGN 128

/* Returns zeroed memory for a pointer argument, aligned to PROGRAM_ALIGN; for free(). */
void *program_memory(size_t count, size_t bytes);

/* Runs the whole grid, in several ranges of groups, on scratch memory that ends at a guard page.
 * The memory of pointer arguments must be aligned as the kernel's accesses to it are. */
void program_run(const struct program *program, const char *kernel,
                 const struct program_launch *launch, const struct program_argument *arguments,
                 uint32_t argument_count);

#endif
