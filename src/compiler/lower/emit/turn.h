/* Lowering's LLVM words: lanes in turn, for what has no vector form.
 *
 * A turn takes the lane's values with geo_emit_turn_value. Small bodies whose lanes are all on are
 * written out, one after the other; else a loop takes a turn for each lane that is on. What
 * a loop's turns take is stored once before it and loaded in each: LLVM would store the vector at
 * every turn where an index is not constant. */
#ifndef GEO_COMPILER_LOWER_EMIT_TURN_H
#define GEO_COMPILER_LOWER_EMIT_TURN_H

#include "compiler/lower/emit/type.h"

struct geo_turn {
    LLVMValueRef lane;         /* i32; a constant where turns are written out */
    LLVMBasicBlockRef before;  /* ends where the loop begins; NULL: written out */
    struct geo_turns *sources; /* what the loop's turns take */
};

/* Emits one turn; gives its value, NULL: none. It may make blocks. */
typedef LLVMValueRef geo_turn_body(struct geo_lower_function *f, const struct geo_turn *turn,
                                   void *data);

enum geo_turn_size {
    GEO_TURN_SMALL, /* some instructions and no blocks: may be written out */
    GEO_TURN_LARGE,
};

/* Runs the body once for each lane that is on, lowest first. Values of turns (of result_type; NULL:
 * none) come back as <W x>, with anything in lanes that are off. One lane: turn->lane is 0. */
LLVMValueRef geo_emit_turns(struct geo_lower_function *f, LLVMTypeRef result_type,
                            enum geo_turn_size size, geo_turn_body *body, void *data);

/* Whether small turns are written out where no lane is off. */
bool geo_emit_turns_written_out(const struct geo_lower_function *f);

/* The lane's element of a vector that was there before the turns; a scalar is all lanes'. */
LLVMValueRef geo_emit_turn_value(struct geo_lower_function *f, const struct geo_turn *turn,
                                 LLVMValueRef value);

#endif
