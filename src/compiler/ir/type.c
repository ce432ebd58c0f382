/* Types of the model: each is made once and compared by pointer. Their layout is OpenCL C's. See
 * ir.h.
 *
 * Types are looked up in a hash table with open addressing. Leaves are counted when a type is laid
 * out: a walk over a type would take exponential time if each level holds the previous one
 * twice. */
#include "compiler/ir/ir.h"

#include "base/array.h"
#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>
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

/* ---- the table ---- */

/* The contents by which types are looked up. `members` are compared by pointer. A struct's width
 * (its depth) is left out, as the members determine it. */
struct type_key {
    enum geo_ir_type_kind kind;
    uint32_t width;
    uint64_t count;
    const struct geo_ir_type *element;
    const struct geo_ir_type *const *members;
    SpvStorageClass storage;
    bool packed;
    SpvOp opaque;
    struct geo_ir_image image;
    struct geo_ir_matrix matrix;
};

static struct type_key key_of(const struct geo_ir_type *type)
{
    return (struct type_key){
        .kind = type->kind,
        .width = type->kind == GEO_TYPE_STRUCT ? 0 : type->width,
        .count = type->count,
        .element = type->element,
        .members = type->members,
        .storage = type->storage,
        .packed = type->packed,
        .opaque = type->opaque,
        .image = type->image,
        .matrix = type->matrix,
    };
}

static uint32_t image_bits(struct geo_ir_image image)
{
    return image.dim | (uint32_t)image.access << 8 | (uint32_t)image.arrayed << 16 |
           (uint32_t)image.depth << 17;
}

static uint64_t matrix_bits(struct geo_ir_matrix matrix)
{
    return matrix.rows | (uint64_t)matrix.columns << 16 | (uint64_t)matrix.use << 32 |
           (uint64_t)matrix.items << 40;
}

static bool keys_equal(const struct type_key *a, const struct type_key *b)
{
    if (a->kind != b->kind || a->width != b->width || a->count != b->count ||
        a->element != b->element || a->storage != b->storage || a->packed != b->packed ||
        a->opaque != b->opaque || image_bits(a->image) != image_bits(b->image) ||
        matrix_bits(a->matrix) != matrix_bits(b->matrix)) {
        return false;
    }
    bool members = a->kind == GEO_TYPE_FUNCTION || a->kind == GEO_TYPE_STRUCT;
    return !members || a->count == 0 ||
           memcmp(a->members, b->members, a->count * sizeof(*a->members)) == 0;
}

static uint64_t mix(uint64_t h, uint64_t with)
{
    h = (h ^ with) * 0x9E3779B97F4A7C15u;
    return h ^ h >> 29;
}

static size_t key_hash(const struct type_key *key)
{
    uint64_t h = mix((uint64_t)key->kind << 32 | key->width, key->count);
    h = mix(h, (uint64_t)(uintptr_t)key->element);
    h = mix(h, (uint64_t)key->storage << 1 | key->packed);
    h = mix(h, (uint64_t)key->opaque << 32 | image_bits(key->image));
    h = mix(h, matrix_bits(key->matrix));
    bool members = key->kind == GEO_TYPE_FUNCTION || key->kind == GEO_TYPE_STRUCT;
    for (uint64_t i = 0; members && i < key->count; i++) {
        h = mix(h, (uint64_t)(uintptr_t)key->members[i]);
    }
    return (size_t)(h ^ h >> 32);
}

/* Returns the slot that holds the key, or the free slot for it. The table has a free slot. */
static struct geo_ir_type **slot_find(const struct geo_ir_type_table *table,
                                      const struct type_key *key)
{
    GEO_ASSERT(table->count < table->capacity);
    size_t at = key_hash(key) & (table->capacity - 1);
    for (; table->slots[at]; at = (at + 1) & (table->capacity - 1)) {
        struct type_key other = key_of(table->slots[at]);
        if (keys_equal(&other, key)) {
            break;
        }
    }
    return &table->slots[at];
}

/* Grows the table so that at most half of its slots are in use after the next insertion. */
static bool table_reserve(struct geo_ir_type_table *table)
{
    if (2 * (table->count + 1) <= table->capacity) {
        return true;
    }
    struct geo_ir_type_table larger = {.capacity = table->capacity ? 2 * table->capacity : 64,
                                       .count = table->count};
    larger.slots = calloc(larger.capacity, sizeof(*larger.slots));
    if (!larger.slots) {
        return false;
    }
    for (size_t i = 0; i < table->capacity; i++) {
        if (table->slots[i]) {
            struct type_key key = key_of(table->slots[i]);
            *slot_find(&larger, &key) = table->slots[i];
        }
    }
    free(table->slots);
    *table = larger;
    return true;
}

/* ---- layout ---- */

static uint64_t leaves_add(uint64_t a, uint64_t b)
{
    return __builtin_add_overflow(a, b, &a) ? UINT64_MAX : a;
}

static uint64_t leaves_times(uint64_t a, uint64_t b)
{
    return __builtin_mul_overflow(a, b, &a) ? UINT64_MAX : a;
}

static uint64_t round_up(uint64_t value, uint64_t align)
{
    GEO_ASSERT(align && (align & (align - 1)) == 0);
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
        type->leaves = 1;
        break;
    case GEO_TYPE_INT:
    case GEO_TYPE_FLOAT:
        type->size = type->width / 8;
        type->align = type->width / 8;
        type->leaves = 1;
        break;
    case GEO_TYPE_VECTOR:
        type->leaves = type->count;
        type->size = type->element->size * power_of_two_above(type->count);
        type->align = (uint32_t)type->size;
        break;
    case GEO_TYPE_ARRAY:
        type->holds_image = type->element->holds_image;
        type->align = type->element->align;
        type->leaves = leaves_times(type->element->leaves, type->count);
        if (__builtin_mul_overflow(round_up(type->element->size, type->align), type->count,
                                   &type->size)) {
            type->size = UINT64_MAX;
        }
        break;
    case GEO_TYPE_POINTER:
    case GEO_TYPE_OPAQUE:
        type->holds_image = type->opaque == SpvOpTypeImage || type->opaque == SpvOpTypeSampler ||
                            type->opaque == SpvOpTypeSampledImage;
        type->size = 8;
        type->align = 8;
        type->leaves = 1;
        break;
    default:
        break;
    }
}

static const struct geo_ir_type *type_get(struct geo_ir_module *module, const struct type_key *key)
{
    if (!table_reserve(&module->unique_types)) {
        return NULL;
    }
    struct geo_ir_type **slot = slot_find(&module->unique_types, key);
    if (*slot) {
        return *slot;
    }
    struct geo_ir_type *type = type_add(module, key->kind);
    if (!type) {
        return NULL;
    }
    type->width = key->width;
    type->count = key->count;
    type->element = key->element;
    type->storage = key->storage;
    type->opaque = key->opaque;
    type->image = key->image;
    type->matrix = key->matrix;
    if (key->kind == GEO_TYPE_FUNCTION) {
        type->members =
            geo_arena_copy(&module->arena, key->members, key->count * sizeof(*key->members));
        if (!type->members) {
            module->types.count--;
            return NULL;
        }
    }
    type_layout(type);
    module->unique_types.count++;
    *slot = type;
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
    GEO_ASSERT(width == 8 || width == 16 || width == 32 || width == 64);
    return type_get(module, &(struct type_key){.kind = GEO_TYPE_INT, .width = width});
}

const struct geo_ir_type *geo_ir_type_float(struct geo_ir_module *module, uint32_t width)
{
    GEO_ASSERT(width == 16 || width == 32 || width == 64);
    return type_get(module, &(struct type_key){.kind = GEO_TYPE_FLOAT, .width = width});
}

const struct geo_ir_type *geo_ir_type_bfloat(struct geo_ir_module *module)
{
    return type_get(
        module, &(struct type_key){.kind = GEO_TYPE_INT, .width = 16, .opaque = SpvOpTypeFloat});
}

const struct geo_ir_type *geo_ir_type_int_of_bits(struct geo_ir_module *module, uint32_t bits)
{
    GEO_ASSERT(bits >= 1 && bits <= 64);
    uint32_t width = bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : 64;
    return type_get(module, &(struct type_key){.kind = GEO_TYPE_INT,
                                               .width = width,
                                               .count = bits == width ? 0 : bits});
}

const struct geo_ir_type *geo_ir_type_vector(struct geo_ir_module *module,
                                             const struct geo_ir_type *element, uint64_t count)
{
    GEO_ASSERT(element->leaves == 1 && count >= 1 && count <= 16);
    return type_get(
        module, &(struct type_key){.kind = GEO_TYPE_VECTOR, .element = element, .count = count});
}

const struct geo_ir_type *geo_ir_type_array(struct geo_ir_module *module,
                                            const struct geo_ir_type *element, uint64_t count)
{
    return type_get(module,
                    &(struct type_key){.kind = GEO_TYPE_ARRAY, .element = element, .count = count});
}

const struct geo_ir_type *geo_ir_type_matrix(struct geo_ir_module *module,
                                             const struct geo_ir_type *element, uint64_t count,
                                             struct geo_ir_matrix matrix)
{
    return type_get(
        module, &(struct type_key){
                    .kind = GEO_TYPE_ARRAY, .element = element, .count = count, .matrix = matrix});
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
    type->first_leaves = geo_arena_new_array(&module->arena, uint64_t, count);
    return type->members && type->offsets && type->first_leaves ? type : NULL;
}

const struct geo_ir_type *geo_ir_type_opaque(struct geo_ir_module *module, SpvOp op,
                                             const struct geo_ir_type *image)
{
    if (op != SpvOpTypeOpaque) {
        return type_get(
            module, &(struct type_key){.kind = GEO_TYPE_OPAQUE, .opaque = op, .element = image});
    }
    struct geo_ir_type *type = type_add(module, GEO_TYPE_OPAQUE);
    if (type) {
        type->opaque = op;
        type_layout(type);
    }
    return type;
}

const struct geo_ir_type *geo_ir_type_image(struct geo_ir_module *module, struct geo_ir_image image)
{
    return type_get(module, &(struct type_key){
                                .kind = GEO_TYPE_OPAQUE, .opaque = SpvOpTypeImage, .image = image});
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
    GEO_ASSERT(type->kind == GEO_TYPE_STRUCT);
    uint64_t offset = 0;
    uint32_t align = 1;
    type->leaves = 0;
    for (uint64_t i = 0; i < type->count; i++) {
        const struct geo_ir_type *member = type->members[i];
        uint32_t member_align = type->packed ? 1 : member->align;
        offset = round_up(offset, member_align);
        type->offsets[i] = offset;
        if (member->size > UINT64_MAX / 4 || offset > UINT64_MAX / 4) {
            return false;
        }
        type->first_leaves[i] = type->leaves;
        type->holds_image |= member->holds_image;
        type->leaves = leaves_add(type->leaves, member->leaves);
        offset += member->size;
        align = member_align > align ? member_align : align;
    }
    type->align = align;
    type->size = round_up(offset, align);
    return true;
}

const struct geo_ir_type *geo_ir_struct_find(const struct geo_ir_module *module,
                                             const struct geo_ir_type *like)
{
    struct type_key key = key_of(like);
    return module->unique_types.capacity ? *slot_find(&module->unique_types, &key) : NULL;
}

bool geo_ir_struct_add(struct geo_ir_module *module, struct geo_ir_type *type)
{
    struct type_key key = key_of(type);
    if (!table_reserve(&module->unique_types)) {
        return false;
    }
    struct geo_ir_type **slot = slot_find(&module->unique_types, &key);
    module->unique_types.count += *slot == NULL;
    *slot = *slot ? *slot : type;
    return true;
}

/* Members without leaves have the same first leaf as the next member. The search returns the last
 * member of equal first leaves. */
uint64_t geo_ir_struct_member_at(const struct geo_ir_type *type, uint64_t leaf)
{
    GEO_ASSERT(type->kind == GEO_TYPE_STRUCT && leaf < type->leaves);
    uint64_t low = 0, high = type->count;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (type->first_leaves[middle] <= leaf) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}
