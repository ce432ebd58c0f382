/* Shapes: how a value differs between the lanes of a chunk.
 *
 * Computed as a fixpoint over SSA for W > 1 lanes; for W = 1 everything is uniform. STRIDED means
 * value(lane) = value(0) + lane * stride in the value's type, for all lanes including inactive
 * ones; ids do not wrap. Composite values (SPIR-V vectors, structs, arrays) are UNIFORM or VARYING
 * as a whole. */
#ifndef GEO_COMPILER_ANALYSIS_SHAPE_H
#define GEO_COMPILER_ANALYSIS_SHAPE_H

#include "compiler/analysis/loops.h"
#include "compiler/analysis/ranges.h"

/* How the lanes' values are related. */
enum geo_shape_kind {
    GEO_SHAPE_UNIFORM, /* the same value in all lanes */
    /* lane 0's value + lane * stride, in units, for pointers in bytes; stride 1: consecutive */
    GEO_SHAPE_STRIDED,
    GEO_SHAPE_VARYING, /* no known relation between lanes */
};

/* The shape of one value. */
struct geo_shape {
    enum geo_shape_kind kind;
    int64_t stride;
    /* STRIDED results of extensions and right shifts: the stride is exact among active lanes, but
       lane 0 may have wrapped while it is inactive. */
    bool anchored;
    uint8_t zeros; /* not VARYING: low bits that are zero in lane 0 */
};

/* Shapes of one function, indexed by geo_ir_value.index and geo_ir_block.index (after
 * geo_ir_function_number). */
struct geo_shapes {
    struct geo_shape *values;
    bool *divergent_branch;         /* by block: its terminator splits the lanes */
    bool *divergent_block;          /* by block: may run with some lanes inactive */
    bool *divergent_join;           /* by block: lanes may come from several predecessors at once */
    bool *divergent_loop;           /* by geo_loop.index: lanes may leave in different iterations */
    const struct geo_range *ranges; /* of integers, by value index (ranges.h); NULL: one lane */
    bool linear; /* chunks are linear: local ids in x are in general not consecutive */
    uint32_t lanes;
};

/* Direction of a tile, whose chunks are computed together (tiles.h): they differ in y or in x. */
enum geo_shape_tile { GEO_SHAPE_NO_TILE, GEO_SHAPE_ROWS, GEO_SHAPE_COLUMNS };

/* The target and the launch that shapes are computed for. */
struct geo_shape_options {
    uint32_t lanes;
    bool linear;
    /* only without `linear`: rows are whole chunks, or there is one row; a chunk's linear ids start
       at a multiple of W */
    bool whole_rows;
    bool ids_fit_31_bits; /* GEO_LAUNCH_IDS_FIT_31_BITS holds: 32-bit id arithmetic does not wrap */
    bool large_objects;   /* objects may have 4 GiB and more: a 32-bit index may wrap inside one */
    /* computes which values are uniform in the whole work-group (lanes > 1; nothing is strided) */
    bool group;
    /* with `group`: computes the relation between a tile's chunks instead, lane by lane. `lanes` is
       their greatest number, a stride is from chunk to chunk; all take the same branches */
    enum geo_shape_tile tile;
    /* by block index: branches that count as uniform although their condition may differ between
       lanes (agreement.h); NULL: none */
    const bool *agreed;
    bool parameters_varying; /* the function is compiled for a mask and arguments that all vary */
};

/* Computes the shapes of the function of `loops`, which must be reducible unless W = 1. Results are
 * in the arena. Returns false when it is exhausted. */
bool geo_shapes_compute(const struct geo_loops *loops, const struct geo_shape_options *options,
                        struct geo_arena *arena, struct geo_shapes *out);

/* Returns the distance in bytes between the copies of a private variable for two adjacent lanes. An
 * OpVariable that is not interleaved has this stride. */
static inline uint64_t geo_private_stride(const struct geo_ir_type *type)
{
    uint64_t align = type->align ? type->align : 1;
    uint64_t bytes = type->size ? type->size : 1;
    return (bytes + align - 1) / align * align;
}

/* Returns the shape of any operand; constants, variables and functions are uniform. */
struct geo_shape geo_shape_of(const struct geo_shapes *shapes, const struct geo_ir_value *value);

/* Elements from lane to lane, up to which a row of memory is loaded (lower/memory/access.c). */
#define GEO_SHAPE_ROW_STEP 4

/* Returns whether lanes access elements of `bytes` bytes one by one, too far apart for a row. */
static inline bool geo_shape_is_apart(const struct geo_shapes *shapes,
                                      const struct geo_ir_value *pointer, uint64_t bytes)
{
    struct geo_shape shape = geo_shape_of(shapes, pointer);
    int64_t row = GEO_SHAPE_ROW_STEP * (int64_t)bytes;
    return shape.kind == GEO_SHAPE_VARYING ||
           (shape.kind == GEO_SHAPE_STRIDED && (shape.stride > row || shape.stride < -row));
}

#endif
