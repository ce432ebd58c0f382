/* Folds extracts and shuffles: follows a component through constructs, inserts, shuffles and
 * constants to its origin. See simplify.h. */
#include "compiler/transform/simplify/simplify.h"

#include <string.h>

#define MAX_STEPS 64u /* bound on the steps of one walk */
#define MAX_PATH  16u
/* Largest number of components of a vector of OpenCL. */
#define MAX_COMPONENTS 16u

/* Position of a value inside a composite. */
struct path {
    struct geo_ir_value *composite;
    uint32_t indices[MAX_PATH];
    uint32_t count;
};

static void path_drop_first(struct path *path)
{
    path->count--;
    memmove(path->indices, path->indices + 1, path->count * sizeof(path->indices[0]));
}

/* Steps into the operand of a CompositeConstruct that contains the path's first index. Vectors may
 * be constructed from shorter vectors. */
static bool step_construct(struct path *path, const struct geo_ir_inst *inst)
{
    uint32_t index = path->indices[0];
    if (inst->value.type->kind != GEO_TYPE_VECTOR) {
        path->composite = inst->operands[index];
        path_drop_first(path);
        return true;
    }
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        const struct geo_ir_type *type = inst->operands[i]->type;
        uint32_t count = (uint32_t)geo_ir_components(type);
        if (index < count) {
            path->composite = inst->operands[i];
            if (type->kind == GEO_TYPE_VECTOR) {
                path->indices[0] = index;
            } else {
                path_drop_first(path);
            }
            return true;
        }
        index -= count;
    }
    return false;
}

/* Steps past an insert at another position, or into the inserted value. An insert into a part of
 * the value ends the walk. */
static bool step_insert(struct path *path, const struct geo_ir_inst *inst)
{
    uint32_t common = 0;
    while (common < path->count && common < inst->literal_count &&
           path->indices[common] == inst->literals[common]) {
        common++;
    }
    if (common == inst->literal_count) {
        path->composite = inst->operands[0];
        path->count -= common;
        memmove(path->indices, path->indices + common, path->count * sizeof(path->indices[0]));
        return true;
    }
    if (common == path->count) {
        return false;
    }
    path->composite = inst->operands[1];
    return true;
}

static bool step_shuffle(struct path *path, const struct geo_ir_inst *inst)
{
    uint32_t from = inst->literals[path->indices[0]];
    uint32_t left = (uint32_t)inst->operands[0]->type->count;
    if (from == UINT32_MAX) {
        return false;
    }
    path->composite = inst->operands[from < left ? 0 : 1];
    path->indices[0] = from < left ? from : from - left;
    return true;
}

static bool step_extract(struct path *path, const struct geo_ir_inst *inst)
{
    if (path->count + inst->literal_count > MAX_PATH) {
        return false;
    }
    memmove(path->indices + inst->literal_count, path->indices,
            path->count * sizeof(path->indices[0]));
    memcpy(path->indices, inst->literals, inst->literal_count * sizeof(path->indices[0]));
    path->count += inst->literal_count;
    path->composite = inst->operands[0];
    return true;
}

/* Follows the path one step towards the origin of the value. Returns false at the end. */
static bool path_step(struct path *path)
{
    path->composite = geo_ir_value_end(path->composite);
    const struct geo_ir_inst *inst = geo_ir_as_inst(path->composite);
    if (inst) {
        switch (inst->op) {
        case SpvOpCompositeConstruct:
            return step_construct(path, inst);
        case SpvOpCompositeInsert:
            return step_insert(path, inst);
        case SpvOpVectorShuffle:
            return step_shuffle(path, inst);
        case SpvOpCompositeExtract:
            return step_extract(path, inst);
        case SpvOpCopyObject:
            path->composite = inst->operands[0];
            return true;
        default:
            return false;
        }
    }
    const struct geo_ir_constant *constant = geo_ir_as_constant(path->composite);
    if (!constant || !constant->members || constant->op != SpvOpNop) {
        return false;
    }
    path->composite = constant->members[path->indices[0]];
    path_drop_first(path);
    return true;
}

static void path_walk(struct path *path)
{
    for (uint32_t i = 0; path->count > 0 && i < MAX_STEPS && path_step(path); i++) {
    }
    path->composite = geo_ir_value_end(path->composite);
}

/* Returns the value at the path in a null or undefined composite; NULL for other composites. */
static struct geo_ir_value *path_constant(struct geo_pass *pass, const struct path *path,
                                          const struct geo_ir_type *type)
{
    const struct geo_ir_constant *constant = geo_ir_as_constant(path->composite);
    if (path->composite->kind == GEO_VALUE_UNDEF) {
        return geo_pass_undef(pass, type);
    }
    if (!constant || !constant->is_null) {
        return NULL;
    }
    if (type->kind == GEO_TYPE_INT || type->kind == GEO_TYPE_FLOAT || type->kind == GEO_TYPE_BOOL) {
        return geo_pass_int(pass, type, 0);
    }
    struct geo_ir_value *null = geo_ir_const_null(pass->module, type);
    if (!null) {
        geo_pass_no_memory(pass);
    }
    return null;
}

static struct geo_ir_value *fold_extract(struct geo_pass *pass, struct geo_ir_inst *inst,
                                         bool *changed)
{
    struct path path = {.composite = inst->operands[0], .count = inst->literal_count};
    if (inst->literal_count > MAX_PATH) {
        return NULL;
    }
    memcpy(path.indices, inst->literals, inst->literal_count * sizeof(path.indices[0]));
    path_walk(&path);
    if (path.count == 0) {
        return path.composite;
    }
    struct geo_ir_value *constant = path_constant(pass, &path, inst->value.type);
    if (constant || path.composite == inst->operands[0] || path.count > inst->literal_count) {
        return constant;
    }
    inst->operands[0] = path.composite;
    inst->literal_count = path.count;
    memcpy(inst->literals, path.indices, path.count * sizeof(path.indices[0]));
    *changed = true;
    return NULL;
}

/* Folds a construct of all components of one vector in order. */
static struct geo_ir_value *fold_construct(const struct geo_ir_inst *inst)
{
    const struct geo_ir_inst *first =
        inst->operand_count ? geo_ir_as_inst(inst->operands[0]) : NULL;
    if (!first || first->op != SpvOpCompositeExtract || first->literal_count != 1 ||
        first->operands[0]->type != inst->value.type) {
        return NULL;
    }
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        const struct geo_ir_inst *part = geo_ir_as_inst(inst->operands[i]);
        if (!part || part->op != SpvOpCompositeExtract || part->literal_count != 1 ||
            part->literals[0] != i || part->operands[0] != first->operands[0]) {
            return NULL;
        }
    }
    return inst->operand_count == inst->value.type->count ? first->operands[0] : NULL;
}

/* The vectors from which a shuffle takes its components, behind all shuffles between. */
struct origins {
    struct geo_ir_value *vectors[2];
    uint32_t picks[MAX_COMPONENTS]; /* vector 1's components follow those of vector 0 */
    uint32_t sides[MAX_COMPONENTS];
};

/* Finds the origin of one component. Returns false if it is in a third vector, or too far away. */
static bool origin_find(const struct geo_ir_inst *inst, uint32_t component, struct origins *out)
{
    struct path path = {
        .composite = (struct geo_ir_value *)&inst->value, .indices = {component}, .count = 1};
    out->picks[component] = UINT32_MAX;
    for (uint32_t i = 0; i < MAX_STEPS; i++) {
        const struct geo_ir_inst *from = geo_ir_as_inst(path.composite);
        if (!from || from->op != SpvOpVectorShuffle) {
            break;
        }
        if (from->literals[path.indices[0]] == UINT32_MAX) {
            return true;
        }
        step_shuffle(&path, from);
        path.composite = geo_ir_value_end(path.composite);
    }
    if (path.composite->kind == GEO_VALUE_UNDEF) {
        return true;
    }
    const struct geo_ir_inst *end = geo_ir_as_inst(path.composite);
    if (end && end->op == SpvOpVectorShuffle) {
        return false;
    }
    uint32_t side = out->vectors[0] && out->vectors[0] != path.composite ? 1 : 0;
    if (out->vectors[side] && out->vectors[side] != path.composite) {
        return false;
    }
    out->vectors[side] = path.composite;
    out->picks[component] = path.indices[0];
    out->sides[component] = side;
    return true;
}

/* Lets a shuffle of shuffles take its components from their origins, if these are at most two
 * vectors. The shuffles between may then be unused. */
static void shuffle_shorten(struct geo_ir_inst *inst, bool *changed)
{
    struct origins origins = {.vectors = {NULL, NULL}};
    const struct geo_ir_inst *inner[2] = {geo_ir_as_inst(geo_ir_value_end(inst->operands[0])),
                                          geo_ir_as_inst(geo_ir_value_end(inst->operands[1]))};
    bool nested = (inner[0] && inner[0]->op == SpvOpVectorShuffle) ||
                  (inner[1] && inner[1]->op == SpvOpVectorShuffle);
    if (!nested || inst->literal_count > MAX_COMPONENTS) {
        return;
    }
    for (uint32_t i = 0; i < inst->literal_count; i++) {
        if (!origin_find(inst, i, &origins)) {
            return;
        }
    }
    if (!origins.vectors[0]) {
        return; /* nothing is defined */
    }
    uint32_t left = (uint32_t)origins.vectors[0]->type->count;
    for (uint32_t i = 0; i < inst->literal_count; i++) {
        bool right = origins.picks[i] != UINT32_MAX && origins.sides[i];
        inst->literals[i] = origins.picks[i] + (right ? left : 0);
    }
    inst->operands[0] = origins.vectors[0];
    inst->operands[1] = origins.vectors[1] ? origins.vectors[1] : origins.vectors[0];
    *changed = true;
}

static struct geo_ir_value *fold_shuffle(struct geo_ir_inst *inst, bool *changed)
{
    shuffle_shorten(inst, changed);
    const struct geo_ir_type *type = inst->value.type;
    uint32_t left = (uint32_t)inst->operands[0]->type->count;
    for (int side = 0; side < 2; side++) {
        bool same = inst->operands[side]->type == type;
        for (uint32_t i = 0; same && i < inst->literal_count; i++) {
            same = inst->literals[i] == UINT32_MAX || inst->literals[i] == i + (side ? left : 0);
        }
        if (same) {
            return inst->operands[side];
        }
    }
    return NULL;
}

/* Replaces a dynamic index that is constant by a literal one. */
static struct geo_ir_value *fold_dynamic(struct geo_pass *pass, struct geo_ir_inst *inst)
{
    bool insert = inst->op == SpvOpVectorInsertDynamic;
    const struct geo_ir_type *vector = inst->operands[0]->type;
    uint64_t index;
    if (!geo_ir_constant_bits(inst->operands[insert ? 2 : 1], &index)) {
        return NULL;
    }
    if (index >= vector->count) {
        return insert ? inst->operands[0] : geo_pass_undef(pass, inst->value.type);
    }
    uint32_t literal = (uint32_t)index;
    if (!insert) {
        return geo_make_extract(pass, inst, inst->value.type, inst->operands[0], &literal, 1);
    }
    struct geo_ir_inst *made = geo_make(pass, inst, SpvOpCompositeInsert, vector, 2, 1, 0);
    if (!made) {
        return NULL;
    }
    made->operands[0] = inst->operands[1];
    made->operands[1] = inst->operands[0];
    made->literals[0] = literal;
    return &made->value;
}

struct geo_ir_value *geo_transform_fold_composite(struct geo_pass *pass, struct geo_ir_inst *inst,
                                                  bool *changed)
{
    switch (inst->op) {
    case SpvOpCompositeExtract:
        return fold_extract(pass, inst, changed);
    case SpvOpCompositeConstruct:
        return fold_construct(inst);
    case SpvOpVectorShuffle:
        return fold_shuffle(inst, changed);
    case SpvOpVectorExtractDynamic:
    case SpvOpVectorInsertDynamic:
        return fold_dynamic(pass, inst);
    default:
        return NULL;
    }
}
