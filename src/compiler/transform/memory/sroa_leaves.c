/* Lists the scalars of a type, for scalar replacement. See sroa.h. */
#include "compiler/transform/memory/sroa.h"

bool sroa_is_scalar(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_BOOL || type->kind == GEO_TYPE_INT ||
           type->kind == GEO_TYPE_FLOAT || type->kind == GEO_TYPE_POINTER ||
           type->kind == GEO_TYPE_OPAQUE;
}

/* Recurses as deep as types nest: at most 255. Types without leaves are skipped, since they may
 * have any number of members. */
bool sroa_leaves(const struct geo_ir_type *type, uint64_t offset, struct sroa_leaf *leaves,
                 uint32_t limit, uint32_t *count)
{
    if (sroa_is_scalar(type)) {
        if (*count == limit) {
            return false;
        }
        leaves[(*count)++] = (struct sroa_leaf){offset, offset + type->size, type};
        return true;
    }
    if (type->kind != GEO_TYPE_VECTOR && type->kind != GEO_TYPE_ARRAY &&
        type->kind != GEO_TYPE_STRUCT) {
        return false;
    }
    for (uint64_t i = 0; type->leaves && i < type->count; i++) {
        bool member = type->kind == GEO_TYPE_STRUCT;
        uint64_t at = offset + (member ? type->offsets[i] : i * type->element->size);
        if (!sroa_leaves(member ? type->members[i] : type->element, at, leaves, limit, count)) {
            return false;
        }
    }
    return true;
}
