/* Logs every call to the loader's log at level trace: one line when it starts, with the names of
 * its arguments, and one with its result and their values.
 *
 *     zeDriverGet(pCount, phDrivers)
 *     SUCCESS (ZE_RESULT_SUCCESS) in zeDriverGet(pCount=1, phDrivers=nullptr)
 *
 * Data behind pointers is printed only if the call succeeded, because the driver has then read it:
 * one value, structure or string. Arrays and untyped memory are printed as an address. Memory that
 * the device reads later is not read, because it may not exist yet when a command is appended. */
#include "layers/validation/validation.h"

#include "base/loader_log.h"
#include "base/strbuf.h"

#include <string.h>

enum { TEXT_MAX = 256, ARRAY_MAX = 16, DEPTH_MAX = 3 };

static void value_add(struct geo_strbuf *line, const struct geo_ddi_param *param,
                      const void *address, bool is_read, int depth);

/* ---- numbers ---- */

static uint64_t bits_of(const void *address, size_t size)
{
    uint64_t bits = 0;
    memcpy(&bits, address, size < sizeof(bits) ? size : sizeof(bits));
    return bits;
}

static bool is_signed(const struct geo_ddi_param *param)
{
    const char *type = strncmp(param->type, "const ", 6) == 0 ? param->type + 6 : param->type;
    return strncmp(type, "int", 3) == 0;
}

static void number_add(struct geo_strbuf *line, const struct geo_ddi_param *param,
                       const void *address, size_t size)
{
    uint64_t bits = bits_of(address, size);
    if (param->kind == GEO_DDI_FLOAT) {
        float single;
        double wide;
        memcpy(&single, address, sizeof(single));
        memcpy(&wide, address, size < sizeof(wide) ? 0 : sizeof(wide));
        geo_strbuf_printf(line, "%g", size < sizeof(wide) ? (double)single : wide);
    } else if (is_signed(param) && size <= sizeof(bits)) {
        unsigned unused = 64 - 8 * (unsigned)size;
        geo_strbuf_printf(line, "%lld", (long long)(bits << unused) >> unused);
    } else {
        geo_strbuf_printf(line, "%llu", (unsigned long long)bits);
    }
}

static void enum_add(struct geo_strbuf *line, const struct geo_ddi_param *param,
                     const void *address, size_t size)
{
    const struct geo_ddi_enum *type = &geo_ddi_enums[param->index];
    const char *name = geo_ddi_enum_value_name(type, (int32_t)bits_of(address, size));
    if (name) {
        geo_strbuf_printf(line, "%s", name);
    } else {
        geo_strbuf_printf(line, "%lld", (long long)(int32_t)bits_of(address, size));
    }
}

static void flags_add(struct geo_strbuf *line, const struct geo_ddi_param *param,
                      const void *address, size_t size)
{
    char text[1024];
    geo_ddi_flags_format(geo_ddi_enums[param->index].flags, bits_of(address, size), text,
                         sizeof(text));
    geo_strbuf_printf(line, "%s", text);
}

static void pointer_add(struct geo_strbuf *line, const void *pointer)
{
    if (pointer) {
        geo_strbuf_printf(line, "0x%llx", (unsigned long long)(uintptr_t)pointer);
    } else {
        geo_strbuf_printf(line, "nullptr");
    }
}

static void text_add(struct geo_strbuf *line, const char *text, size_t room)
{
    size_t length = strnlen(text, room < TEXT_MAX ? room : TEXT_MAX);
    geo_strbuf_add(line, "\"", 1);
    geo_strbuf_add(line, text, length);
    geo_strbuf_add(line, "\"", 1);
}

/* ---- structures ---- */

static void struct_add(struct geo_strbuf *line, int16_t index, const void *address, int depth)
{
    if (index < 0 || depth >= DEPTH_MAX) {
        geo_strbuf_printf(line, "{...}");
        return;
    }
    const struct geo_ddi_struct *type = &geo_ddi_structs[index];
    const struct geo_ddi_param *members = geo_ddi_struct_members(type);
    geo_strbuf_add(line, "{", 1);
    for (size_t i = 0; i < type->member_count; i++) {
        geo_strbuf_printf(line, "%s%s=", i ? ", " : "", members[i].name);
        value_add(line, &members[i], (const char *)address + members[i].offset, false, depth + 1);
    }
    geo_strbuf_add(line, "}", 1);
}

/* Prints a value of the parameter's kind, ignoring its stars. */
static void plain_add(struct geo_strbuf *line, const struct geo_ddi_param *param,
                      const void *address, size_t size, int depth)
{
    switch ((enum geo_ddi_kind)param->kind) {
    case GEO_DDI_VALUE:
    case GEO_DDI_FLOAT:
    case GEO_DDI_BOOL:
    case GEO_DDI_TEXT:
        number_add(line, param, address, size);
        break;
    case GEO_DDI_ENUM:
        enum_add(line, param, address, size);
        break;
    case GEO_DDI_FLAGS:
        flags_add(line, param, address, size);
        break;
    case GEO_DDI_STRUCT:
        struct_add(line, param->index, address, depth);
        break;
    case GEO_DDI_HANDLE:
    case GEO_DDI_CALLBACK:
    case GEO_DDI_VOID: {
        const void *pointer;
        memcpy(&pointer, address, sizeof(pointer));
        pointer_add(line, pointer);
    }
    }
}

/* Prints a member that is an array. */
static void array_add(struct geo_strbuf *line, const struct geo_ddi_param *param,
                      const void *address, int depth)
{
    size_t size = param->size / param->array_length;
    if (param->kind == GEO_DDI_TEXT && param->depth == 0) {
        text_add(line, address, param->size);
        return;
    }
    geo_strbuf_add(line, "[", 1);
    for (size_t i = 0; i < param->array_length && i < ARRAY_MAX; i++) {
        geo_strbuf_printf(line, "%s", i ? ", " : "");
        plain_add(line, param, (const char *)address + i * size, size, depth);
    }
    geo_strbuf_printf(line, "%s]", param->array_length > ARRAY_MAX ? ", ..." : "");
}

/* Returns whether the pointer refers to exactly one value. */
static bool leads_to_one(const struct geo_ddi_param *param)
{
    bool one_star = param->depth == 1 && param->kind != GEO_DDI_VOID;
    bool made = param->depth == 2 && param->kind == GEO_DDI_VOID && param->create;
    return (one_star || made) && !param->count && !param->chain;
}

static void value_add(struct geo_strbuf *line, const struct geo_ddi_param *param,
                      const void *address, bool is_read, int depth)
{
    const void *pointer;
    if (param->array_length && param->depth == 0) {
        array_add(line, param, address, depth);
        return;
    }
    if (param->depth == 0) {
        plain_add(line, param, address, param->size, depth);
        return;
    }
    memcpy(&pointer, address, sizeof(pointer));
    if (!pointer || !is_read || !leads_to_one(param)) {
        pointer_add(line, pointer);
    } else if (param->kind == GEO_DDI_TEXT) {
        text_add(line, pointer, TEXT_MAX);
    } else {
        size_t size = param->element_size ? param->element_size : sizeof(void *);
        plain_add(line, param, pointer, size, depth);
    }
}

/* ---- the part ---- */

static bool wants(const struct geo_ddi_function *function)
{
    (void)function;
    return geo_loader_log_enabled(GEO_LOG_TRACE);
}

static ze_result_t before(struct geo_layer_call *call, void **scratch)
{
    (void)scratch;
    struct geo_strbuf line = {0};
    const struct geo_ddi_function *function = &geo_ddi_functions[call->id];
    const struct geo_ddi_param *params = geo_ddi_function_params(function);
    geo_strbuf_printf(&line, "%s(", function->name);
    for (size_t i = 0; i < function->param_count; i++) {
        geo_strbuf_printf(&line, "%s%s", i ? ", " : "", params[i].name);
    }
    geo_strbuf_printf(&line, ")");
    geo_loader_log(GEO_LOG_TRACE, geo_strbuf_text(&line), line.length);
    geo_strbuf_finish(&line);
    return ZE_RESULT_SUCCESS;
}

/* Returns whether an argument may be read on the host. In an append function, only descriptors
 * are certain to be in host memory. */
static bool is_hosts(const struct geo_ddi_function *function, const struct geo_ddi_param *param)
{
    bool describes = param->kind == GEO_DDI_STRUCT && param->index >= 0 &&
                     geo_ddi_structs[param->index].has_stype;
    return describes || !strstr(function->name, "Append");
}

/* Prints the result. Returns true when the call succeeded. */
static bool result_add(struct geo_strbuf *line, const struct geo_layer_call *call)
{
    const struct geo_ddi_function *function = &geo_ddi_functions[call->id];
    if (function->returns != GEO_DDI_RESULT) {
        geo_strbuf_printf(line, "SUCCESS (");
        if (function->returns == GEO_DDI_RETURNS_HANDLE) {
            pointer_add(line, *(void *const *)call->result);
        } else {
            geo_strbuf_printf(line, "%u", *(const uint32_t *)call->result);
        }
        geo_strbuf_printf(line, ")");
        return true;
    }
    const ze_result_t result = *(const ze_result_t *)call->result;
    const char *name = geo_ddi_result_name(result);
    const char *word = result == ZE_RESULT_SUCCESS       ? "SUCCESS"
                       : strstr(name, "_ERROR_") != NULL ? "ERROR"
                                                         : "WARNING";
    geo_strbuf_printf(line, "%s (%s)", word, name);
    return result == ZE_RESULT_SUCCESS;
}

static void after(struct geo_layer_call *call, void **scratch)
{
    (void)scratch;
    struct geo_strbuf line = {0};
    const struct geo_ddi_function *function = &geo_ddi_functions[call->id];
    const struct geo_ddi_param *params = geo_ddi_function_params(function);
    const bool is_read = result_add(&line, call);
    geo_strbuf_printf(&line, " in %s(", function->name);
    for (size_t i = 0; i < function->param_count; i++) {
        geo_strbuf_printf(&line, "%s%s=", i ? ", " : "", params[i].name);
        value_add(&line, &params[i], call->arguments[i], is_read && is_hosts(function, &params[i]),
                  0);
    }
    geo_strbuf_printf(&line, ")");
    geo_loader_log(GEO_LOG_TRACE, geo_strbuf_text(&line), line.length);
    geo_strbuf_finish(&line);
}

const struct geo_layer_part geo_val_part_calls = {
    .name = "calls", .wants = wants, .before = before, .after = after};
