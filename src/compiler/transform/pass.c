/* A pass in progress: scratch memory, failures, constants. See internal.h. */
#include "compiler/transform/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool geo_pass_begin(struct geo_pass *pass, struct geo_ir_module *module, struct geo_strbuf *log)
{
    *pass = (struct geo_pass){.module = module, .log = log, .optimize = true};
    geo_arena_init(&pass->arena, 0);
    pass->type_void = geo_ir_type_void(module);
    pass->type_bool = geo_ir_type_bool(module);
    pass->type_i8 = geo_ir_type_int(module, 8);
    pass->type_i32 = geo_ir_type_int(module, 32);
    pass->type_i64 = geo_ir_type_int(module, 64);
    return (pass->type_void && pass->type_bool && pass->type_i8 && pass->type_i32 &&
            pass->type_i64) ||
           geo_pass_no_memory(pass);
}

ze_result_t geo_pass_end(struct geo_pass *pass)
{
    geo_arena_finish(&pass->arena);
    return pass->result;
}

bool geo_pass_no_memory(struct geo_pass *pass)
{
    if (pass->result == ZE_RESULT_SUCCESS) {
        pass->result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    return false;
}

bool geo_pass_fail(struct geo_pass *pass, const char *format, ...)
{
    if (pass->result == ZE_RESULT_SUCCESS) {
        va_list args;
        va_start(args, format);
        geo_strbuf_printf(pass->log, "error: ");
        geo_strbuf_vprintf(pass->log, format, args);
        geo_strbuf_printf(pass->log, "\n");
        va_end(args);
        pass->result = ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    return false;
}

const char *geo_function_label(const struct geo_ir_function *function, char *buffer, size_t size)
{
    const char *name = function->is_kernel      ? function->entry_name
                       : function->linkage_name ? function->linkage_name
                                                : function->value.name;
    const char *what = function->is_kernel ? "kernel" : "function";
    if (name) {
        snprintf(buffer, size, "%s \"%.200s\"", what, name);
    } else {
        snprintf(buffer, size, "%s %%%u", what, function->value.id);
    }
    return buffer;
}

/* ---- constants ---- */

static size_t key_hash(const struct geo_ir_type *type, uint64_t bits)
{
    uint64_t h = ((uint64_t)(uintptr_t)type >> 4) * 0x9E3779B97F4A7C15u ^ bits;
    h ^= h >> 29;
    h *= 0xBF58476D1CE4E5B9u;
    return (size_t)(h ^ h >> 32);
}

static bool is_scalar_constant(const struct geo_ir_value *value)
{
    uint64_t bits;
    return value->kind == GEO_VALUE_CONSTANT && value->type->kind != GEO_TYPE_POINTER &&
           geo_ir_constant_bits(value, &bits);
}

static uint64_t value_bits(const struct geo_ir_value *value)
{
    uint64_t bits = 0;
    geo_ir_constant_bits(value, &bits);
    return bits;
}

/* The slot of a key in a table with room. */
static struct geo_ir_value **slot_find(struct geo_ir_value **slots, size_t capacity,
                                       const struct geo_ir_type *type, uint64_t bits)
{
    size_t at = key_hash(type, bits) & (capacity - 1);
    while (slots[at] && (slots[at]->type != type || value_bits(slots[at]) != bits)) {
        at = (at + 1) & (capacity - 1);
    }
    return &slots[at];
}

/* Makes a table of at least twice `count` slots and moves what was in the old one. */
static struct geo_ir_value **slots_grow(struct geo_pass *pass, struct geo_ir_value **old,
                                        size_t old_capacity, size_t count, size_t *capacity)
{
    size_t larger = 64;
    while (larger < 2 * count + 2) {
        larger *= 2;
    }
    struct geo_ir_value **slots = geo_arena_new_array(&pass->arena, struct geo_ir_value *, larger);
    if (!slots) {
        geo_pass_no_memory(pass);
        return NULL;
    }
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i]) {
            *slot_find(slots, larger, old[i]->type, value_bits(old[i])) = old[i];
        }
    }
    *capacity = larger;
    return slots;
}

/* The first use takes in the scalars that the module has. */
static bool constants_fill(struct geo_pass *pass)
{
    pass->constants.slots =
        slots_grow(pass, NULL, 0, pass->module->constants.count + 32, &pass->constants.capacity);
    if (!pass->constants.slots) {
        return false;
    }
    for (size_t i = 0; i < pass->module->constants.count; i++) {
        struct geo_ir_value *value = pass->module->constants.items[i];
        if (!is_scalar_constant(value)) {
            continue;
        }
        struct geo_ir_value **slot = slot_find(pass->constants.slots, pass->constants.capacity,
                                               value->type, value_bits(value));
        pass->constants.count += *slot == NULL;
        *slot = value;
    }
    return true;
}

struct geo_ir_value *geo_pass_int(struct geo_pass *pass, const struct geo_ir_type *type,
                                  uint64_t bits)
{
    if (type->kind == GEO_TYPE_BOOL) {
        bits &= 1;
    } else if (type->width < 64) {
        bits &= ((uint64_t)1 << type->width) - 1;
    }
    if (!pass->constants.slots && !constants_fill(pass)) {
        return NULL;
    }
    if (2 * (pass->constants.count + 1) > pass->constants.capacity) {
        struct geo_ir_value **slots =
            slots_grow(pass, pass->constants.slots, pass->constants.capacity,
                       2 * pass->constants.count, &pass->constants.capacity);
        if (!slots) {
            return NULL;
        }
        pass->constants.slots = slots;
    }
    struct geo_ir_value **slot =
        slot_find(pass->constants.slots, pass->constants.capacity, type, bits);
    if (!*slot) {
        struct geo_ir_constant *made = geo_ir_const_scalar(pass->module, type, bits);
        if (!made) {
            geo_pass_no_memory(pass);
            return NULL;
        }
        *slot = &made->value;
        pass->constants.count++;
    }
    return *slot;
}

struct geo_ir_value *geo_pass_undef(struct geo_pass *pass, const struct geo_ir_type *type)
{
    if (2 * (pass->undefs.count + 1) > pass->undefs.capacity) {
        struct geo_ir_value **slots = slots_grow(pass, pass->undefs.slots, pass->undefs.capacity,
                                                 2 * pass->undefs.count, &pass->undefs.capacity);
        if (!slots) {
            return NULL;
        }
        pass->undefs.slots = slots;
    }
    struct geo_ir_value **slot = slot_find(pass->undefs.slots, pass->undefs.capacity, type, 0);
    if (!*slot) {
        *slot = geo_ir_undef(pass->module, type);
        if (!*slot) {
            geo_pass_no_memory(pass);
            return NULL;
        }
        pass->undefs.count++;
    }
    return *slot;
}

struct geo_ir_value *geo_value_end(struct geo_ir_value *value)
{
    struct geo_ir_value *end = value;
    while (end->forward) {
        end = end->forward;
    }
    while (value->forward && value->forward != end) {
        struct geo_ir_value *next = value->forward;
        value->forward = end;
        value = next;
    }
    return end;
}
