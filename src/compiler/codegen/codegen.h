/* LLVM module to native binary: the optimisation pipeline, the target machine, object emission, the
 * note section. */
#ifndef GEO_COMPILER_CODEGEN_CODEGEN_H
#define GEO_COMPILER_CODEGEN_CODEGEN_H

#include "compiler/link/linkage.h"
#include "compiler/lower/lower.h"

/* Build identity: what native binaries and caches name as their maker. Raised when generated code
 * may change. */
#define GEO_CODEGEN_IDENTITY "geoid-compiler 0.6.0 llvm 22"

/* This machine, or the CPU named (LLVM's name). NULL when LLVM does not know it. */
struct geo_codegen_target;
ze_result_t geo_codegen_target_create(const char *cpu, struct geo_codegen_target **out,
                                      struct geo_strbuf *log);
void geo_codegen_target_destroy(struct geo_codegen_target *target);
/* From now on code is made as if LLVM had these faults not (enum geo_llvm_fault): shows in tests
 * that it has them. */
void geo_codegen_target_trust(struct geo_codegen_target *target, uint32_t faults);
/* What lowering wants to know of it. */
struct geo_lower_target geo_codegen_target_facts(const struct geo_codegen_target *target);

struct geo_codegen_source {
    const void *spirv;
    size_t bytes;
    const char *options;
};

/* What the note says besides the code. */
struct geo_codegen_notes {
    const char *options;               /* build flags, as text */
    const struct geo_linkage *linkage; /* NULL: nothing is imported or exported */
    const struct geo_codegen_source *sources;
    uint32_t source_count;
};

enum geo_codegen_effort {
    GEO_CODEGEN_PLAIN,   /* no optimisation */
    GEO_CODEGEN_CAREFUL, /* optimised, but LLVM's back end takes no short cuts */
    GEO_CODEGEN_FULL,
};

/* Called with LLVM's reason, on the thread that met it; where it returns LLVM ends the process. One
 * function for the whole process. */
typedef void (*geo_codegen_fatal_fn)(const char *reason);
void geo_codegen_on_fatal_error(geo_codegen_fatal_fn function);

/* Optimises and emits. The object (malloc) is a complete native binary; the caller frees it. */
ze_result_t geo_codegen_emit(const struct geo_codegen_target *target, struct geo_ir_module *module,
                             const struct geo_lower_result *lowered,
                             const struct geo_codegen_notes *notes, enum geo_codegen_effort effort,
                             void **object, size_t *object_bytes, struct geo_strbuf *log);

#endif
