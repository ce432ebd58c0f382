/* The compiler as the driver sees it: SPIR-V in, native binary and log out.
 *
 * libgeoid_compiler.so.1 is found beside the driver (GEOID_COMPILER overrides), opened with
 * RTLD_LOCAL at the first module build, and exports geo_compiler_open alone. It may be called from
 * many threads at once.
 *
 * Build options are the compiler's alone: the driver hands their text on as the application gave
 * it, the log says which of them are not known. What the driver and backends have to know of a
 * build they read in the native binary (native/native.h), so that it is the same for a binary that
 * no compiler is loaded for; the options given with such a binary are not looked at. */
#ifndef GEO_COMPILER_COMPILER_H
#define GEO_COMPILER_COMPILER_H

#include <level_zero/ze_api.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GEO_COMPILER_INTERFACE 5u
#define GEO_COMPILER_LIBRARY   "libgeoid_compiler.so.1"
#define GEO_COMPILER_BUILD_ID  260u

struct geo_compiler_source {
    const void *spirv; /* any alignment; untrusted */
    size_t bytes;
    const char *options;          /* build options of this source, may be NULL; untrusted */
    uint32_t constant_count;      /* specialisation constants */
    const uint32_t *constant_ids; /* [constant_count] */
    const void *const
        *constant_values; /* [constant_count]: each points at a value of the constant's own size */
    uint32_t unit;        /* 0: of the module that is built; others: of modules it is linked with */
};

/* "What unit `importer` imports under this name is the export of unit `exporter`." */
struct geo_compiler_link {
    uint32_t importer, exporter;
    const char *name;
};

struct geo_compiler_request {
    uint32_t source_count;                     /* more than one: built together as one program */
    const struct geo_compiler_source *sources; /* those of unit 0 first, then by unit */
    uint32_t unit_count; /* 0 or 1: nothing to link with, imports are left for later */
    uint32_t link_count;
    const struct geo_compiler_link *links;
    /* Unit 0 has no sources: what is built is this exported function of unit 1, to be called by
     * pointer, with unit 1's variables. NULL: an ordinary build. */
    const char *function;
    const char *target_cpu; /* LLVM's name; NULL: GEOID_CPU's, or this machine's */
    uint32_t lanes;         /* 0: chosen per kernel, or by GEOID_LANES */
    uint32_t tile;          /* chunks computed together; 0: what pays, or by GEOID_TILE */
};

struct geo_compiler_output {
    void *object; /* native binary (native/native.h); NULL on failure */
    size_t object_bytes;
    char *log;       /* terminated; NULL without memory for it */
    bool repeatable; /* success that anybody would have who asks the same: it may be kept */
};

struct geo_compiler_ops {
    /* Build identity: changes whenever the code that is generated may change. */
    const char *identity;
    /* Of exactly this library, with the LLVM that it uses: empty when that is not known. Text of
     * fewer than GEO_COMPILER_BUILD_ID bytes. */
    const char *build_id;
    /* ZE_RESULT_ERROR_MODULE_BUILD_FAILURE with a log that names instruction, id and word offset;
     * OUT_OF_HOST_MEMORY; INVALID_ARGUMENT for a malformed request. The output is filled whatever
     * the result; release it always. */
    ze_result_t (*build)(const struct geo_compiler_request *request,
                         struct geo_compiler_output *output);
    void (*release)(struct geo_compiler_output *output);
    /* Takes the folder that relative paths in options start from: where the caller was loaded,
     * which may be long before this library is. */
    void (*set_folder)(const char *folder);
};

/* NULL when this library does not speak the version asked for. */
typedef const struct geo_compiler_ops *(*geo_compiler_open_fn)(uint32_t interface_version);
const struct geo_compiler_ops *geo_compiler_open(uint32_t interface_version);

#endif
