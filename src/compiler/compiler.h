/* The compiler's interface for the driver: SPIR-V in, native binary and log out.
 *
 * libgeoid_compiler.so.1 is found beside the driver (GEOID_COMPILER overrides). The driver opens it
 * with RTLD_LOCAL at the first module build. Its only export is geo_compiler_open. It may be called
 * from many threads at once.
 *
 * Only the compiler interprets build options: the driver passes their text unchanged, and the log
 * names unknown options. Properties of a build that the driver and backends need are in the native
 * binary (native/native.h). So a binary works without the compiler, and the options given with it
 * are ignored. */
#ifndef GEO_COMPILER_COMPILER_H
#define GEO_COMPILER_COMPILER_H

#include <level_zero/ze_api.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GEO_COMPILER_INTERFACE 11u
#define GEO_COMPILER_LIBRARY   "libgeoid_compiler.so.1"
#define GEO_COMPILER_BUILD_ID  260u

struct geo_compiler_source {
    const void *spirv; /* any alignment; untrusted */
    size_t bytes;
    const char *options;          /* build options of this source, may be NULL; untrusted */
    uint32_t constant_count;      /* specialisation constants */
    const uint32_t *constant_ids; /* constant_count ids */
    const void *const
        *constant_values; /* constant_count pointers, each to a value of the constant's own size */
    /* 0: part of the module that is built; others: of modules that it is linked with */
    uint32_t unit;
};

/* Resolves the import `name` of one unit to the export of that name of another unit. */
struct geo_compiler_link {
    uint32_t importer, exporter;
    const char *name;
};

/* The kernels that a binary has code of. */
enum geo_compiler_kernels {
    GEO_COMPILER_KERNELS_ALL,
    /* None, where the module permits it: the binary has names and variables, and the sources, from
       which each kernel is built later (GEO_KERNEL_DEFERRED). */
    GEO_COMPILER_KERNELS_NEEDED,
    /* As NEEDED for a module with many kernels, as ALL for others. */
    GEO_COMPILER_KERNELS_AUTO,
    /* As NEEDED for a module with several kernels of some size, as ALL for others. */
    GEO_COMPILER_KERNELS_APART,
};

/* Forms that a build returns beside the binary, for tools; bits. */
enum geo_compiler_form {
    /* The decisions about each kernel, and their reasons: a JSON array (compiler/ir/remark.h). */
    GEO_COMPILER_REPORT = 1u << 0,
    /* The model after each pass: a text per pass, with its name; empty if it changed nothing. */
    GEO_COMPILER_MODELS = 1u << 1,
    /* LLVM IR: a text "lowered", and one "optimised" as the back end gets it. */
    GEO_COMPILER_LLVM = 1u << 2,
    /* PTX as a text instead of a binary, for the GPU that `target_cpu` names (sm_80, sm_90). */
    GEO_COMPILER_PTX = 1u << 3,
};

/* One such text. */
struct geo_compiler_text {
    uint32_t form;    /* enum geo_compiler_form */
    const char *name; /* the pass or stage; "" if there is one text of the form */
    const char *text; /* terminated */
    size_t length;
};

struct geo_compiler_request {
    uint32_t source_count; /* sources of unit 0 are built together as one program */
    const struct geo_compiler_source *sources; /* sorted by unit, unit 0 first */
    uint32_t unit_count; /* 0 or 1: links with no other module, imports stay unresolved */
    uint32_t link_count;
    const struct geo_compiler_link *links;
    /* The exported function of unit 1 to build, for calls through pointers; it uses unit 1's
       variables. Unit 0 has no sources then. NULL: an ordinary build. */
    const char *function;
    enum geo_compiler_kernels kernels;
    /* Kernels may lack the code for launches that are rare (GEO_KERNEL_RESTRICTED). A build of a
       whole module keeps the sources, if the module permits such kernels. */
    bool restricted;
    bool counted;      /* kernels count what they do, for metrics (GEO_KERNEL_COUNTED) */
    bool instrumented; /* -zet-profile-flags has an effect */
    bool near_null;    /* accesses near null read zeros and write nothing (GEO_KERNEL_NEAR_NULL) */
    /* The only kernels of unit 0 to build. Variables that kernels share are imports of one more
       unit behind the last, the loaded binary with deferred kernels. None: an ordinary build. */
    uint32_t kernel_count;
    const char *const *kernel_names;
    /* LLVM's name of a CPU; NULL: GEOID_CPU or this machine's. Or sm_80 or sm_90, an NVIDIA GPU:
       the binary's code is PTX, and has all kernels. */
    const char *target_cpu;
    uint32_t lanes; /* vector width; 0: GEOID_LANES, or chosen per kernel */
    uint32_t tile;  /* chunks computed together; 0: GEOID_TILE, or chosen by cost */
    uint32_t forms; /* enum geo_compiler_form; 0, as for all builds of the driver: none */
};

struct geo_compiler_output {
    void *binary; /* native binary (native/native.h); NULL on failure */
    size_t binary_bytes;
    char *log;       /* terminated; NULL if memory ran out */
    bool repeatable; /* a success that depends on the request alone: it may be cached */
    struct geo_compiler_text *texts; /* the forms that were asked for; also of a failed build */
    uint32_t text_count;
    void *text_memory; /* the compiler's */
};

struct geo_compiler_ops {
    /* Identity of the compiler's output: changes whenever generated code may change. */
    const char *identity;
    /* Identifies exactly this library and its LLVM: fewer than GEO_COMPILER_BUILD_ID bytes, empty
       if unknown. */
    const char *build_id;
    /* Builds a native binary. Returns MODULE_BUILD_FAILURE with a log that names instruction, id
       and word offset, OUT_OF_HOST_MEMORY, or INVALID_ARGUMENT for a malformed request. The output
       is filled for every result; the caller always releases it. */
    ze_result_t (*build)(const struct geo_compiler_request *request,
                         struct geo_compiler_output *output);
    void (*release)(struct geo_compiler_output *output);
    /* Sets the folder that relative paths in options refer to: the working directory when the
       driver was loaded, which may be long before this library is loaded. */
    void (*set_folder)(const char *folder);
    /* Disassembles the code of a native binary for this compiler's architectures into one text. The
     * bytes are untrusted. Returns INVALID_NATIVE_BINARY with a log for others. */
    ze_result_t (*disassemble)(const void *binary, size_t bytes,
                               struct geo_compiler_output *output);
};

/* Returns the functions of the compiler, or NULL if this library lacks the requested version of the
 * interface. */
typedef const struct geo_compiler_ops *(*geo_compiler_open_fn)(uint32_t interface_version);
const struct geo_compiler_ops *geo_compiler_open(uint32_t interface_version);

#endif
