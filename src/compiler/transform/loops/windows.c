/* Finds loops over windows for full_chunks.c.
 *
 *     for (k = max(x - r, 0); k <= min(x + r, n - 1); k++) sum += a[k];
 *
 * The bounds differ by lane, and so does the number of turns, but only where some lane's window is
 * clamped. Elsewhere all lanes take 2 * r + 1 turns, and a[k] is consecutive. So the first copy of
 * such a loop is entered if no lane is clamped (GEO_OP_ALL_LANES), and has bounds without clamps.
 * The second copy is the loop as it was.
 *
 * clang extends indexes to 64 bits in front of the loop, counts turns down from a difference, or
 * moves a pointer. An extension is only known to be even if it does not wrap between lanes. So each
 * extension is computed again from the one of the first lane and an id, and the question asks
 * whether both are equal. */
#include "compiler/transform/loops/windows.h"

#include "compiler/ir/debug.h"

#define MOVE_DEPTH  6u /* instructions on one path that are moved, or looked at for an id */
#define WIDE_BITS   64u
#define FIRST_ITEMS 64u /* an upper bound below this leaves few chunks inside */

/* ---- values in front of the loop ---- */

static bool is_inside_loop(const struct loop_pass *p, const struct geo_loop *loop,
                           const struct geo_ir_inst *inst)
{
    return inst && geo_loop_contains(&p->loops, loop, inst->block);
}

static bool is_moved(const struct loop_window *w, const struct geo_ir_inst *inst)
{
    for (uint32_t i = 0; i < w->moved_count; i++) {
        if (w->moved[i] == inst) {
            return true;
        }
    }
    return false;
}

/* Returns whether an instruction can be computed earlier, even where it was not. */
static bool is_movable(const struct geo_ir_inst *inst)
{
    bool scalar = inst->value.type->kind == GEO_TYPE_INT ||
                  inst->value.type->kind == GEO_TYPE_POINTER ||
                  inst->value.type->kind == GEO_TYPE_BOOL;
    bool by_lanes = inst->op == (SpvOp)GEO_OP_ALL_LANES || inst->op == (SpvOp)GEO_OP_FIRST_LANE;
    return scalar && !by_lanes && inst->op != SpvOpPhi &&
           (geo_op_is(inst->op, GEO_IS_PURE) || geo_slice_is_clamp(inst));
}

/* Lists what must be moved so that `value` is known at the end of `front`. Returns false if it
 * cannot be. */
static bool value_reaches(struct loop_pass *p, struct loop_window *w, struct geo_ir_value *value,
                          const struct geo_ir_block *front, uint32_t depth)
{
    struct geo_ir_inst *inst = geo_ir_as_inst(value);
    if (!inst || is_moved(w, inst) || geo_block_dominates(&p->tree, inst->block, front)) {
        return true;
    }
    if (depth == 0 || !is_movable(inst)) {
        return false;
    }
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        if (!value_reaches(p, w, inst->operands[i], front, depth - 1)) {
            return false;
        }
    }
    if (w->moved_count == LOOP_WINDOW_INSIDES) {
        return false;
    }
    w->moved[w->moved_count++] = inst;
    return true;
}

/* Adds a value of the loop's front that varies by clamps alone. */
static void root_add(struct loop_pass *p, struct loop_window *w, struct geo_ir_value *value,
                     const struct geo_ir_block *front)
{
    uint32_t moved = w->moved_count;
    if (geo_shape_of(w->slice.shapes, value).kind != GEO_SHAPE_VARYING ||
        w->root_count == LOOP_WINDOW_ROOTS) {
        return;
    }
    if (!value_reaches(p, w, value, front, MOVE_DEPTH) || !geo_slice_add(&w->slice, value)) {
        w->moved_count = moved;
        return;
    }
    w->root_count++;
}

/* Adds the values with which the phis of one kind of type start. */
static void phis_add(struct loop_pass *p, struct loop_window *w, const struct geo_loop *loop,
                     const struct geo_ir_block *front, enum geo_ir_type_kind kind)
{
    for (struct geo_ir_inst *phi = loop->header->first; phi->op == SpvOpPhi; phi = phi->next) {
        if (phi->operand_count == 2 && phi->value.type->kind == kind) {
            root_add(p, w, phi->operands[1 - geo_phi_find(phi, loop->latches[0])], front);
        }
    }
}

/* Adds what a guard compares. */
static void guard_add(struct loop_pass *p, struct loop_window *w, const struct geo_ir_block *front)
{
    const struct geo_ir_inst *condition =
        front->last->op == SpvOpBranchConditional ? geo_ir_as_inst(front->last->operands[0]) : NULL;
    for (uint32_t i = 0; condition && geo_pass_compare_inverse(condition->op) != SpvOpNop && i < 2;
         i++) {
        root_add(p, w, condition->operands[i], front);
    }
}

/* ---- distances between lanes ---- */

/* Stores the distance of a value from lane to lane inside. Returns false if it is not known. */
static bool stride_of(const struct loop_window *w, const struct geo_ir_value *value, uint32_t known,
                      int64_t *stride)
{
    for (uint32_t i = 0; i < known; i++) {
        if (&w->slice.insts[i]->value == value) {
            *stride = w->strides[i];
            return *stride != INT64_MAX;
        }
    }
    struct geo_shape shape = geo_shape_of(w->slice.shapes, value);
    *stride = shape.kind == GEO_SHAPE_STRIDED ? shape.stride : 0;
    return shape.kind != GEO_SHAPE_VARYING;
}

/* Computes the distance of one instruction of the slice from those of its operands. INT64_MAX: not
 * known, or not wanted, as with pointers. */
static int64_t inst_stride(const struct loop_window *w, uint32_t number)
{
    const struct geo_ir_inst *inst = w->slice.insts[number];
    int64_t a, b = 0;
    uint64_t bits;
    if (w->slice.clamps[number]) {
        return stride_of(w, w->slice.inside[number], number, &a) ? a : INT64_MAX;
    }
    if (geo_slice_is_clamp(inst)) { /* the difference, without saturation */
        return stride_of(w, inst->operands[0], number, &a) ? a : INT64_MAX;
    }
    if (!stride_of(w, inst->operands[0], number, &a) ||
        (inst->operand_count > 1 && !stride_of(w, inst->operands[1], number, &b))) {
        return INT64_MAX;
    }
    switch ((uint32_t)inst->op) {
    case SpvOpIAdd:
        return (int64_t)((uint64_t)a + (uint64_t)b);
    case SpvOpISub:
        return (int64_t)((uint64_t)a - (uint64_t)b);
    case SpvOpSConvert:
    case SpvOpUConvert:
    case SpvOpCopyObject:
        return a;
    case SpvOpShiftLeftLogical:
        return geo_ir_constant_bits(inst->operands[1], &bits) && bits < WIDE_BITS
                   ? (int64_t)((uint64_t)a << bits)
                   : INT64_MAX;
    case SpvOpShiftRightArithmetic:
    case SpvOpShiftRightLogical:
        return geo_ir_constant_bits(inst->operands[1], &bits) && bits < WIDE_BITS - 1 &&
                       a % ((int64_t)1 << bits) == 0
                   ? a / ((int64_t)1 << bits)
                   : INT64_MAX;
    case SpvOpIMul:
        return geo_ir_constant_bits(inst->operands[1], &bits)   ? (int64_t)((uint64_t)a * bits)
               : geo_ir_constant_bits(inst->operands[0], &bits) ? (int64_t)((uint64_t)b * bits)
                                                                : INT64_MAX;
    default:
        return INT64_MAX;
    }
}

/* Stores the distance of an operand of the loop's condition. The operand is a value of the front, a
 * phi that starts with one and moves by a uniform step, or such a phi plus a uniform number. */
static bool operand_stride(const struct loop_pass *p, const struct loop_window *w,
                           const struct geo_loop *loop, struct geo_ir_value *value, int64_t *stride)
{
    const struct geo_shapes *shapes = w->slice.shapes;
    const struct geo_ir_inst *inst = geo_ir_as_inst(value);
    if (!is_inside_loop(p, loop, inst) || is_moved(w, inst) ||
        geo_shape_of(shapes, value).kind != GEO_SHAPE_VARYING) {
        return stride_of(w, value, w->slice.count, stride);
    }
    if (inst->op == SpvOpIAdd || inst->op == SpvOpISub) {
        bool second = inst->op == SpvOpIAdd &&
                      geo_shape_of(shapes, inst->operands[0]).kind == GEO_SHAPE_UNIFORM;
        if (geo_shape_of(shapes, inst->operands[!second]).kind != GEO_SHAPE_UNIFORM) {
            return false;
        }
        inst = geo_ir_as_inst(inst->operands[second]);
    }
    if (!inst || inst->op != SpvOpPhi || inst->block != loop->header) {
        return false;
    }
    uint32_t around = geo_phi_find(inst, loop->latches[0]);
    const struct geo_ir_inst *next = geo_ir_as_inst(inst->operands[around]);
    bool steps = next && (next->op == SpvOpIAdd || next->op == SpvOpISub) &&
                 next->operands[0] == &inst->value &&
                 geo_shape_of(shapes, next->operands[1]).kind == GEO_SHAPE_UNIFORM;
    return steps && inst->operand_count == 2 &&
           stride_of(w, inst->operands[1 - around], w->slice.count, stride);
}

/* Returns a value of 64 bits that moves from lane to lane by a divisor of `stride`, and from which
 * another one is computed. */
static struct geo_ir_value *id_of(const struct loop_window *w, struct geo_ir_value *value,
                                  int64_t stride, uint32_t depth)
{
    struct geo_ir_inst *inst = geo_ir_as_inst(value);
    struct geo_shape shape = geo_shape_of(w->slice.shapes, value);
    if (value->type->kind == GEO_TYPE_INT && value->type->width == WIDE_BITS &&
        shape.kind == GEO_SHAPE_STRIDED && shape.stride != 0 && stride % shape.stride == 0) {
        return value;
    }
    for (uint32_t i = 0; inst && depth && inst->op != SpvOpPhi && i < inst->operand_count; i++) {
        struct geo_ir_value *found = id_of(w, inst->operands[i], stride, depth - 1);
        if (found) {
            return found;
        }
    }
    return NULL;
}

/* Returns whether an instruction extends a number to 64 bits, which may also be written as shifts:
 * x << 32 >> 32. */
static bool extends(const struct geo_ir_inst *inst)
{
    bool shifts = inst->op == SpvOpShiftRightArithmetic || inst->op == SpvOpShiftRightLogical;
    bool converts = inst->op == SpvOpSConvert || inst->op == SpvOpUConvert;
    return inst->value.type->width == WIDE_BITS &&
           (shifts || (converts && inst->operands[0]->type->width < WIDE_BITS));
}

/* Finds an id for an extension. */
static void extension_find(struct loop_window *w, uint32_t number)
{
    const struct geo_ir_inst *inst = w->slice.insts[number];
    int64_t stride = w->strides[number];
    if (w->slice.clamps[number] || stride == INT64_MAX || !extends(inst)) {
        return;
    }
    struct geo_ir_value *id = id_of(w, inst->operands[0], stride, MOVE_DEPTH);
    if (id) {
        w->ids[number] = id;
        w->factors[number] = stride / geo_shape_of(w->slice.shapes, id).stride;
    }
}

/* ---- the loop ---- */

/* Returns whether only the first items are inside: i in min(i, 32). */
static bool is_rare(const struct geo_slice *slice)
{
    for (uint32_t i = 0; i < slice->bound_count; i++) {
        const struct geo_slice_bound *bound = &slice->bounds[i];
        bool below = bound->op == SpvOpSLessThanEqual || bound->op == SpvOpULessThanEqual ||
                     bound->op == SpvOpSLessThan || bound->op == SpvOpULessThan;
        uint64_t bits;
        if (below && geo_ir_constant_bits(bound->limit, &bits) && bits < FIRST_ITEMS) {
            return true;
        }
    }
    return false;
}

bool loop_window_find(struct loop_pass *p, const struct geo_loop *loop,
                      const struct geo_shapes *shapes, const struct geo_ir_block *front,
                      struct loop_window *out)
{
    const struct geo_ir_block *from = loop->exits[0].from;
    const struct geo_ir_inst *condition = geo_ir_as_inst(from->last->operands[0]);
    *out = (struct loop_window){.slice = {.pass = p->pass, .shapes = shapes}};
    int64_t a, b;
    for (uint32_t i = 0; i < 2; i++) {
        const struct geo_ir_inst *inst = geo_ir_as_inst(condition->operands[i]);
        if (!is_inside_loop(p, loop, inst) || is_movable(inst)) {
            root_add(p, out, condition->operands[i], front);
        }
    }
    phis_add(p, out, loop, front, GEO_TYPE_INT);
    phis_add(p, out, loop, front, GEO_TYPE_POINTER);
    guard_add(p, out, front);
    if (out->slice.bound_count == 0 || is_rare(&out->slice)) {
        return false;
    }
    for (uint32_t i = 0; i < out->slice.count; i++) {
        out->strides[i] = inst_stride(out, i);
        extension_find(out, i);
    }
    return operand_stride(p, out, loop, condition->operands[0], &a) &&
           operand_stride(p, out, loop, condition->operands[1], &b) && (a == b || a == 0 || b == 0);
}

/* ---- the question ---- */

/* Returns an extension of the slice as a value that is known to be even: first + (id - first id) *
 * n. Adds the question whether it is the same to *all. */
static struct geo_ir_value *extension_even(struct loop_window *w, uint32_t number,
                                           struct geo_ir_inst *before, struct geo_ir_value **all)
{
    struct geo_pass *pass = w->slice.pass;
    struct geo_ir_value *extended = w->slice.inside[number];
    struct geo_ir_value *id = w->ids[number];
    const struct geo_ir_type *type = extended->type;
    SpvOp first = (SpvOp)GEO_OP_FIRST_LANE;
    struct geo_ir_value *base = geo_make_unary(pass, before, first, type, extended);
    struct geo_ir_value *even = geo_make_binary(pass, before, SpvOpISub, type, id,
                                                geo_make_unary(pass, before, first, type, id));
    even = geo_make_binary(pass, before, SpvOpIMul, type, even,
                           geo_pass_int(pass, type, (uint64_t)w->factors[number]));
    even = geo_make_binary(pass, before, SpvOpIAdd, type, even, base);
    struct geo_ir_value *same =
        geo_make_binary(pass, before, SpvOpIEqual, pass->type_bool, extended, even);
    same = geo_make_unary(pass, before, (SpvOp)GEO_OP_ALL_LANES, pass->type_bool, same);
    *all = geo_make_binary(pass, before, SpvOpLogicalAnd, pass->type_bool, *all, same);
    for (struct geo_ir_inst *inst = geo_ir_as_inst(extended)->next; *all && inst != before;
         inst = inst->next) {
        geo_ir_inst_from(inst, w->slice.insts[number]);
    }
    return *all ? even : NULL;
}

struct geo_ir_value *loop_window_ask(struct loop_pass *p, struct loop_window *w,
                                     struct geo_ir_block *front)
{
    struct geo_slice *s = &w->slice;
    struct geo_ir_inst *before = front->last, *last = before->prev;
    for (uint32_t i = 0; i < w->moved_count; i++) {
        /* another window may have moved it already */
        if (!geo_block_dominates(&p->tree, w->moved[i]->block, front)) {
            geo_ir_inst_remove(w->moved[i]);
            geo_ir_inst_insert_before(before, w->moved[i]);
        }
    }
    struct geo_ir_value *all = geo_slice_ask(s, before);
    for (uint32_t i = 0; all && i < s->count; i++) {
        if (!s->clamps[i] && !geo_slice_copy(s, i, before)) {
            return NULL;
        }
        if (w->ids[i]) {
            s->inside[i] = extension_even(w, i, before, &all);
        }
    }
    geo_ir_records_move(before, last ? last->next : front->first);
    return all;
}
