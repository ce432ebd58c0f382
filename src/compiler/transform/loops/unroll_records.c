/* Chooses loops that walk along a record of each lane; see unroll.c.
 *
 *     for (i = 0; i < 16; i++)            Lanes are far apart: key = keys + 16 * get_global_id(0).
 *         h = mix(h, key[i]);             Unrolled, four elements are one load (memory/adjacent.c).
 *
 * LLVM unrolls such loops later in any case. */
#include "compiler/transform/loops/unroll.h"

#include "compiler/analysis/shape.h"
#include "compiler/transform/loops/advance.h"

#define TURNS_LIMIT 16u  /* turns of a loop */
#define BODY_LIMIT  48u  /* instructions of a loop */
#define SIZE_LIMIT  512u /* instructions of a loop when it is unrolled */
#define SHAPE_LANES 8u   /* lanes for which shapes are computed */

static bool is_innermost(const struct unroll *u, const struct geo_loop *loop)
{
    for (uint32_t i = 0; i < u->p.loops.count; i++) {
        if (u->p.loops.loops[i]->parent == loop) {
            return false;
        }
    }
    return true;
}

static uint32_t body_size(const struct geo_loop *loop)
{
    uint32_t size = 0;
    for (uint32_t i = 0; i < loop->block_count; i++) {
        for (const struct geo_ir_inst *inst = loop->blocks[i]->first; inst; inst = inst->next) {
            size++;
        }
    }
    return size;
}

static bool is_candidate(const struct unroll *u, const struct geo_loop *loop)
{
    bool has_elements = false;
    for (uint32_t i = 0; i < loop->block_count; i++) {
        for (const struct geo_ir_inst *inst = loop->blocks[i]->first; inst; inst = inst->next) {
            has_elements |= loop_access_is_element(inst);
        }
    }
    return has_elements && body_size(loop) <= BODY_LIMIT && is_innermost(u, loop);
}

bool unroll_has_records(const struct unroll *u)
{
    for (uint32_t i = 0; i < u->p.loops.count; i++) {
        if (is_candidate(u, u->p.loops.loops[i])) {
            return true;
        }
    }
    return false;
}

/* ---- the choice ---- */

static bool walks_along(const struct unroll *u, const struct geo_shapes *shapes,
                        const struct geo_loop *loop, const struct geo_ir_inst *inst)
{
    const struct loop_advance advance = {.loops = &u->p.loops, .loop = loop};
    return loop_access_is_element(inst) && loop_access_walks(&advance, shapes, inst);
}

static bool has_record(const struct unroll *u, const struct geo_shapes *shapes,
                       const struct geo_loop *loop)
{
    for (uint32_t i = 0; i < loop->block_count; i++) {
        for (const struct geo_ir_inst *inst = loop->blocks[i]->first; inst; inst = inst->next) {
            if (walks_along(u, shapes, loop, inst)) {
                return true;
            }
        }
    }
    return false;
}

/* Returns whether a loop, or one around it, is chosen already. */
static bool is_chosen(const struct unroll *u, const struct geo_loop *loop)
{
    while (loop && !u->loops[loop->index].chosen) {
        loop = loop->parent;
    }
    return loop;
}

bool unroll_choose_records(struct unroll *u, bool *found)
{
    const struct geo_shape_options options = {.lanes = SHAPE_LANES, .ids_fit_31_bits = true};
    struct geo_shapes shapes;
    if (!unroll_has_records(u)) {
        return true;
    }
    if (!geo_shapes_compute(&u->p.loops, &options, &u->p.pass->arena, &shapes)) {
        return geo_pass_no_memory(u->p.pass);
    }
    for (uint32_t i = 0; i < u->p.loops.count; i++) {
        const struct geo_loop *loop = u->p.loops.loops[i];
        uint32_t turns;
        if (!is_chosen(u, loop) && is_candidate(u, loop) && has_record(u, &shapes, loop) &&
            unroll_runs(u, loop, SIZE_LIMIT, &turns) && turns > 1 && turns <= TURNS_LIMIT) {
            u->loops[i].chosen = *found = true;
        }
    }
    return true;
}
