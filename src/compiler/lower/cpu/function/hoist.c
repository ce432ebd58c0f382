/* Emits hoisted values, which are computed once before the chunks of a region; see hoist.h.
 * regions.c calls it for each region, and assumed.c under the assumption of a copy. */
#include "compiler/lower/cpu/function/hoist.h"

#include "base/assert.h"
#include "compiler/lower/cpu/control/home.h"
#include "compiler/lower/cpu/frame/frame.h"
#include "compiler/lower/dispatch/dispatch.h"

static void hoist_block(struct geo_lower_function *f, const struct geo_ir_block *block, bool keep)
{
    const struct geo_lower_cut *cut = f->frame->split.cut;
    for (const struct geo_ir_inst *inst = block->first; inst && !f->failed; inst = inst->next) {
        uint32_t index = inst->value.index;
        if (!cut->hoisted[index]) {
            continue;
        }
        GEO_ASSERT(!f->body.mask && geo_frame_cut_is_group(f, cut, &inst->value));
        if (!geo_dispatch_instruction(f, inst) && !f->failed) {
            geo_state_error(f, inst, "not supported");
        }
        if (keep && !f->failed && cut->kept[index] == GEO_KEPT_GROUP) {
            geo_control_home_group_store(f, &inst->value);
        }
        f->frame->above[index] = true;
    }
}

void geo_function_hoist(struct geo_lower_function *f, const struct geo_lower_region *region,
                        bool keep)
{
    for (uint32_t i = 0; i < region->region->count && !f->failed; i++) {
        hoist_block(f, f->frame->code->loops.order[region->region->positions[i]], keep);
    }
}
