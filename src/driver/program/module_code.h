/* Loaded code of modules, apart from the modules: what has been linked together stays together.
 *
 *     module A --.                          .-- part of A: its binary, its program
 *                 >-- code (set {A, B}) ---<
 *     module B --'       |                  '-- part of B
 *                        '-- references code of modules that were linked before
 *
 * The code of one part may refer to variables of another part of its set, or of a set that its set
 * references; sets never refer to each other in a circle. A set is unloaded when the last module of
 * it, and the last set that was linked with it, are gone: modules may be destroyed in any order.
 * A module without imports is a set of its own. */
#ifndef GEO_DRIVER_PROGRAM_MODULE_CODE_H
#define GEO_DRIVER_PROGRAM_MODULE_CODE_H

#include "backend/backend.h"
#include "base/strbuf.h"
#include "native/native.h"

#include <stdatomic.h>

/* A native binary and the view into it. Immutable, shared by reference. */
struct geo_module_binary {
    _Atomic uint32_t references;
    void *bytes;
    size_t size;
    struct geo_native_view view;
};

/* Copies and checks. INVALID_NATIVE_BINARY with the reason in log; OUT_OF_HOST_MEMORY. */
ze_result_t geo_module_binary_create(const void *bytes, size_t size, struct geo_module_binary **out,
                                     struct geo_strbuf *log);
struct geo_module_binary *geo_module_binary_ref(struct geo_module_binary *binary);
void geo_module_binary_unref(struct geo_module_binary *binary); /* accepts NULL */

/* The kinds of symbols, as bits 1 << enum geo_symbol_kind. */
#define GEO_SYMBOLS_IMPORTS                                                                        \
    ((1u << GEO_SYMBOL_IMPORT_FUNCTION) | (1u << GEO_SYMBOL_IMPORT_VARIABLE))
#define GEO_SYMBOLS_EXPORTS                                                                        \
    ((1u << GEO_SYMBOL_EXPORT_FUNCTION) | (1u << GEO_SYMBOL_EXPORT_VARIABLE))

/* The first symbol of these kinds and this name; NULL when there is none. */
const struct geo_native_symbol *geo_module_binary_symbol(const struct geo_module_binary *binary,
                                                         uint32_t kinds, const char *name);
/* For the error of a look-up that found nothing: which other kind of thing has the name, and the
 * function that finds it there. "" when nothing has the name. */
const char *geo_module_binary_hint(const struct geo_module_binary *binary, const char *name);
uint32_t geo_module_binary_count(const struct geo_module_binary *binary, uint32_t kinds);

struct geo_module_code;

/* One module's share of a set. */
struct geo_module_part {
    struct geo_module_code *code;
    struct geo_module_binary *source; /* as the module was created; referenced */
    struct geo_module_binary *native; /* with code: `source`, or what linking made; referenced */
    struct geo_backend_program *program;
    /* By place in source's symbols: who exports what it imports; NULL for what is no import. */
    struct geo_module_part **exporters;
};

struct geo_module_code {
    _Atomic uint32_t references;
    const struct geo_program_ops *ops;
    struct geo_backend_device *device;
    struct geo_module_part *parts;
    uint32_t part_count;
    struct geo_module_code **used; /* [used_count] referenced */
    uint32_t used_count;
};

/* A set of `count` empty parts; NULL when memory ran out. */
struct geo_module_code *geo_module_code_create(const struct geo_program_ops *ops,
                                               struct geo_backend_device *device, uint32_t count);
struct geo_module_code *geo_module_code_ref(struct geo_module_code *code);
void geo_module_code_unref(struct geo_module_code *code); /* accepts NULL and partial sets */
/* References another set for as long as this one lives. */
ze_result_t geo_module_code_use(struct geo_module_code *code, struct geo_module_code *used);

/* Fills a part with the binary it was created from; loads `native` into it. */
ze_result_t geo_module_part_init(struct geo_module_part *part, struct geo_module_binary *source);
ze_result_t geo_module_part_load(struct geo_module_part *part, struct geo_module_binary *native,
                                 struct geo_strbuf *log);
/* Address of a variable that this part holds, by the name others import it under. */
ze_result_t geo_module_part_variable(const struct geo_module_part *part, const char *name,
                                     void **address);

/* Finds a global variable for the host by name: of this part, or of the part that this one imports
 * it from. INVALID_GLOBAL_NAME when there is none. */
ze_result_t geo_module_part_global(const struct geo_module_part *part, const char *name,
                                   size_t *size, void **address);

#endif
