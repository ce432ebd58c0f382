/* Joins accesses of adjacent elements into accesses of vectors of 8 or 16 bytes.
 *
 *     a = p[4 * i]                       v = *(float4 *)(p + 4 * i)
 *     b = p[4 * i + 1]           -->     a = v.x, b = v.y
 *     c = p[4 * i + 2]                   c = v.z, d = v.w
 *     d = p[4 * i + 3]
 *
 * Where each lane reads a record of its own, a gather loads one element of all lanes. A vector is
 * loaded once for each lane, and a transposition gives the elements (lower/memory/record.h). Loads
 * are joined only if they are far apart from lane to lane: others are already loaded as long rows.
 *
 * Stores are also joined if they fill the distance from lane to lane, as those of pixels of three
 * bytes do. All lanes together store one long row.
 *
 * Atomics on local memory are not joined, but those of one record get their addresses from that of
 * its first one.
 *
 * The accesses of a group are in one block, so they have the same lanes. Nothing between them
 * writes memory, and nothing between joined stores reads it. */
#include "compiler/transform/pass/offset.h"
#include "compiler/transform/pass/pass.h"

#include "compiler/analysis/shape.h"
#include "compiler/ir/access.h"

#include <stdlib.h>

#define OPEN_LIMIT   128u /* accesses that wait for others */
#define WALK_LIMIT   32u  /* instructions between an access and the base of its address */
#define JOINED_BYTES 16u
#define TOTAL_LIMIT  (GEO_LIMIT_FUNCTION_INSTRUCTIONS / 4) /* of a function that is looked at */
#define LANES        8u                                    /* lanes for which shapes are computed */

/* An address: base + extension(index) * scale + offset. */
struct place {
    const struct geo_ir_value *base, *index; /* index NULL: none */
    SpvOp extension;                         /* SpvOpNop: the index has 64 bits */
    uint64_t scale;
    int64_t offset;
};

/* An access that may be joined with others. */
struct open {
    struct geo_ir_inst *inst;
    struct place place;
    uint32_t number; /* position among the accesses of the block */
    /* elements from lane to lane, if stores may fill that distance; 0: the lanes are far apart */
    uint32_t record;
};

/* The state of the pass in one function. */
struct adjacent {
    struct geo_pass *pass;
    struct geo_shapes shapes;
    struct open open[OPEN_LIMIT], group[OPEN_LIMIT];
    uint32_t count;
    struct open record; /* the block's last atomic at an address of its own; inst NULL: none */
};

/* ---- addresses ---- */

static bool place_add(struct place *place, int64_t index, uint64_t scale)
{
    int64_t bytes;
    return scale <= INT64_MAX && !__builtin_mul_overflow(index, (int64_t)scale, &bytes) &&
           !__builtin_add_overflow(place->offset, bytes, &place->offset);
}

/* Returns whether an or with a constant adds it: the bits are zero in the other operand. */
static bool is_disjoint(const struct geo_ir_value *value, uint64_t bits)
{
    const struct geo_ir_inst *shift = geo_ir_as_inst((struct geo_ir_value *)value);
    uint64_t distance;
    return shift && shift->op == SpvOpShiftLeftLogical &&
           geo_ir_constant_bits(shift->operands[1], &distance) && distance < 64 &&
           bits < UINT64_C(1) << distance;
}

/* Takes constants out of an index or, if it is extended, out of what is extended. Such a sum may
 * only be extended in parts if it does not wrap. */
static const struct geo_ir_value *index_split(struct place *place, const struct geo_ir_value *index)
{
    uint32_t needed = place->extension == SpvOpSConvert   ? GEO_VALUE_NO_SIGNED_WRAP
                      : place->extension == SpvOpUConvert ? GEO_VALUE_NO_UNSIGNED_WRAP
                                                          : 0;
    for (uint32_t i = 0; i < WALK_LIMIT; i++) {
        const struct geo_ir_inst *inst = geo_ir_as_inst((struct geo_ir_value *)index);
        uint64_t bits;
        if (!inst || inst->operand_count != 2 || !geo_ir_constant_bits(inst->operands[1], &bits)) {
            return index;
        }
        uint32_t unused = 64 - inst->value.type->width;
        bool adds = inst->op == SpvOpIAdd && (inst->value.flags & needed) == needed;
        bool ors = inst->op == SpvOpBitwiseOr && is_disjoint(inst->operands[0], bits);
        int64_t constant =
            place->extension == SpvOpUConvert ? (int64_t)bits : (int64_t)(bits << unused) >> unused;
        if ((!adds && !ors) || !place_add(place, constant, place->scale)) {
            return index;
        }
        index = inst->operands[0];
    }
    return index;
}

/* Adds the variable index of a chain. Returns false if the chain has another form. */
static bool index_add(struct place *place, const struct geo_ir_inst *chain)
{
    bool element = geo_op_is(chain->op, GEO_IS_ELEMENT_CHAIN);
    if (place->index || chain->operand_count != 2 ||
        (!element && chain->op != (SpvOp)GEO_OP_PTR_ADD)) {
        return false;
    }
    place->scale = element ? chain->operands[0]->type->element->size : 1;
    place->index = chain->operands[1];
    if (place->index->type->width == 64) {
        place->index = index_split(place, place->index);
    }
    const struct geo_ir_inst *inst = geo_ir_as_inst((struct geo_ir_value *)place->index);
    if (place->index->type->width < 64) {
        place->extension = SpvOpSConvert; /* as access chains read their indices */
        place->index = index_split(place, place->index);
    } else if (inst && (inst->op == SpvOpSConvert || inst->op == SpvOpUConvert) &&
               inst->operands[0]->type->width < 64) {
        place->extension = inst->op;
        place->index = index_split(place, inst->operands[0]);
    }
    return true;
}

static struct place place_of(struct geo_ir_value *pointer)
{
    struct place place = {.base = pointer, .extension = SpvOpNop};
    for (uint32_t i = 0; i < WALK_LIMIT; i++) {
        const struct geo_ir_inst *inst = geo_ir_as_inst(pointer);
        int64_t step;
        if (!inst) {
            break;
        }
        if (geo_make_pointer_step(inst->op, inst->value.type, inst->operands, inst->operand_count,
                                  &step)) {
            if (!place_add(&place, step, 1)) {
                break;
            }
        } else if (!index_add(&place, inst)) {
            break;
        }
        pointer = inst->operands[0];
        place.base = pointer;
    }
    return place;
}

/* ---- groups ---- */

/* Returns the type of the element that an access loads or stores. */
static const struct geo_ir_type *element_of(const struct geo_ir_inst *inst)
{
    return inst->op == SpvOpLoad ? inst->value.type : inst->operands[1]->type;
}

static bool differ_by_constant(const struct place *a, const struct place *b)
{
    return a->base == b->base && a->index == b->index && a->extension == b->extension &&
           a->scale == b->scale;
}

/* Returns whether two addresses differ by a constant, and the accesses in nothing else. */
static bool is_one_group(const struct open *a, const struct open *b)
{
    return differ_by_constant(&a->place, &b->place) &&
           a->inst->memory_flags == b->inst->memory_flags &&
           element_of(a->inst) == element_of(b->inst) && a->record == b->record;
}

static int offset_compare(const void *left, const void *right)
{
    const struct open *a = left, *b = right;
    if (a->place.offset != b->place.offset) {
        return a->place.offset < b->place.offset ? -1 : 1;
    }
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Returns the alignment of an access's address that is known from the access itself. */
static uint32_t align_of(const struct geo_ir_inst *inst)
{
    return inst->memory_align ? inst->memory_align : element_of(inst)->align;
}

/* Returns the pointer to the first of some accesses in ascending order, before `inst`, which is one
 * of them. */
static struct geo_ir_value *pointer_make(struct geo_pass *pass, const struct open *first,
                                         const struct open *at, const struct geo_ir_type *vector)
{
    return geo_make_offset(pass, at->inst, at->inst->operands[0],
                           (uint64_t)first->place.offset - (uint64_t)at->place.offset, vector);
}

static bool loads_join(struct geo_pass *pass, const struct open *items, uint32_t count,
                       const struct geo_ir_type *vector)
{
    const struct open *earliest = items;
    for (uint32_t i = 1; i < count; i++) {
        earliest = items[i].number < earliest->number ? &items[i] : earliest;
    }
    struct geo_ir_inst *before = earliest->inst;
    struct geo_ir_value *pointer = pointer_make(pass, items, earliest, vector);
    struct geo_ir_inst *load = pointer ? geo_make(pass, before, SpvOpLoad, vector, 1, 0, 0) : NULL;
    if (!load) {
        return false;
    }
    load->operands[0] = pointer;
    load->memory_align = align_of(items[0].inst);
    load->memory_flags = items[0].inst->memory_flags;
    for (uint32_t i = 0; i < count; i++) {
        struct geo_ir_value *element =
            geo_make_extract(pass, before, element_of(before), &load->value, &i, 1);
        if (!element) {
            return false;
        }
        items[i].inst->value.forward = element;
    }
    for (uint32_t i = 0; i < count; i++) {
        geo_ir_inst_remove(items[i].inst);
    }
    return true;
}

static bool stores_join(struct geo_pass *pass, const struct open *items, uint32_t count,
                        const struct geo_ir_type *vector)
{
    const struct open *latest = items;
    for (uint32_t i = 1; i < count; i++) {
        latest = items[i].number > latest->number ? &items[i] : latest;
    }
    struct geo_ir_inst *before = latest->inst;
    struct geo_ir_value *pointer = pointer_make(pass, items, latest, vector);
    struct geo_ir_inst *value =
        geo_make(pass, before, SpvOpCompositeConstruct, vector, count, 0, 0);
    struct geo_ir_inst *store = geo_make(pass, before, SpvOpStore, pass->type_void, 2, 0, 0);
    if (!pointer || !value || !store) {
        return false;
    }
    store->operands[0] = pointer;
    store->operands[1] = &value->value;
    store->memory_align = align_of(items[0].inst);
    store->memory_flags = items[0].inst->memory_flags | (count == 3 ? GEO_ACCESS_PACKED : 0);
    for (uint32_t i = 0; i < count; i++) {
        value->operands[i] = items[i].inst->operands[1];
    }
    for (uint32_t i = 0; i < count; i++) {
        geo_ir_inst_remove(items[i].inst);
    }
    return true;
}

/* Joins the stores of a group, in the order of their offsets, if they are one record. */
static bool record_join(struct geo_pass *pass, const struct open *items, uint32_t count)
{
    const struct geo_ir_type *element = element_of(items[0].inst);
    bool adjacent = count == items[0].record;
    for (uint32_t i = 1; i < count; i++) {
        adjacent =
            adjacent && items[i].place.offset - items[i - 1].place.offset == (int64_t)element->size;
    }
    const struct geo_ir_type *vector =
        adjacent ? geo_ir_type_vector(pass->module, element, count) : NULL;
    if (adjacent && !vector) {
        return geo_pass_no_memory(pass);
    }
    return !adjacent || stores_join(pass, items, count, vector);
}

/* Joins accesses at adjacent offsets, as many as fit into a vector. `items` are one group in the
 * order of their offsets. Accesses of the same element are not joined with what is before them. */
static bool group_join(struct geo_pass *pass, const struct open *items, uint32_t count)
{
    const struct geo_ir_type *element = element_of(items[0].inst);
    int64_t size = (int64_t)element->size;
    for (uint32_t i = 0, length; i < count; i += length) {
        uint32_t run = 1;
        while (run < JOINED_BYTES / size && i + run < count &&
               items[i + run].place.offset - items[i].place.offset == run * size &&
               (i + run + 1 == count ||
                items[i + run + 1].place.offset != items[i + run].place.offset)) {
            run++;
        }
        length = run == 3 ? 2 : run;
        if (length == 1) {
            continue;
        }
        const struct geo_ir_type *vector = geo_ir_type_vector(pass->module, element, length);
        if (!vector) {
            return geo_pass_no_memory(pass);
        }
        bool loads = items[0].inst->op == SpvOpLoad;
        if (!(loads ? loads_join : stores_join)(pass, items + i, length, vector)) {
            return false;
        }
    }
    return true;
}

/* Joins what is open, and closes it. */
static bool open_join(struct adjacent *a)
{
    struct open *group = a->group;
    for (uint32_t i = 0; i < a->count; i++) {
        uint32_t count = 0;
        if (!a->open[i].inst) {
            continue; /* in an earlier group */
        }
        for (uint32_t k = i; k < a->count; k++) {
            if (a->open[k].inst && (k == i || is_one_group(&a->open[i], &a->open[k]))) {
                group[count++] = a->open[k];
                a->open[k].inst = k == i ? a->open[k].inst : NULL;
            }
        }
        qsort(group, count, sizeof(*group), offset_compare);
        bool records = count > 1 && group[0].record;
        if (count > 1 && !(records ? record_join : group_join)(a->pass, group, count)) {
            return false;
        }
    }
    a->count = 0;
    return true;
}

/* ---- the pass ---- */

/* Returns whether lanes access elements far apart from each other, one by one. */
static bool is_apart(const struct adjacent *a, const struct geo_ir_inst *inst)
{
    const struct geo_ir_value *pointer = inst->operands[0];
    return pointer->type->storage != SpvStorageClassFunction &&
           geo_shape_is_apart(&a->shapes, pointer, element_of(inst)->size);
}

/* Returns the number of elements from lane to lane for stores in such rows, or 0. */
static uint32_t record_of(const struct adjacent *a, const struct geo_ir_inst *inst)
{
    const struct geo_ir_value *pointer = inst->operands[0];
    struct geo_shape shape = geo_shape_of(&a->shapes, pointer);
    int64_t size = (int64_t)element_of(inst)->size;
    bool stores = inst->op == SpvOpStore && pointer->type->storage != SpvStorageClassFunction;
    return stores && shape.kind == GEO_SHAPE_STRIDED && shape.stride > size &&
                   shape.stride <= size * GEO_SHAPE_ROW_STEP && shape.stride % size == 0
               ? (uint32_t)(shape.stride / size)
               : 0;
}

static bool is_candidate(const struct adjacent *a, const struct geo_ir_inst *inst)
{
    if ((inst->op != SpvOpLoad && inst->op != SpvOpStore) ||
        inst->memory_flags & SpvMemoryAccessVolatileMask) {
        return false;
    }
    const struct geo_ir_type *type = element_of(inst);
    bool number = type->kind == GEO_TYPE_INT || type->kind == GEO_TYPE_FLOAT;
    return number && !geo_ir_is_odd_int(type) &&
           (record_of(a, inst) || (type->size >= 4 && is_apart(a, inst)));
}

/* Returns whether what is open must be joined before an instruction: it cannot be one of them, and
 * they must not move past it. Stores stay in order, since other ones may be to the same memory. */
static bool closes(const struct adjacent *a, const struct open *next, bool candidate)
{
    if (a->count == 0) {
        return false;
    }
    bool stores = a->open[0].inst->op == SpvOpStore;
    if (candidate && next->inst->op == a->open[0].inst->op) {
        return a->count == OPEN_LIMIT || (stores && !is_one_group(&a->open[0], next));
    }
    return geo_ir_has_effect(next->inst) || (stores && next->inst->op == SpvOpLoad);
}

/* Computes an atomic's address from that of the atomic before, if they differ by a constant. So
 * lanes that take turns have one address for a record (lower/memory/atomic_group.h). */
static bool atomic_address_share(struct adjacent *a, struct geo_ir_inst *inst)
{
    struct open next = {.inst = inst, .place = place_of(inst->operands[0])};
    if (!a->record.inst || !next.place.index ||
        !differ_by_constant(&a->record.place, &next.place)) {
        a->record = next;
        return true;
    }
    struct geo_ir_value *pointer =
        geo_make_offset(a->pass, inst, a->record.inst->operands[0],
                        (uint64_t)next.place.offset - (uint64_t)a->record.place.offset,
                        inst->operands[0]->type->element);
    if (pointer) {
        inst->operands[0] = pointer;
    }
    return pointer != NULL;
}

static bool is_local_atomic(const struct geo_ir_inst *inst)
{
    return geo_op_is(inst->op, GEO_IS_ATOMIC) && inst->operand_count &&
           inst->operands[0]->type->kind == GEO_TYPE_POINTER &&
           inst->operands[0]->type->storage == SpvStorageClassWorkgroup;
}

static bool block_join(struct adjacent *a, struct geo_ir_block *block)
{
    uint32_t number = 0;
    a->record.inst = NULL;
    for (struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
        struct open next = {.inst = inst, .number = number++};
        bool candidate = is_candidate(a, inst);
        if (candidate) {
            next.place = place_of(inst->operands[0]);
            next.record = record_of(a, inst);
        }
        if (closes(a, &next, candidate) && !open_join(a)) {
            return false;
        }
        if (candidate) {
            a->open[a->count++] = next;
        }
        if (is_local_atomic(inst) && !atomic_address_share(a, inst)) {
            return false;
        }
    }
    return open_join(a);
}

static bool function_join(struct geo_pass *pass, struct geo_ir_function *function)
{
    struct geo_cfg cfg;
    struct geo_dominators tree;
    struct geo_loops loops;
    const struct geo_shape_options options = {.lanes = LANES, .ids_fit_31_bits = true};
    struct adjacent *a = geo_arena_new_array(&pass->arena, struct adjacent, 1);
    if (geo_pass_instruction_count(function) > TOTAL_LIMIT) {
        return true;
    }
    geo_ir_function_number(function);
    if (!a || !geo_cfg_build(function, &pass->arena, &cfg) ||
        !geo_dominators_compute(&cfg, &pass->arena, &tree) ||
        !geo_loops_compute(&tree, &pass->arena, &loops) ||
        !geo_shapes_compute(&loops, &options, &pass->arena, &a->shapes)) {
        return geo_pass_no_memory(pass);
    }
    a->pass = pass;
    geo_ir_for_each_block(block, function) {
        if (!block_join(a, block)) {
            return false;
        }
    }
    geo_ir_function_resolve(function);
    geo_ir_function_number(function);
    return true;
}

ze_result_t geo_transform_adjacent(struct geo_ir_module *module, struct geo_strbuf *log)
{
    struct geo_pass pass;
    bool good = geo_pass_begin(&pass, module, log);
    geo_ir_for_each_function(function, module) {
        if (good && function->first_block && !function->irreducible && !module->concurrent_items) {
            good = function_join(&pass, function);
        }
    }
    return geo_pass_end(&pass);
}
