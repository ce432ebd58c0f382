/* Types of the model: made once, compared by pointer; layout as OpenCL C has it. See ir.h. */
#include "compiler/ir/ir.h"

#include "base/array.h"

#include <stdio.h>
#include <string.h>

static struct geo_ir_type *type_add(struct geo_ir_module *module, enum geo_ir_type_kind kind)
{
    if (!geo_array_reserve(&module->types, 1)) {
        return NULL;
    }
    struct geo_ir_type *type = geo_arena_new(&module->arena, struct geo_ir_type);
    if (type) {
        type->kind = kind;
        type->align = 1;
        type->name = "";
        module->types.items[module->types.count++] = type;
    }
    return type;
}

/* Is this the type asked for? members: count of them, compared by pointer. */
struct type_key {
    enum geo_ir_type_kind kind;
    uint32_t width;
    uint64_t count;
    const struct geo_ir_type *element;
    const struct geo_ir_type *const *members;
    SpvStorageClass storage;
};

static bool type_matches(const struct geo_ir_type *type, const struct type_key *key)
{
    if (type->kind != key->kind || type->width != key->width || type->count != key->count ||
        type->element != key->element || type->storage != key->storage) {
        return false;
    }
    return key->kind != GEO_TYPE_FUNCTION || key->count == 0 ||
           memcmp(type->members, key->members, key->count * sizeof(*key->members)) == 0;
}

static uint64_t round_up(uint64_t value, uint64_t align)
{
    return (value + align - 1) & ~(align - 1);
}

static uint32_t power_of_two_above(uint64_t count)
{
    uint32_t power = 1;
    while (power < count) {
        power *= 2;
    }
    return power;
}

static void type_layout(struct geo_ir_type *type)
{
    switch (type->kind) {
    case GEO_TYPE_BOOL:
        type->size = 1;
        type->align = 1;
        break;
    case GEO_TYPE_INT:
    case GEO_TYPE_FLOAT:
        type->size = type->width / 8;
        type->align = type->width / 8;
        break;
    case GEO_TYPE_VECTOR:
        type->size = type->element->size * power_of_two_above(type->count);
        type->align = (uint32_t)type->size;
        break;
    case GEO_TYPE_ARRAY:
        type->align = type->element->align;
        if (__builtin_mul_overflow(round_up(type->element->size, type->align), type->count,
                                   &type->size)) {
            type->size = UINT64_MAX;
        }
        break;
    case GEO_TYPE_POINTER:
    case GEO_TYPE_OPAQUE:
        type->size = 8;
        type->align = 8;
        break;
    default:
        break;
    }
}

static const struct geo_ir_type *type_get(struct geo_ir_module *module, const struct type_key *key)
{
    for (size_t i = 0; i < module->types.count; i++) {
        if (type_matches(module->types.items[i], key)) {
            return module->types.items[i];
        }
    }
    struct geo_ir_type *type = type_add(module, key->kind);
    if (!type) {
        return NULL;
    }
    type->width = key->width;
    type->count = key->count;
    type->element = key->element;
    type->storage = key->storage;
    if (key->kind == GEO_TYPE_FUNCTION) {
        type->members =
            geo_arena_copy(&module->arena, key->members, key->count * sizeof(*key->members));
        if (!type->members) {
            module->types.count--;
            return NULL;
        }
    }
    type_layout(type);
    return type;
}

const struct geo_ir_type *geo_ir_type_void(struct geo_ir_module *module)
{
    return type_get(module, &(struct type_key){.kind = GEO_TYPE_VOID});
}

const struct geo_ir_type *geo_ir_type_bool(struct geo_ir_module *module)
{
    return type_get(module, &(struct type_key){.kind = GEO_TYPE_BOOL});
}

const struct geo_ir_type *geo_ir_type_int(struct geo_ir_module *module, uint32_t width)
{
    return type_get(module, &(struct type_key){.kind = GEO_TYPE_INT, .width = width});
}

const struct geo_ir_type *geo_ir_type_float(struct geo_ir_module *module, uint32_t width)
{
    return type_get(module, &(struct type_key){.kind = GEO_TYPE_FLOAT, .width = width});
}

const struct geo_ir_type *geo_ir_type_vector(struct geo_ir_module *module,
                                             const struct geo_ir_type *element, uint64_t count)
{
    return type_get(
        module, &(struct type_key){.kind = GEO_TYPE_VECTOR, .element = element, .count = count});
}

const struct geo_ir_type *geo_ir_type_array(struct geo_ir_module *module,
                                            const struct geo_ir_type *element, uint64_t count)
{
    return type_get(module,
                    &(struct type_key){.kind = GEO_TYPE_ARRAY, .element = element, .count = count});
}

const struct geo_ir_type *geo_ir_type_pointer(struct geo_ir_module *module,
                                              const struct geo_ir_type *pointee,
                                              SpvStorageClass storage)
{
    return type_get(module, &(struct type_key){
                                .kind = GEO_TYPE_POINTER, .element = pointee, .storage = storage});
}

const struct geo_ir_type *geo_ir_type_function(struct geo_ir_module *module,
                                               const struct geo_ir_type *result, uint64_t count,
                                               const struct geo_ir_type *const *parameters)
{
    return type_get(module, &(struct type_key){.kind = GEO_TYPE_FUNCTION,
                                               .element = result,
                                               .count = count,
                                               .members = parameters});
}

struct geo_ir_type *geo_ir_type_struct(struct geo_ir_module *module, uint64_t count)
{
    struct geo_ir_type *type = type_add(module, GEO_TYPE_STRUCT);
    if (!type) {
        return NULL;
    }
    type->count = count;
    type->members = geo_arena_new_array(&module->arena, const struct geo_ir_type *, count);
    type->offsets = geo_arena_new_array(&module->arena, uint64_t, count);
    return type->members && type->offsets ? type : NULL;
}

struct geo_ir_type *geo_ir_type_opaque(struct geo_ir_module *module, SpvOp op)
{
    struct geo_ir_type *type = type_add(module, GEO_TYPE_OPAQUE);
    if (type) {
        type->opaque = op;
        type_layout(type);
    }
    return type;
}

struct geo_ir_type *geo_ir_type_forward_pointer(struct geo_ir_module *module,
                                                SpvStorageClass storage)
{
    struct geo_ir_type *type = type_add(module, GEO_TYPE_POINTER);
    if (type) {
        type->storage = storage;
        type_layout(type);
    }
    return type;
}

bool geo_ir_struct_layout(struct geo_ir_type *type)
{
    uint64_t offset = 0;
    uint32_t align = 1;
    for (uint64_t i = 0; i < type->count; i++) {
        const struct geo_ir_type *member = type->members[i];
        uint32_t member_align = type->packed ? 1 : member->align;
        offset = round_up(offset, member_align);
        type->offsets[i] = offset;
        if (member->size > UINT64_MAX / 4 || offset > UINT64_MAX / 4) {
            return false;
        }
        offset += member->size;
        align = member_align > align ? member_align : align;
    }
    type->align = align;
    type->size = round_up(offset, align);
    return true;
}
