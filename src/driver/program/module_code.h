/* The loaded code of modules. Modules that were linked together share one set of code.
 *
 *     module A --.                          .-- part of A: its binary, its program
 *                 >-- code (set {A, B}) ---<
 *     module B --'       |                  '-- part of B
 *                        '-- references code of modules that were linked before
 *
 * The code of a part may refer to variables of other parts in its set, or in sets that its set
 * references. References between sets are never circular. A set is unloaded after the last of its
 * modules, and the last set that was linked with it, were destroyed. So modules may be destroyed in
 * any order. A module without imports is a set of its own. */
#ifndef GEO_DRIVER_PROGRAM_MODULE_CODE_H
#define GEO_DRIVER_PROGRAM_MODULE_CODE_H

#include "backend/backend.h"
#include "base/strbuf.h"
#include "native/native.h"

#include <stdatomic.h>

/* A native binary and the view into it. Immutable and reference counted. */
struct geo_module_binary {
    _Atomic uint32_t references;
    void *bytes;
    size_t size;
    struct geo_native_view view;
};

/* Copies and checks a native binary. Returns INVALID_NATIVE_BINARY with the reason in the log, or
 * OUT_OF_HOST_MEMORY. */
ze_result_t geo_module_binary_create(const void *bytes, size_t size, struct geo_module_binary **out,
                                     struct geo_strbuf *log);
struct geo_module_binary *geo_module_binary_ref(struct geo_module_binary *binary);
void geo_module_binary_unref(struct geo_module_binary *binary); /* accepts NULL */

/* Sets of symbol kinds, as bits 1 << enum geo_symbol_kind. */
#define GEO_SYMBOLS_IMPORTS                                                                        \
    ((1u << GEO_SYMBOL_IMPORT_FUNCTION) | (1u << GEO_SYMBOL_IMPORT_VARIABLE))
#define GEO_SYMBOLS_EXPORTS                                                                        \
    ((1u << GEO_SYMBOL_EXPORT_FUNCTION) | (1u << GEO_SYMBOL_EXPORT_VARIABLE))

/* Returns the first symbol of these kinds and this name, or NULL. */
const struct geo_native_symbol *geo_module_binary_symbol(const struct geo_module_binary *binary,
                                                         uint32_t kinds, const char *name);
/* Finds the number of the kernel of this name. Returns false if no kernel has the name. */
bool geo_module_binary_kernel(const struct geo_module_binary *binary, const char *name,
                              uint32_t *index);
/* Returns whether kernels of the binary have no code yet (GEO_KERNEL_DEFERRED). */
bool geo_module_binary_defers(const struct geo_module_binary *binary);
/* Returns whether kernels of the binary lack code for some launches (GEO_KERNEL_RESTRICTED). */
bool geo_module_binary_restricts(const struct geo_module_binary *binary);
/* Returns text for the error of a failed look-up: which other kind of object has the name, and the
 * function that finds it. Returns "" if no object has it. */
const char *geo_module_binary_hint(const struct geo_module_binary *binary, const char *name);
uint32_t geo_module_binary_count(const struct geo_module_binary *binary, uint32_t kinds);

struct geo_module_code;

/* The part of a set that belongs to one module. */
struct geo_module_part {
    struct geo_module_code *code;
    struct geo_module_binary *binary; /* binary from which the module was created; referenced */
    /* the loaded binary: `binary`, or the result of linking; referenced */
    struct geo_module_binary *native;
    struct geo_backend_program *program;
    /* [symbols of binary]: the exporter of each import; NULL for other symbols */
    struct geo_module_part **exporters;
};

/* A set of loaded code; reference counted by modules and other sets. */
struct geo_module_code {
    _Atomic uint32_t references;
    const struct geo_program_ops *ops;
    struct geo_backend_device *device;
    struct geo_module_part *parts;
    uint32_t part_count;
    struct geo_module_code **used; /* [used_count] sets that this one references */
    uint32_t used_count;
};

/* Creates a set of `count` empty parts. Returns NULL if memory is short. */
struct geo_module_code *geo_module_code_create(const struct geo_program_ops *ops,
                                               struct geo_backend_device *device, uint32_t count);
struct geo_module_code *geo_module_code_ref(struct geo_module_code *code);
void geo_module_code_unref(struct geo_module_code *code); /* accepts NULL and partly filled sets */
/* Adds a reference to another set, released with this one. */
ze_result_t geo_module_code_use(struct geo_module_code *code, struct geo_module_code *used);

/* geo_module_code_part_init sets the binary from which the part was created;
 * geo_module_code_part_load loads `native` into it. */
ze_result_t geo_module_code_part_init(struct geo_module_part *part,
                                      struct geo_module_binary *binary);
ze_result_t geo_module_code_part_load(struct geo_module_part *part,
                                      struct geo_module_binary *native, struct geo_strbuf *log);
/* Returns the address of a variable in this part, by the name under which others import it. */
ze_result_t geo_module_code_variable(const struct geo_module_part *part, const char *name,
                                     void **address);

/* Finds a global variable by name for the host: in this part, or in the part from which this one
 * imports it. Returns INVALID_GLOBAL_NAME if no variable has the name. */
ze_result_t geo_module_code_global(const struct geo_module_part *part, const char *name,
                                   size_t *size, void **address);

#endif
