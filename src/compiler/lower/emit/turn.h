/* Runs code lane by lane, for operations that have no vector form. A turn is the part of one lane.
 *
 * A turn reads the lane's element of a vector with geo_emit_turn_value. Small bodies are unrolled
 * if all lanes are active; otherwise a loop takes a turn for each active lane. Vectors that the
 * turns of a loop read are stored to memory once before the loop. Without this, LLVM would store
 * the vector in each iteration, because the index is not constant. Unrolled turns take lanes out of
 * registers, or also from memory. */
#ifndef GEO_COMPILER_LOWER_EMIT_TURN_H
#define GEO_COMPILER_LOWER_EMIT_TURN_H

#include "compiler/lower/emit/type.h"

/* One turn, as the body's emitter sees it. */
struct geo_turn {
    LLVMValueRef lane;         /* number of the lane (i32); a constant in unrolled turns */
    LLVMBasicBlockRef before;  /* block before the turns; NULL: they take lanes out of registers */
    struct geo_turns *sources; /* vectors that the turns read from memory */
};

/* Emits one turn and returns its result, or NULL if it has none. It may create blocks. */
typedef LLVMValueRef geo_turn_body(struct geo_lower_function *f, const struct geo_turn *turn,
                                   void *data);

enum geo_turn_size {
    GEO_TURN_SMALL,       /* a few instructions without blocks, which may be unrolled */
    GEO_TURN_FROM_MEMORY, /* the same; unrolled turns read vectors from memory */
    GEO_TURN_LOOPED,      /* the same, always in a loop */
    GEO_TURN_LARGE,
};

/* Runs the body once for each active lane, in ascending order. Returns a vector of the turns'
 * results of result_type, with arbitrary values in inactive lanes, or NULL if result_type is NULL.
 * With W = 1, turn->lane is 0. */
LLVMValueRef geo_emit_turns(struct geo_lower_function *f, LLVMTypeRef result_type,
                            enum geo_turn_size size, geo_turn_body *body, void *data);

/* Returns whether small turns are unrolled when all lanes are active. */
bool geo_emit_turns_written_out(const struct geo_lower_function *f);

/* Returns the turn's lane of a vector that was computed before the turns. A scalar is returned
 * unchanged. */
LLVMValueRef geo_emit_turn_value(struct geo_lower_function *f, const struct geo_turn *turn,
                                 LLVMValueRef value);

#endif
