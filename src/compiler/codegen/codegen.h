/* From LLVM module to native binary: optimisation pipeline, target machine, object emission, note
 * section. */
#ifndef GEO_COMPILER_CODEGEN_CODEGEN_H
#define GEO_COMPILER_CODEGEN_CODEGEN_H

#include "compiler/link/linkage.h"
#include "compiler/lower/lower.h"

/* The compiler's name and release, which users see, native binaries record, and processes of a
 * build compare. Keys of caches have the build id of the library instead, which tells builds of a
 * release apart. GEO_RELEASE is only defined in targets that link geoid_release. */
#define GEO_CODEGEN_IDENTITY "geoid-compiler " GEO_RELEASE " llvm 22"

/* Creates the target of a named CPU, or of this machine if `cpu` is NULL. Fails with a log if LLVM
 * does not know the name. */
struct geo_codegen_target;
ze_result_t geo_codegen_target_create(const char *cpu, struct geo_codegen_target **out,
                                      struct geo_strbuf *log);
/* Frees a target. */
void geo_codegen_target_destroy(struct geo_codegen_target *target);
/* Generates code from now on as if LLVM did not have these faults (enum geo_llvm_fault). Tests use
 * it to show that LLVM has them. */
void geo_codegen_target_trust(struct geo_codegen_target *target, uint32_t faults);
/* Returns the properties of the target that lowering needs. */
struct geo_lower_target geo_codegen_target_facts(const struct geo_codegen_target *target);

/* SPIR-V that the module was built from. The note has a copy. */
struct geo_codegen_source {
    const void *spirv;
    size_t bytes;
    const char *options;
};

/* Contents of the note besides the code's. */
struct geo_codegen_notes {
    const char *options;               /* build flags, as text */
    const struct geo_linkage *linkage; /* NULL: no imports and exports */
    const struct geo_codegen_source *sources;
    uint32_t source_count;
    uint32_t profile_flags; /* zet_profile_flags_t: what the code is made for */
};

/* How much LLVM optimises. If LLVM fails, the build is repeated with less effort. */
enum geo_codegen_effort {
    GEO_CODEGEN_PLAIN,   /* no optimisation */
    GEO_CODEGEN_CAREFUL, /* optimised, but without the fast paths of LLVM's back end */
    GEO_CODEGEN_FULL,
};

/* Sets the function that is called with LLVM's reason when LLVM fails fatally, on the failing
 * thread. If it returns, LLVM ends the process. There is one function for the whole process. */
typedef void (*geo_codegen_fatal_fn)(const char *reason);
void geo_codegen_guard_fatal_error(geo_codegen_fatal_fn function);

/* Optimises and emits a module. *object (malloc) is a complete native binary; the caller frees
 * it. */
ze_result_t geo_codegen_emit(const struct geo_codegen_target *target, struct geo_ir_module *module,
                             const struct geo_lower_result *lowered,
                             const struct geo_codegen_notes *notes, enum geo_codegen_effort effort,
                             void **object, size_t *object_bytes, struct geo_strbuf *log);

/* Makes a native binary whose code is PTX (terminated text) for GPUs of this compute capability,
 * times ten, and later ones. Without a text the binary has no code. `lowered->module` still has the
 * variables. *object as geo_codegen_emit. Returns OUT_OF_HOST_MEMORY or SUCCESS. */
ze_result_t geo_codegen_contain_ptx(const char *text, uint32_t architecture,
                                    struct geo_ir_module *module,
                                    const struct geo_lower_result *lowered,
                                    const struct geo_codegen_notes *notes, void **object,
                                    size_t *object_bytes);

/* Appends the disassembled code of a native binary to `text`. The bytes are untrusted. Returns
 * INVALID_NATIVE_BINARY with a log if they are none, or for an architecture that the compiler
 * lacks. */
ze_result_t geo_codegen_disassemble(const void *binary, size_t bytes, struct geo_strbuf *text,
                                    struct geo_strbuf *log);

#endif
