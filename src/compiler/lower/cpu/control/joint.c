/* Emits joint accesses of a tile. Each lane accesses one vector, which has an element for every
 * member. A transposition converts between these vectors and the members' vectors of lanes. See
 * joint.h.
 *
 *     members     lane 0 1 2 3            memory
 *         0            a b c d            lane 0's pointer: a e i m
 *         1            e f g h    <->     lane 1's pointer: b f j n
 *         2            i j k l            ...
 *         3            m n o p */
#include "compiler/lower/cpu/control/joint.h"

#include "base/assert.h"
#include "compiler/lower/cpu/control/home.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/transpose.h"
#include "compiler/lower/memory/access.h"
#include "compiler/lower/value/value.h"

bool geo_control_is_joint(const struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    return f->frame->body.tile && !f->body.mask && f->frame->body.tile->count > 1 &&
           geo_tile_is_joint(&f->frame->body.tile->tiles, inst);
}

static void joint_load(const struct geo_access *access)
{
    struct geo_lower_function *f = access->f;
    uint32_t members = geo_frame_tile_members(f);
    const struct geo_ir_value *value = &access->inst->value;
    LLVMTypeRef row = LLVMVectorType(geo_type_of(f, value->type), members);
    LLVMValueRef rows[GEO_LOWER_LANES_LIMIT], values[GEO_LOWER_LANES_LIMIT];
    for (uint32_t lane = 0; lane < f->lanes; lane++) {
        rows[lane] = geo_access_row_load(
            access, row, geo_lane_address_lane(f, access->address, lane), NULL, access->align);
    }
    geo_emit_transpose(f, rows, f->lanes, values);
    for (uint32_t m = 0; m < members; m++) {
        geo_frame_tile_select(f, m);
        geo_value_set_wide(f, access->inst, 0, values[m]);
        geo_control_home_keep(f, value);
    }
}

static void joint_store(const struct geo_access *access)
{
    struct geo_lower_function *f = access->f;
    LLVMValueRef values[GEO_TILE_LIMIT], rows[GEO_LOWER_LANES_LIMIT];
    for (uint32_t m = 0; m < geo_frame_tile_members(f); m++) {
        geo_frame_tile_select(f, m);
        values[m] = geo_value_operand(f, access->inst->operands[1], 0, false);
    }
    geo_emit_transpose(f, values, geo_frame_tile_members(f), rows);
    for (uint32_t lane = 0; lane < f->lanes; lane++) {
        geo_access_row_store(access, rows[lane], geo_lane_address_lane(f, access->address, lane),
                             NULL, access->align);
    }
}

bool geo_control_joint(struct geo_lower_function *f, const struct geo_ir_inst *inst)
{
    struct geo_access access = {.f = f, .inst = inst, .flags = inst->memory_flags};
    const struct geo_ir_type *type =
        inst->op == SpvOpLoad ? inst->value.type : inst->operands[1]->type;
    GEO_ASSERT(geo_control_is_joint(f, inst));
    geo_frame_tile_select(f, 0);
    access.align = inst->memory_align ? inst->memory_align : type->align;
    access.address = geo_lane_address_of(f, inst->operands[0]);
    if (inst->op == SpvOpLoad) {
        joint_load(&access);
    } else {
        joint_store(&access);
    }
    geo_frame_tile_select(f, 0);
    return !f->failed;
}
