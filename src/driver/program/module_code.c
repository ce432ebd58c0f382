/* Native binaries and sets of loaded code, shared by reference. See module_code.h. */
#include "driver/program/module_code.h"

#include "base/assert.h"
#include "driver/core/error.h"
#include "driver/core/inventory.h"

#include <stdlib.h>
#include <string.h>

/* ---- binaries ---- */

ze_result_t geo_module_binary_create(const void *bytes, size_t size, struct geo_module_binary **out,
                                     struct geo_strbuf *log)
{
    const char *reason = "";
    struct geo_module_binary *binary = calloc(1, sizeof(*binary));
    if (!binary) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a module");
    }
    binary->references = 1;
    binary->bytes = malloc(size);
    if (!binary->bytes) {
        geo_module_binary_unref(binary);
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a module");
    }
    memcpy(binary->bytes, bytes, size);
    binary->size = size;
    if (geo_inventory_instruments()) {
        geo_native_parse_seal_changed(binary->bytes, size);
    }
    ze_result_t result = geo_native_parse(binary->bytes, size, &binary->view, &reason);
    if (result != ZE_RESULT_SUCCESS) {
        geo_strbuf_printf(log, "error: native binary refused: %s\n", reason);
        geo_module_binary_unref(binary);
        return geo_fail(result, "native binary refused: %s", reason);
    }
    *out = binary;
    return ZE_RESULT_SUCCESS;
}

struct geo_module_binary *geo_module_binary_ref(struct geo_module_binary *binary)
{
    uint32_t before = atomic_fetch_add_explicit(&binary->references, 1, memory_order_relaxed);
    GEO_ASSERT(before > 0);
    return binary;
}

void geo_module_binary_unref(struct geo_module_binary *binary)
{
    GEO_ASSERT(!binary || atomic_load_explicit(&binary->references, memory_order_relaxed) > 0);
    if (binary && atomic_fetch_sub_explicit(&binary->references, 1, memory_order_acq_rel) == 1) {
        free(binary->bytes);
        free(binary);
    }
}

const struct geo_native_symbol *geo_module_binary_symbol(const struct geo_module_binary *binary,
                                                         uint32_t kinds, const char *name)
{
    const struct geo_native_view *view = &binary->view;
    for (uint32_t i = 0; i < view->header->symbol_count; i++) {
        const struct geo_native_symbol *symbol = &view->symbols[i];
        if ((kinds & (1u << symbol->kind)) &&
            strcmp(geo_native_string(view, symbol->name), name) == 0) {
            return symbol;
        }
    }
    return NULL;
}

bool geo_module_binary_kernel(const struct geo_module_binary *binary, const char *name,
                              uint32_t *index)
{
    const struct geo_native_view *view = &binary->view;
    for (uint32_t i = 0; i < view->header->kernel_count; i++) {
        if (strcmp(geo_native_string(view, view->kernels[i].name), name) == 0) {
            *index = i;
            return true;
        }
    }
    return false;
}

static bool has_flag(const struct geo_module_binary *binary, uint32_t flag)
{
    const struct geo_native_view *view = &binary->view;
    for (uint32_t i = 0; i < view->header->kernel_count; i++) {
        if (view->kernels[i].flags & flag) {
            return true;
        }
    }
    return false;
}

bool geo_module_binary_defers(const struct geo_module_binary *binary)
{
    return has_flag(binary, GEO_KERNEL_DEFERRED);
}

bool geo_module_binary_restricts(const struct geo_module_binary *binary)
{
    return has_flag(binary, GEO_KERNEL_RESTRICTED);
}

/* Returns the first global with this name, either among names for the host or among linkage names
 * (which are the names of the variables' symbols). */
static const struct geo_native_global *global_named(const struct geo_native_view *view,
                                                    const char *name, bool host)
{
    for (uint32_t i = 0; i < view->header->global_count; i++) {
        const struct geo_native_global *global = &view->globals[i];
        if ((global->name != global->symbol) == host &&
            strcmp(geo_native_string(view, global->name), name) == 0) {
            return global;
        }
    }
    return NULL;
}

/* Returns the global that zeModuleGetGlobalPointer finds. If the name is both the host name of one
 * variable and the linkage name of another, the specification prefers the host name. */
static const struct geo_native_global *global_find(const struct geo_native_view *view,
                                                   const char *name)
{
    const struct geo_native_global *global = global_named(view, name, true);
    return global ? global : global_named(view, name, false);
}

const char *geo_module_binary_hint(const struct geo_module_binary *binary, const char *name)
{
    uint32_t index;
    if (geo_module_binary_kernel(binary, name, &index)) {
        return "; a kernel has the name, which has no address: zeKernelCreate makes it, and a "
               "command list launches it";
    }
    if (global_find(&binary->view, name)) {
        return "; a global variable has the name: zeModuleGetGlobalPointer gives its address";
    }
    return geo_module_binary_symbol(binary, 1u << GEO_SYMBOL_EXPORT_FUNCTION, name)
               ? "; a function has the name: zeModuleGetFunctionPointer gives its address"
               : "";
}

uint32_t geo_module_binary_count(const struct geo_module_binary *binary, uint32_t kinds)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < binary->view.header->symbol_count; i++) {
        count += (kinds & (1u << binary->view.symbols[i].kind)) != 0;
    }
    return count;
}

/* ---- sets ---- */

struct geo_module_code *geo_module_code_create(const struct geo_program_ops *ops,
                                               struct geo_backend_device *device, uint32_t count)
{
    struct geo_module_code *code = calloc(1, sizeof(*code));
    if (!code) {
        return NULL;
    }
    GEO_ASSERT(ops && count > 0);
    code->references = 1;
    code->ops = ops;
    code->device = device;
    code->parts = calloc(count, sizeof(*code->parts));
    if (!code->parts) {
        free(code);
        return NULL;
    }
    code->part_count = count;
    for (uint32_t i = 0; i < count; i++) {
        code->parts[i].code = code;
    }
    return code;
}

struct geo_module_code *geo_module_code_ref(struct geo_module_code *code)
{
    uint32_t before = atomic_fetch_add_explicit(&code->references, 1, memory_order_relaxed);
    GEO_ASSERT(before > 0);
    return code;
}

void geo_module_code_unref(struct geo_module_code *code)
{
    GEO_ASSERT(!code || atomic_load_explicit(&code->references, memory_order_relaxed) > 0);
    if (!code || atomic_fetch_sub_explicit(&code->references, 1, memory_order_acq_rel) != 1) {
        return;
    }
    for (uint32_t i = 0; i < code->part_count; i++) {
        struct geo_module_part *part = &code->parts[i];
        GEO_ASSERT(part->code == code && (!part->program || part->native));
        if (part->program) {
            code->ops->unload(part->program);
        }
        geo_module_binary_unref(part->binary);
        geo_module_binary_unref(part->native);
        free(part->exporters);
    }
    for (uint32_t i = 0; i < code->used_count; i++) {
        geo_module_code_unref(code->used[i]);
    }
    free(code->used);
    free(code->parts);
    free(code);
}

ze_result_t geo_module_code_use(struct geo_module_code *code, struct geo_module_code *used)
{
    GEO_ASSERT(code != used); /* references between sets are never circular */
    for (uint32_t i = 0; i < code->used_count; i++) {
        if (code->used[i] == used) {
            return ZE_RESULT_SUCCESS;
        }
    }
    struct geo_module_code **grown =
        realloc(code->used, (code->used_count + 1) * sizeof(struct geo_module_code *));
    if (!grown) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory to link modules");
    }
    code->used = grown;
    code->used[code->used_count++] = geo_module_code_ref(used);
    return ZE_RESULT_SUCCESS;
}

/* ---- parts ---- */

ze_result_t geo_module_code_part_init(struct geo_module_part *part,
                                      struct geo_module_binary *binary)
{
    GEO_ASSERT(!part->binary && !part->exporters);
    part->binary = geo_module_binary_ref(binary);
    part->exporters =
        calloc((size_t)binary->view.header->symbol_count + 1, sizeof(struct geo_module_part *));
    return part->exporters ? ZE_RESULT_SUCCESS
                           : geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a module");
}

ze_result_t geo_module_code_part_load(struct geo_module_part *part,
                                      struct geo_module_binary *native, struct geo_strbuf *log)
{
    GEO_ASSERT(part->binary && !part->native && !part->program);
    part->native = geo_module_binary_ref(native);
    ze_result_t result =
        part->code->ops->load(part->code->device, &native->view, &part->program, log);
    return result == ZE_RESULT_SUCCESS ? result : geo_fail(result, "native code did not load");
}

ze_result_t geo_module_code_variable(const struct geo_module_part *part, const char *name,
                                     void **address)
{
    const uint32_t kinds = (1u << GEO_SYMBOL_EXPORT_VARIABLE) | (1u << GEO_SYMBOL_SHARED_VARIABLE);
    const struct geo_native_symbol *symbol = geo_module_binary_symbol(part->native, kinds, name);
    return symbol ? part->code->ops->symbol(part->program,
                                            geo_native_string(&part->native->view, symbol->symbol),
                                            address)
                  : ZE_RESULT_ERROR_INVALID_GLOBAL_NAME;
}

/* Returns the part that exports a variable which this part imports, or NULL for other names. */
static const struct geo_module_part *variable_exporter(const struct geo_module_part *part,
                                                       const char *name)
{
    const struct geo_native_symbol *import =
        geo_module_binary_symbol(part->binary, 1u << GEO_SYMBOL_IMPORT_VARIABLE, name);
    GEO_ASSERT(!import || (size_t)(import - part->binary->view.symbols) <
                              part->binary->view.header->symbol_count);
    return import ? part->exporters[import - part->binary->view.symbols] : NULL;
}

ze_result_t geo_module_code_global(const struct geo_module_part *part, const char *name,
                                   size_t *size, void **address)
{
    const struct geo_native_global *global = global_find(&part->native->view, name);
    if (!global) {
        part = variable_exporter(part, name);
        global = part ? global_named(&part->native->view, name, false) : NULL;
    }
    if (!global) {
        return ZE_RESULT_ERROR_INVALID_GLOBAL_NAME;
    }
    *size = global->size;
    return part->code->ops->symbol(part->program,
                                   geo_native_string(&part->native->view, global->symbol), address);
}
