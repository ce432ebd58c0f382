/* Shapes: how a value differs between the lanes of a chunk.
 *
 * Computed as a fixpoint over SSA, for a lane count W > 1; at W = 1 everything is uniform. A
 * STRIDED claim holds for all lanes, dead ones too: value(lane) = value(0) + lane * stride in the
 * value's own type, without wrapping for ids. Composite values (SPIR-V vectors, structs, arrays)
 * are UNIFORM or VARYING as a whole. */
#ifndef GEO_COMPILER_ANALYSIS_SHAPE_H
#define GEO_COMPILER_ANALYSIS_SHAPE_H

#include "compiler/analysis/loops.h"

enum geo_shape_kind {
    GEO_SHAPE_UNIFORM, /* one value for all lanes */
    GEO_SHAPE_STRIDED, /* lane 0's value + lane * stride; integers: units, pointers: bytes. stride
                          1: consecutive */
    GEO_SHAPE_VARYING, /* anything */
};

struct geo_shape {
    enum geo_shape_kind kind;
    int64_t stride;
    /* STRIDED results of extensions and right shifts: exact among the lanes that are on, but lane 0
     * may have wrapped when it is off. */
    bool anchored;
    uint8_t zeros; /* not VARYING: low bits that are zero in lane 0 */
};

/* Results of the analysis of one function, indexed by geo_ir_value.index / geo_ir_block.index
 * (after geo_ir_function_number). */
struct geo_shapes {
    struct geo_shape *values;
    bool *divergent_branch; /* [block]: its terminator splits the lanes */
    bool *divergent_block;  /* [block]: may run with some lanes off */
    bool *divergent_join;   /* [block]: lanes may come from several predecessors at once */
    bool *divergent_loop;   /* [geo_loop.index]: lanes may leave in different iterations */
    bool linear;            /* chunks are linear: local ids of x are not consecutive in general */
    uint32_t lanes;
};

/* Chunks that are computed together (tiles.h): they differ in their y, or in their x. */
enum geo_shape_tile { GEO_SHAPE_NO_TILE, GEO_SHAPE_ROWS, GEO_SHAPE_COLUMNS };

struct geo_shape_options {
    uint32_t lanes;
    bool linear;
    bool whole_rows; /* not linear: rows are whole chunks, or there is only one: a chunk's linear
                        ids start at a multiple of W */
    bool ids_fit_31_bits; /* GEO_LAUNCH_IDS_FIT_31_BITS is known to hold: 32-bit id arithmetic does
                             not wrap */
    bool large_objects;   /* objects may have 4 GiB and more: a 32-bit index may wrap inside one */
    bool group; /* asks what is the same for all items of a work-group; lanes > 1, nothing is
                   strided */
    enum geo_shape_tile tile; /* with `group`: of one tile's chunks instead, lane by lane: `lanes`
                                 at most, a stride is from chunk to chunk; all of them take the
                                 same branches */
    bool parameters_varying;  /* a function compiled as f.wN(mask, arguments all varying) */
};

/* For the function of `loops`, which must be reducible unless W = 1. Memory comes from the arena.
 * False when it ran out. */
bool geo_shapes_compute(const struct geo_loops *loops, const struct geo_shape_options *options,
                        struct geo_arena *arena, struct geo_shapes *out);

/* Bytes from one lane's copy of a private variable to the next: OpVariable is strided by it, where
 * it is not interleaved. */
static inline uint64_t geo_private_stride(const struct geo_ir_type *type)
{
    uint64_t align = type->align ? type->align : 1;
    uint64_t bytes = type->size ? type->size : 1;
    return (bytes + align - 1) / align * align;
}

/* The shape of any operand: constants, variables and functions are uniform. */
struct geo_shape geo_shape_of(const struct geo_shapes *shapes, const struct geo_ir_value *value);

#endif
