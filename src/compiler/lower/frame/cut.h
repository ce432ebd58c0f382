/* What a kernel that is cut into regions (analysis/regions.h) keeps between them.
 *
 * A value that is the same for the whole group and needs no memory is computed once for the group,
 * where its region starts ("hoisted"). What other regions read of it is in an alloca of the
 * kernel, as is what chunks compute and is the same in all of them. All else that one region leaves
 * to another is in the record of its chunk, each value in a place of its own. */
#ifndef GEO_COMPILER_LOWER_FRAME_CUT_H
#define GEO_COMPILER_LOWER_FRAME_CUT_H

#include "compiler/analysis/regions.h"
#include "compiler/lower/frame/layout.h"

enum geo_lower_kept {
    GEO_KEPT_NOT,   /* its own region alone reads it */
    GEO_KEPT_GROUP, /* in an alloca */
    GEO_KEPT_CHUNK, /* in the chunk's record */
};

/* One region for the shapes at hand. */
struct geo_lower_region {
    const struct geo_region *region;
    const struct geo_ir_value **reads; /* of the group, from other regions or by its head's phis */
    struct geo_lower_saved *in, *out;  /* of the chunk's record: what it reads, what it leaves */
    uint32_t read_count, in_count, out_count;
    bool works;                     /* there is something for chunks to do */
    const struct geo_ir_inst *clip; /* it is done for the items that this holds for (clip.h) */
};

struct geo_lower_cut {
    const struct geo_regions *regions;
    const struct geo_shapes *group;
    struct geo_lower_region *all;     /* [regions->count] */
    struct geo_lower_region *current; /* whose body is being emitted */
    uint32_t *emitted;                /* [value index], ambient: the last body that has it */
    uint32_t body;                    /* bodies so far */
    uint8_t *kept;                    /* [value index]: enum geo_lower_kept */
    bool *hoisted;                    /* [value index] */
    /* [value index]: GEO_KEPT_CHUNK, a head's phi that only hands on this value; NULL: any other */
    const struct geo_ir_value **handed_on;
    uint64_t **offsets;   /* [value index]: GEO_KEPT_CHUNK: of its parts */
    LLVMValueRef **homes; /* [value index]: GEO_KEPT_GROUP: allocas of its parts */
};

/* Makes f->frame->cut for the current shapes; f->frame->layout.chunk_bytes grows by what the
 * chunk's record has to hold. False after a failure. */
bool geo_lower_cut_make(struct geo_lower_function *f);

/* One value for all items of the work-group, held as a scalar. */
bool geo_lower_is_group(const struct geo_lower_function *f, const struct geo_lower_cut *cut,
                        const struct geo_ir_value *value);
/* It is known where region `at` starts. */
bool geo_lower_cut_is_there(const struct geo_lower_function *f, const struct geo_lower_cut *cut,
                            uint32_t at, const struct geo_ir_value *value);
/* Chunks of the region have something to do in the block. */
bool geo_lower_cut_block_works(const struct geo_lower_function *f, const struct geo_lower_cut *cut,
                               const struct geo_lower_region *region,
                               const struct geo_ir_block *block);
/* The block at `position` does not belong to the region whose body is emitted. */
bool geo_lower_is_outside(const struct geo_lower_function *f, uint32_t position);
/* It is a region's head: who goes there leaves the region, were it its own. cut may be NULL. */
static inline bool geo_lower_is_head(const struct geo_lower_cut *cut, uint32_t position)
{
    return cut && cut->regions->list[cut->regions->of[position]].positions[0] == position;
}

#endif
