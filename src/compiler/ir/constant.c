/* Constants and undefs of a module. See ir.h.
 *
 * Scalars are looked up by type and bits, undefs by type, in hash tables with open addressing.
 * Equal scalars may exist several times, as the producer wrote them: a table then holds the
 * newest. */
#include "compiler/ir/ir.h"

#include "base/array.h"
#include "base/assert.h"

#include <stdlib.h>

/* ---- the tables ---- */

static uint64_t bits_of(const struct geo_ir_value *value)
{
    return value->kind == GEO_VALUE_CONSTANT ? ((const struct geo_ir_constant *)value)->bits : 0;
}

static size_t key_hash(const struct geo_ir_type *type, uint64_t bits)
{
    uint64_t h = ((uint64_t)(uintptr_t)type >> 4) * 0x9E3779B97F4A7C15u ^ bits;
    h ^= h >> 29;
    h *= 0xBF58476D1CE4E5B9u;
    return (size_t)(h ^ h >> 32);
}

/* Returns the slot that holds the key, or the free slot for it. The table has a free slot. */
static struct geo_ir_value **slot_find(const struct geo_ir_table *table,
                                       const struct geo_ir_type *type, uint64_t bits)
{
    GEO_ASSERT(table->count < table->capacity);
    size_t at = key_hash(type, bits) & (table->capacity - 1);
    while (table->slots[at] &&
           (table->slots[at]->type != type || bits_of(table->slots[at]) != bits)) {
        at = (at + 1) & (table->capacity - 1);
    }
    return &table->slots[at];
}

static struct geo_ir_value *table_find(const struct geo_ir_table *table,
                                       const struct geo_ir_type *type, uint64_t bits)
{
    return table->capacity ? *slot_find(table, type, bits) : NULL;
}

/* Grows the table so that at most half of its slots are in use after the next insertion. */
static bool table_reserve(struct geo_ir_table *table)
{
    if (2 * (table->count + 1) <= table->capacity) {
        return true;
    }
    struct geo_ir_table larger = {.capacity = table->capacity ? 2 * table->capacity : 64,
                                  .count = table->count};
    larger.slots = calloc(larger.capacity, sizeof(struct geo_ir_value *));
    if (!larger.slots) {
        return false;
    }
    for (size_t i = 0; i < table->capacity; i++) {
        if (table->slots[i]) {
            *slot_find(&larger, table->slots[i]->type, bits_of(table->slots[i])) = table->slots[i];
        }
    }
    free(table->slots);
    *table = larger;
    return true;
}

static bool table_add(struct geo_ir_table *table, struct geo_ir_value *value)
{
    if (!table_reserve(table)) {
        return false;
    }
    struct geo_ir_value **slot = slot_find(table, value->type, bits_of(value));
    table->count += *slot == NULL;
    *slot = value;
    return true;
}

/* Returns whether the bits above those of a number are zero. */
static bool bits_fit(const struct geo_ir_type *type, uint64_t bits)
{
    switch (type->kind) {
    case GEO_TYPE_BOOL:
        return bits <= 1;
    case GEO_TYPE_INT:
    case GEO_TYPE_FLOAT:
        return type->width == 64 || bits >> type->width == 0;
    default:
        return true;
    }
}

/* ---- values ---- */

static bool constant_register(struct geo_ir_module *module, struct geo_ir_value *value)
{
    if (!geo_array_reserve(&module->constants, 1)) {
        return false;
    }
    value->index = module->next_index++;
    module->constants.items[module->constants.count++] = value;
    return true;
}

struct geo_ir_constant *geo_ir_const_blank(struct geo_ir_module *module,
                                           const struct geo_ir_type *type)
{
    struct geo_ir_constant *constant = geo_arena_new(&module->arena, struct geo_ir_constant);
    if (!constant) {
        return NULL;
    }
    constant->value.kind = GEO_VALUE_CONSTANT;
    constant->value.type = type;
    return constant_register(module, &constant->value) ? constant : NULL;
}

struct geo_ir_constant *geo_ir_const_scalar(struct geo_ir_module *module,
                                            const struct geo_ir_type *type, uint64_t bits)
{
    GEO_ASSERT(bits_fit(type, bits));
    struct geo_ir_constant *constant = geo_ir_const_blank(module, type);
    if (!constant) {
        return NULL;
    }
    constant->bits = bits;
    return table_add(&module->scalars, &constant->value) ? constant : NULL;
}

struct geo_ir_value *geo_ir_const_int(struct geo_ir_module *module, const struct geo_ir_type *type,
                                      uint64_t bits)
{
    GEO_ASSERT(type->kind == GEO_TYPE_BOOL || type->kind == GEO_TYPE_INT ||
               type->kind == GEO_TYPE_FLOAT);
    if (type->kind == GEO_TYPE_BOOL) {
        bits &= 1;
    } else if (type->width < 64) {
        bits &= (UINT64_C(1) << type->width) - 1;
    }
    struct geo_ir_value *found = table_find(&module->scalars, type, bits);
    if (found) {
        return found;
    }
    struct geo_ir_constant *constant = geo_ir_const_scalar(module, type, bits);
    return constant ? &constant->value : NULL;
}

struct geo_ir_value *geo_ir_const_null(struct geo_ir_module *module, const struct geo_ir_type *type)
{
    if (type->kind == GEO_TYPE_INT || type->kind == GEO_TYPE_BOOL || type->kind == GEO_TYPE_FLOAT) {
        return geo_ir_const_int(module, type, 0);
    }
    struct geo_ir_constant *constant = geo_ir_const_blank(module, type);
    if (!constant) {
        return NULL;
    }
    constant->is_null = true;
    return &constant->value;
}

struct geo_ir_value *geo_ir_const_undef(struct geo_ir_module *module,
                                        const struct geo_ir_type *type)
{
    struct geo_ir_value *value = table_find(&module->undefs, type, 0);
    if (value) {
        return value;
    }
    value = geo_arena_new(&module->arena, struct geo_ir_value);
    if (!value) {
        return NULL;
    }
    value->kind = GEO_VALUE_UNDEF;
    value->type = type;
    return constant_register(module, value) && table_add(&module->undefs, value) ? value : NULL;
}

uint32_t geo_ir_constants_depth(struct geo_ir_value *const *values, uint64_t count)
{
    uint32_t depth = 0;
    for (uint64_t i = 0; i < count; i++) {
        const struct geo_ir_constant *constant = values[i] ? geo_ir_as_constant(values[i]) : NULL;
        depth = constant && constant->depth > depth ? constant->depth : depth;
    }
    return depth;
}

struct geo_ir_constant *geo_ir_const_composite(struct geo_ir_module *module,
                                               const struct geo_ir_type *type,
                                               struct geo_ir_value *const *members)
{
    GEO_ASSERT(type->kind == GEO_TYPE_VECTOR || type->kind == GEO_TYPE_ARRAY ||
               type->kind == GEO_TYPE_STRUCT);
    struct geo_ir_constant *constant = geo_ir_const_blank(module, type);
    if (!constant) {
        return NULL;
    }
    constant->members =
        geo_arena_copy(&module->arena, members, type->count * sizeof(struct geo_ir_value *));
    constant->depth = geo_ir_constants_depth(members, type->count) + 1;
    return constant->members ? constant : NULL;
}

bool geo_ir_constant_bits(const struct geo_ir_value *value, uint64_t *bits)
{
    const struct geo_ir_constant *constant = (const struct geo_ir_constant *)value;
    if (value->kind != GEO_VALUE_CONSTANT || constant->members || constant->op != SpvOpNop) {
        return false;
    }
    switch (value->type->kind) {
    case GEO_TYPE_BOOL:
    case GEO_TYPE_INT:
    case GEO_TYPE_FLOAT:
    case GEO_TYPE_POINTER:
    case GEO_TYPE_OPAQUE:
        *bits = constant->is_null ? 0 : constant->bits;
        return true;
    default:
        return false;
    }
}
