/* Finds loops over windows, whose bounds are clamped: see windows.c. */
#ifndef GEO_COMPILER_TRANSFORM_LOOPS_WINDOWS_H
#define GEO_COMPILER_TRANSFORM_LOOPS_WINDOWS_H

#include "compiler/transform/loops/loop_form.h"
#include "compiler/transform/memory/slice.h"

#define LOOP_WINDOW_ROOTS   8u /* clamped values that a loop uses */
#define LOOP_WINDOW_INSIDES 8u /* instructions between them and the loop that are moved */

/* A loop whose lanes go through the same number of turns while no bound is clamped. */
struct loop_window {
    struct geo_slice slice;
    uint32_t root_count; /* values in front of the loop that vary by clamps alone */
    struct geo_ir_inst
        *moved[LOOP_WINDOW_INSIDES]; /* to move in front of the loop, in this order */
    uint32_t moved_count;
    int64_t strides[GEO_SLICE_LIMIT]; /* by instruction of the slice: from lane to lane, inside */
    /* by instruction of the slice: for an extension, a value of 64 bits that moves by 1 / factor of
       its distance; NULL: none */
    struct geo_ir_value *ids[GEO_SLICE_LIMIT];
    int64_t factors[GEO_SLICE_LIMIT];
};

/* Returns whether a loop with one exit is over a window, and then describes the window in *out.
 * `front`: the block at whose end the window is asked for; it dominates the loop. */
bool loop_window_find(struct loop_pass *p, const struct geo_loop *loop,
                      const struct geo_shapes *shapes, const struct geo_ir_block *front,
                      struct loop_window *out);
/* Moves what the bounds are computed from to the end of `front`, and creates the values without
 * clamps. The analyses of `p` are those of the function before this. Returns the question whether
 * all lanes are inside; NULL when memory runs out. */
struct geo_ir_value *loop_window_ask(struct loop_pass *p, struct loop_window *window,
                                     struct geo_ir_block *front);

#endif
