/* Counts and finds the scalar parts of types and places them in memory, without LLVM; see parts.h.
 *
 * The reader bounds the depth of types, and counts the leaves when it makes a type. Types without
 * leaves are skipped, because a type may have any number of such members. */
#include "compiler/lower/state/parts.h"

#include "base/assert.h"
#include "compiler/ir/budget.h"

/* Accesses of more than WIDE_PARTS parts are charged WIDE_COST units of the build's budget for each
 * part and lane. Real structs are smaller, and a few words of a module could otherwise ask for a
 * million instructions. */
#define WIDE_PARTS 64u
#define WIDE_COST  1024u

uint32_t geo_part_count(const struct geo_ir_type *type)
{
    return type->leaves > GEO_PARTS_LIMIT ? GEO_PARTS_LIMIT + 1 : (uint32_t)type->leaves;
}

const struct geo_ir_type *geo_part_type(const struct geo_ir_type *type, uint32_t part)
{
    GEO_ASSERT(part < geo_part_count(type));
    for (;;) {
        if (type->kind == GEO_TYPE_VECTOR) {
            return type->element;
        }
        if (type->kind == GEO_TYPE_ARRAY) {
            part %= geo_part_count(type->element);
            type = type->element;
        } else if (type->kind == GEO_TYPE_STRUCT) {
            uint64_t member = geo_ir_struct_member_at(type, part);
            part -= (uint32_t)type->first_leaves[member];
            type = type->members[member];
        } else {
            return type;
        }
    }
}

uint64_t geo_part_offset(const struct geo_ir_type *type, uint32_t part)
{
    GEO_ASSERT(part < geo_part_count(type));
    uint64_t offset = 0;
    for (;;) {
        if (type->kind == GEO_TYPE_VECTOR || type->kind == GEO_TYPE_ARRAY) {
            uint32_t each = geo_part_count(type->element);
            offset += (part / each) * type->element->size;
            part %= each;
            type = type->element;
        } else if (type->kind == GEO_TYPE_STRUCT) {
            uint64_t member = geo_ir_struct_member_at(type, part);
            part -= (uint32_t)type->first_leaves[member];
            offset += type->offsets[member];
            type = type->members[member];
        } else {
            return offset;
        }
    }
}

bool geo_part_select(const struct geo_ir_type *type, const uint32_t *indices, uint32_t count,
                     uint32_t *part, const struct geo_ir_type **selected)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = indices[i];
        if (type->kind == GEO_TYPE_STRUCT) {
            if (index >= type->count) {
                return false;
            }
            first += (uint32_t)type->first_leaves[index];
            type = type->members[index];
        } else if (type->kind == GEO_TYPE_VECTOR || type->kind == GEO_TYPE_ARRAY) {
            if (index >= type->count) {
                return false;
            }
            first += index * geo_part_count(type->element);
            type = type->element;
        } else {
            return false;
        }
    }
    *part = first;
    *selected = type;
    return true;
}

static uint64_t places_walk(const struct geo_ir_type *type, uint64_t offset,
                            struct geo_part_place *places)
{
    uint64_t count = 0;
    if (type->leaves == 0) {
        return 0;
    }
    switch (type->kind) {
    case GEO_TYPE_VECTOR:
    case GEO_TYPE_ARRAY:
        for (uint64_t i = 0; i < type->count; i++) {
            count += places_walk(type->element, offset + i * type->element->size, places + count);
        }
        return count;
    case GEO_TYPE_STRUCT:
        for (uint64_t i = 0; i < type->count; i++) {
            count += places_walk(type->members[i], offset + type->offsets[i], places + count);
        }
        return count;
    default:
        places[0] = (struct geo_part_place){type, offset};
        return 1;
    }
}

const struct geo_part_place *geo_part_places(struct geo_lower_function *f,
                                             const struct geo_ir_inst *inst,
                                             const struct geo_ir_type *type, uint32_t *count)
{
    uint32_t parts = geo_part_count(type);
    if (parts == 0 || parts > GEO_PARTS_LIMIT) {
        geo_state_error(f, inst,
                        parts ? "type %%%u is too large to be held as a value"
                              : "type %%%u has no components",
                        type->id);
        return NULL;
    }
    if (parts > WIDE_PARTS && !geo_budget_spend((uint64_t)parts * f->lanes * WIDE_COST)) {
        geo_state_no_memory(f);
        return NULL;
    }
    struct geo_part_place *places = geo_arena_new_array(f->arena, struct geo_part_place, parts);
    if (!places) {
        geo_state_no_memory(f);
        return NULL;
    }
    *count = (uint32_t)places_walk(type, 0, places);
    GEO_ASSERT(*count == parts);
    return places;
}
