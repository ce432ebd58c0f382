/* Lowers loads and stores of cooperative matrices, slot by slot. The address of an element follows
 * from its number, the layout and the stride:
 *
 *     pointer + line * stride + place * element size
 *     line, place     row and column, or column and row
 *
 * Only pointer and stride are unknown at build time. Lanes of one line with consecutive places form
 * a run, which is one vector in memory. A slot consists of a few runs; if they are too short, it is
 * accessed by a gather. Checked accesses (SPV_INTEL_joint_matrix) skip elements outside a given
 * height and width. */
#include "compiler/lower/cpu/group/matrix.h"

#include "base/assert.h"
#include "compiler/ir/budget.h"
#include "compiler/ir/matrix.h"
#include "compiler/lower/cpu/group/subgroup.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/emit/mask.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/memory/access.h"
#include "compiler/lower/value/value.h"

#define SHORTEST_RUN 4u    /* in lanes; slots with shorter runs use a gather */
#define ACCESS_COST  1024u /* cost of one access in LLVM, as for wide accesses (state/parts.c) */

/* One load or store of a matrix. */
struct block {
    struct geo_lower_function *f;
    const struct geo_ir_inst *inst;
    const struct geo_ir_type *type; /* type of the matrix */
    struct geo_matrix_place place;
    uint32_t layout;              /* GEO_MATRIX_ROW_MAJOR and so on */
    LLVMValueRef pointer, stride; /* the stride is in bytes (i64) */
    /* Checked accesses: position of the matrix in the surrounding array, and size of that array;
     * i64. */
    LLVMValueRef first[2], size[2];
    uint32_t align;
};

/* The positions in memory of one slot's elements, by lane. */
struct places {
    uint32_t count; /* lanes with an element; fewer than W in the last slot */
    uint32_t line[GEO_LOWER_LANES_LIMIT], place[GEO_LOWER_LANES_LIMIT];
};

static uint32_t element_bytes(const struct block *block)
{
    return (uint32_t)block->type->element->size;
}

/* Returns the bytes of one unit of the stride, which is the size of the pointer's element type. A
 * pointer to bytes stands for an untyped one, because LLVM has no other, and then DPC++ counts in
 * matrix elements. */
static uint64_t stride_unit(const struct block *block, const struct geo_ir_type *pointee)
{
    return pointee->size == 1 ? element_bytes(block) : pointee->size;
}

static void block_init(struct block *block, struct geo_lower_function *f,
                       const struct geo_ir_inst *inst)
{
    const struct geo_matrix_place place = geo_matrix_place_of((uint32_t)inst->op);
    const struct geo_ir_type *pointee = inst->operands[0]->type->element;
    uint64_t layout = GEO_MATRIX_ROW_MAJOR;
    (void)geo_ir_constant_bits(inst->operands[place.layout], &layout);
    *block = (struct block){.f = f, .inst = inst, .place = place};
    block->type = place.object ? inst->operands[place.object]->type : inst->value.type;
    block->layout = (uint32_t)layout;
    block->align = element_bytes(block) < pointee->align ? element_bytes(block) : pointee->align;
    if (inst->memory_align && inst->memory_align < block->align) {
        block->align = inst->memory_align;
    }
    block->pointer = geo_subgroup_agreed(f, inst->operands[0]);
    LLVMValueRef stride =
        geo_emit_zext(f, geo_subgroup_agreed(f, inst->operands[place.stride]), 64);
    block->stride =
        LLVMBuildMul(f->llvm.builder, stride,
                     geo_emit_const_like(stride, stride_unit(block, pointee)), "stride");
    for (uint32_t i = 0; place.checked && i < 2; i++) {
        block->first[i] = geo_emit_sext(f, geo_subgroup_agreed(f, inst->operands[place.x + i]), 64);
        block->size[i] =
            geo_emit_zext(f, geo_subgroup_agreed(f, inst->operands[place.height + i]), 64);
    }
}

/* Computes the positions of the elements of one slot. */
static void places_find(const struct block *block, uint32_t slot, struct places *places)
{
    const struct geo_ir_matrix *matrix = &block->type->matrix;
    uint32_t lanes = block->f->lanes, total = (uint32_t)matrix->rows * matrix->columns;
    GEO_ASSERT(slot * lanes < total && matrix->items == lanes);
    uint32_t left = total - slot * lanes;
    uint32_t factor = element_bytes(block) < 4 ? 4 / element_bytes(block) : 1;
    places->count = left < lanes ? left : lanes;
    for (uint32_t lane = 0; lane < places->count; lane++) {
        uint32_t number = slot * lanes + lane;
        uint32_t row = number / matrix->columns, column = number % matrix->columns;
        switch (block->layout) {
        case GEO_MATRIX_COLUMN_MAJOR:
            places->line[lane] = column;
            places->place[lane] = row;
            break;
        case GEO_MATRIX_PACKED:
            places->line[lane] = row / factor;
            places->place[lane] = column * factor + row % factor;
            break;
        default:
            places->line[lane] = row;
            places->place[lane] = column;
            break;
        }
    }
}

/* ---- runs: lanes whose elements are consecutive in memory ---- */

/* Returns the lane after the last one of the run that starts with lane `first`. */
static uint32_t run_end(const struct places *places, uint32_t first)
{
    uint32_t end = first + 1;
    while (end < places->count && places->line[end] == places->line[first] &&
           places->place[end] == places->place[first] + (end - first)) {
        end++;
    }
    return end;
}

/* Returns whether the slot's runs are long enough for vector accesses. */
static bool has_runs(const struct places *places)
{
    uint32_t runs = 0;
    for (uint32_t lane = 0; lane < places->count; lane = run_end(places, lane)) {
        runs++;
    }
    return runs == 1 || places->count / runs >= SHORTEST_RUN;
}

/* Returns the address of a lane's element. */
static LLVMValueRef element_pointer(const struct block *block, const struct places *places,
                                    uint32_t lane)
{
    struct geo_lower_function *f = block->f;
    LLVMValueRef line = geo_emit_const_i64(f, places->line[lane]);
    LLVMValueRef bytes = LLVMBuildMul(f->llvm.builder, block->stride, line, "");
    bytes = LLVMBuildAdd(
        f->llvm.builder, bytes,
        geo_emit_const_i64(f, (uint64_t)places->place[lane] * element_bytes(block)), "");
    return geo_emit_offset(f, block->pointer, bytes);
}

static struct geo_access access_of(const struct block *block)
{
    return (struct geo_access){.f = block->f,
                               .inst = block->inst,
                               .align = block->align,
                               .flags = block->inst->memory_flags,
                               .zeros = block->place.checked};
}

/* Inserts the elements of `part` into lanes first, first + 1 and so on of `all`. If `all` is NULL,
 * other lanes are zero. */
static LLVMValueRef lanes_put(struct geo_lower_function *f, LLVMValueRef all, LLVMValueRef part,
                              uint32_t first, uint32_t count)
{
    LLVMValueRef picks[GEO_LOWER_LANES_LIMIT];
    LLVMTypeRef type = LLVMVectorType(geo_type_element(part), f->lanes);
    GEO_ASSERT(count < f->lanes && first + count <= f->lanes && geo_type_lanes(part) == count);
    for (uint32_t lane = 0; lane < f->lanes; lane++) {
        picks[lane] = geo_emit_const_i32(f, lane < count ? lane : count);
    }
    LLVMValueRef wide =
        LLVMBuildShuffleVector(f->llvm.builder, part, LLVMConstNull(LLVMTypeOf(part)),
                               LLVMConstVector(picks, f->lanes), "");
    for (uint32_t lane = 0; lane < f->lanes; lane++) {
        bool here = lane >= first && lane < first + count;
        picks[lane] = geo_emit_const_i32(f, here ? f->lanes + lane - first : lane);
    }
    return LLVMBuildShuffleVector(f->llvm.builder, all ? all : LLVMConstNull(type), wide,
                                  LLVMConstVector(picks, f->lanes), "");
}

static LLVMTypeRef run_type(const struct block *block, uint32_t count)
{
    return LLVMVectorType(geo_type_of(block->f, block->type->element), count);
}

static LLVMValueRef runs_load(const struct block *block, const struct places *places)
{
    struct geo_lower_function *f = block->f;
    const struct geo_access access = access_of(block);
    LLVMValueRef all = NULL;
    for (uint32_t lane = 0, end; lane < places->count; lane = end) {
        end = run_end(places, lane);
        LLVMValueRef part =
            geo_access_row_load(&access, run_type(block, end - lane),
                                element_pointer(block, places, lane), NULL, block->align);
        all = end - lane == f->lanes ? part : lanes_put(f, all, part, lane, end - lane);
    }
    return all;
}

static void runs_store(const struct block *block, const struct places *places, LLVMValueRef value)
{
    const struct geo_access access = access_of(block);
    for (uint32_t lane = 0, end; lane < places->count; lane = end) {
        end = run_end(places, lane);
        LLVMValueRef part = end - lane == block->f->lanes
                                ? value
                                : geo_lanes_slice(block->f, value, lane, end - lane);
        geo_access_row_store(&access, part, element_pointer(block, places, lane), NULL,
                             block->align);
    }
}

/* ---- an address for each lane ---- */

/* Returns a vector with numbers[lane] * factor in each lane. Lanes without an element get the first
 * lane's number. */
static LLVMValueRef lane_numbers(struct geo_lower_function *f, const uint32_t *numbers,
                                 uint32_t count, uint32_t factor)
{
    LLVMValueRef values[GEO_LOWER_LANES_LIMIT];
    for (uint32_t lane = 0; lane < f->lanes; lane++) {
        values[lane] = geo_emit_const_i64(f, (uint64_t)numbers[lane < count ? lane : 0] * factor);
    }
    return LLVMConstVector(values, f->lanes);
}

/* Returns the distance in bytes between neighbouring lanes if it is constant, otherwise 0. */
static int64_t constant_step(const struct block *block, const struct places *places)
{
    int64_t step = places->count > 1 ? (int64_t)places->place[1] - places->place[0] : 0;
    for (uint32_t lane = 1; lane < places->count; lane++) {
        if (places->line[lane] != places->line[0] ||
            (int64_t)places->place[lane] - places->place[lane - 1] != step) {
            return 0;
        }
    }
    return step * element_bytes(block);
}

/* Returns the addresses of all lanes of a slot. */
static struct geo_address lane_addresses(const struct block *block, const struct places *places)
{
    struct geo_lower_function *f = block->f;
    struct geo_address address = {.kind = GEO_SHAPE_VARYING};
    int64_t step = constant_step(block, places);
    if (step) {
        address.kind = GEO_SHAPE_STRIDED;
        address.stride = step;
        address.base = element_pointer(block, places, 0);
        if (!block->place.checked) {
            return address;
        }
    } else {
        LLVMValueRef lines = lane_numbers(f, places->line, places->count, 1);
        LLVMValueRef bytes =
            LLVMBuildMul(f->llvm.builder, geo_lanes_splat(f, block->stride), lines, "");
        LLVMValueRef rest = lane_numbers(f, places->place, places->count, element_bytes(block));
        address.base = geo_emit_offset(f, geo_lanes_splat(f, block->pointer),
                                       LLVMBuildAdd(f->llvm.builder, bytes, rest, ""));
    }
    if (block->place.checked) {
        /* x counts rows and y columns of the array in memory */
        bool reverse = block->layout == GEO_MATRIX_COLUMN_MAJOR;
        LLVMValueRef line = block->first[reverse], place = block->first[!reverse];
        LLVMValueRef bytes =
            LLVMBuildAdd(f->llvm.builder, LLVMBuildMul(f->llvm.builder, line, block->stride, ""),
                         LLVMBuildMul(f->llvm.builder, place,
                                      geo_emit_const_like(place, element_bytes(block)), ""),
                         "");
        bytes = address.kind == GEO_SHAPE_VARYING ? geo_lanes_splat(f, bytes) : bytes;
        address.base = geo_emit_offset(f, address.base, bytes);
    }
    return address;
}

/* Returns for each lane whether first + number (signed) is at least 0 and below the size. */
static LLVMValueRef are_inside(struct geo_lower_function *f, LLVMValueRef first,
                               LLVMValueRef numbers, LLVMValueRef size)
{
    LLVMValueRef at = LLVMBuildAdd(f->llvm.builder, geo_lanes_splat(f, first), numbers, "");
    return geo_emit_icmp(f, LLVMIntULT, at, geo_lanes_splat(f, size));
}

/* Returns the mask of lanes that may access memory for a slot. Such a lane has an element of the
 * matrix. For a checked access, the element's row and column must also be inside the array in
 * memory. NULL: all lanes. */
static LLVMValueRef lanes_mask(const struct block *block, const struct places *places)
{
    struct geo_lower_function *f = block->f;
    LLVMValueRef mask = NULL, bits[GEO_LOWER_LANES_LIMIT];
    if (places->count < f->lanes) {
        for (uint32_t lane = 0; lane < f->lanes; lane++) {
            bits[lane] = LLVMConstInt(geo_type_i1(f), lane < places->count, false);
        }
        mask = LLVMConstVector(bits, f->lanes);
    }
    if (block->place.checked) {
        bool reverse = block->layout == GEO_MATRIX_COLUMN_MAJOR;
        LLVMValueRef lines = lane_numbers(f, places->line, places->count, 1);
        LLVMValueRef rest = lane_numbers(f, places->place, places->count, 1);
        mask = geo_emit_mask_and(f, mask,
                                 are_inside(f, block->first[reverse], lines, block->size[reverse]));
        mask = geo_emit_mask_and(
            f, mask, are_inside(f, block->first[!reverse], rest, block->size[!reverse]));
    }
    return mask;
}

static LLVMValueRef lanes_access(const struct block *block, const struct places *places,
                                 LLVMValueRef value)
{
    struct geo_lower_function *f = block->f;
    const struct geo_part_place part = {block->type->element, 0};
    struct geo_access access = access_of(block);
    LLVMValueRef mask = f->body.mask;
    access.address = lane_addresses(block, places);
    f->body.mask = lanes_mask(block, places);
    if (value) {
        geo_access_part_store(&access, &part, value);
    } else {
        value = geo_access_part_load(&access, &part);
    }
    f->body.mask = mask;
    return value;
}

/* ---- all slots ---- */

bool geo_group_matrix_access(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    struct block block;
    block_init(&block, f, inst);
    struct geo_ir_value *object = block.place.object ? inst->operands[block.place.object] : NULL;
    bool plain = !block.place.checked && !(inst->memory_flags & SpvMemoryAccessVolatileMask);
    for (uint32_t slot = 0; slot < block.type->count; slot++) {
        struct places places;
        places_find(&block, slot, &places);
        bool runs = plain && has_runs(&places);
        LLVMValueRef value = object ? geo_value_vector(f, object, slot) : NULL;
        if (!geo_budget_spend((runs ? 1u : f->lanes) * (uint64_t)ACCESS_COST)) {
            geo_state_no_memory(f);
            return false;
        }
        if (object && runs) {
            runs_store(&block, &places, value);
        } else if (object) {
            lanes_access(&block, &places, value);
        } else {
            value = runs ? runs_load(&block, &places) : lanes_access(&block, &places, NULL);
            geo_value_set_wide(f, inst, slot, value);
        }
    }
    return !f->failed;
}
