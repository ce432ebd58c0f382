/* The data of a kernel that is divided into regions (analysis/regions.h): which values pass from
 * one region to another, and where they are kept.
 *
 * A value that is the same for the whole group and needs no memory access is "hoisted": computed
 * once for the group, at the start of its region. If other regions read a group-uniform value,
 * it is kept in an alloca of the kernel. All other values that pass from one region to another
 * are in the record of each chunk. */
#ifndef GEO_COMPILER_LOWER_CPU_FRAME_CUT_H
#define GEO_COMPILER_LOWER_CPU_FRAME_CUT_H

#include "base/assert.h"
#include "compiler/analysis/regions.h"
#include "compiler/lower/cpu/frame/layout.h"

/* Where a value is kept for other regions. */
enum geo_lower_kept {
    GEO_KEPT_NOT,   /* only its own region reads it */
    GEO_KEPT_GROUP, /* in an alloca of the kernel */
    GEO_KEPT_CHUNK, /* in the chunk's record */
};

/* One region, for the current shapes. */
struct geo_lower_region {
    const struct geo_barrier_region *region;
    /* group values from other regions, and phis of its head, that it reads */
    const struct geo_ir_value **reads;
    /* values in the chunk's record that it reads, and that it writes */
    struct geo_lower_saved *in, *out;
    uint32_t read_count, in_count, out_count;
    bool works;                     /* chunks have something to do in the region */
    bool descending;                /* its chunks run from the last one to the first */
    const struct geo_ir_inst *clip; /* comparison that limits its items (clip.h), or NULL */
};

/* The regions of a kernel and where its values are kept, for the current shapes. */
struct geo_lower_cut {
    const struct geo_regions *regions;
    const struct geo_shapes *group;
    struct geo_lower_region *all;     /* by region: regions->count entries */
    struct geo_lower_region *current; /* the region whose body is being emitted */
    uint32_t *emitted; /* by value index, for ambient values: the last body that computed it */
    uint32_t body;     /* number of bodies so far */
    uint8_t *kept;     /* by value index: enum geo_lower_kept */
    bool *hoisted;     /* by value index: computed once for the group */
    /* By value index: the value that a head's phi merely copies, so that both share one place
     * (GEO_KEPT_CHUNK); NULL otherwise. */
    const struct geo_ir_value **handed_on;
    uint64_t **offsets;   /* by value index, for GEO_KEPT_CHUNK: offsets of its parts */
    LLVMValueRef **homes; /* by value index, for GEO_KEPT_GROUP: allocas of its parts */
};

/* Builds f->frame->split.cut for the current shapes, and adds the size of kept values to
 * f->frame->layout.chunk_bytes. Returns false after a failure. */
bool geo_frame_cut_make(struct geo_lower_function *f);

/* Returns whether all items of the work-group have the same value, so that it is held as one
 * scalar. */
bool geo_frame_cut_is_group(const struct geo_lower_function *f, const struct geo_lower_cut *cut,
                            const struct geo_ir_value *value);
/* Returns whether the group knows the value at the start of region `at`. */
bool geo_frame_cut_is_there(const struct geo_lower_function *f, const struct geo_lower_cut *cut,
                            uint32_t at, const struct geo_ir_value *value);
/* Returns whether chunks of the region have something to do in the block. */
bool geo_frame_cut_block_works(const struct geo_lower_function *f, const struct geo_lower_cut *cut,
                               const struct geo_lower_region *region,
                               const struct geo_ir_block *block);
/* Returns whether the block at `position` is outside the region whose body is being emitted. */
bool geo_frame_cut_is_outside(const struct geo_lower_function *f, uint32_t position);
/* Returns whether the block is the head of a region. Control that reaches a head leaves the current
 * region, even if it is the region's own head. `cut` may be NULL. */
static inline bool geo_frame_cut_is_head(const struct geo_lower_cut *cut, uint32_t position)
{
    GEO_ASSERT(!cut || cut->regions->of[position] < cut->regions->count);
    return cut && cut->regions->list[cut->regions->of[position]].positions[0] == position;
}

/* Returns whether the chunks of what is emitted run in descending order: those of the current
 * region, or of the kernel if it is not divided. */
bool geo_frame_cut_descends(const struct geo_lower_function *f);

#endif
