/* Implements lane by lane execution; see turn.h. */
#include "compiler/lower/emit/turn.h"

#include "base/assert.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/mask.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/number.h"

/* Largest number of lanes for which turns are unrolled. */
#define WRITTEN_OUT_LIMIT 32u
/* Alignment in bytes of a slot, which is an alloca that holds any vector of W lanes. */
#define SLOT_ALIGN 64u

/* The vectors that a loop's turns read from memory; vectors[i] is in slot i. */
struct geo_turns {
    LLVMValueRef vectors[GEO_TURN_SLOTS];
    uint32_t count;
};

/* ---- vectors in memory ---- */

/* Returns the alloca of slot `number`. All turns of the function share the slots, because those of
 * one instruction end before the next one's begin. */
static LLVMValueRef slot_get(struct geo_lower_function *f, uint32_t number)
{
    GEO_ASSERT(number < GEO_TURN_SLOTS);
    if (!f->demand.turn_slots[number]) {
        LLVMTypeRef type = LLVMArrayType2(geo_type_i64(f), f->lanes);
        f->demand.turn_slots[number] = geo_emit_alloca(f, type, "turns");
        LLVMSetAlignment(f->demand.turn_slots[number], SLOT_ALIGN);
    }
    return f->demand.turn_slots[number];
}

/* Stores a vector to its slot before the loop. Store and loads are volatile, because LLVM would
 * otherwise turn them into a register and extract its lanes one by one. */
static void slot_store(struct geo_lower_function *f, const struct geo_turn *turn,
                       LLVMValueRef vector, LLVMValueRef slot)
{
    LLVMBasicBlockRef here = LLVMGetInsertBlock(f->llvm.builder);
    LLVMPositionBuilderBefore(f->llvm.builder, LLVMGetBasicBlockTerminator(turn->before));
    LLVMValueRef store = LLVMBuildStore(f->llvm.builder, vector, slot);
    LLVMSetAlignment(store, SLOT_ALIGN);
    LLVMSetVolatile(store, true);
    LLVMPositionBuilderAtEnd(f->llvm.builder, here);
}

/* Returns the slot that holds the vector, or NULL if all slots are taken. */
static LLVMValueRef slot_of(struct geo_lower_function *f, const struct geo_turn *turn,
                            LLVMValueRef vector)
{
    GEO_ASSERT(turn->before && turn->sources && turn->sources->count <= GEO_TURN_SLOTS);
    struct geo_turns *sources = turn->sources;
    for (uint32_t i = 0; i < sources->count; i++) {
        if (sources->vectors[i] == vector) {
            return slot_get(f, i);
        }
    }
    if (sources->count == GEO_TURN_SLOTS) {
        return NULL;
    }
    LLVMValueRef slot = slot_get(f, sources->count);
    sources->vectors[sources->count++] = vector;
    slot_store(f, turn, vector, slot);
    return slot;
}

LLVMValueRef geo_emit_turn_value(struct geo_lower_function *f, const struct geo_turn *turn,
                                 LLVMValueRef value)
{
    if (geo_type_lanes(value) == 1) {
        return value;
    }
    GEO_ASSERT(geo_type_lanes(value) == f->lanes && turn->lane);
    bool is_bits = geo_type_bits(value) < 8; /* packed in memory, without an address for each */
    LLVMValueRef slot =
        turn->before && !is_bits && !LLVMIsConstant(value) ? slot_of(f, turn, value) : NULL;
    if (!slot) {
        return LLVMBuildExtractElement(f->llvm.builder, value, turn->lane, "");
    }
    LLVMTypeRef element = geo_type_element(value);
    LLVMValueRef place =
        LLVMBuildInBoundsGEP2(f->llvm.builder, element, slot, (LLVMValueRef[]){turn->lane}, 1, "");
    LLVMValueRef load = LLVMBuildLoad2(f->llvm.builder, element, place, "");
    LLVMSetVolatile(load, true);
    return load;
}

/* ---- turns ---- */

/* Continues in a new block. Returns the block before it. */
static LLVMBasicBlockRef block_continue(struct geo_lower_function *f)
{
    LLVMBasicBlockRef before = LLVMGetInsertBlock(f->llvm.builder);
    LLVMBasicBlockRef next = geo_emit_block_next(f, "turns");
    LLVMBuildBr(f->llvm.builder, next);
    LLVMPositionBuilderAtEnd(f->llvm.builder, next);
    return before;
}

static LLVMValueRef written_out(struct geo_lower_function *f, LLVMTypeRef result_type,
                                bool from_memory, geo_turn_body *body, void *data)
{
    GEO_ASSERT(!f->body.mask && f->lanes <= WRITTEN_OUT_LIMIT);
    LLVMValueRef result = result_type ? LLVMGetPoison(LLVMVectorType(result_type, f->lanes)) : NULL;
    struct geo_turns sources = {.count = 0};
    LLVMBasicBlockRef before = from_memory ? block_continue(f) : NULL;
    for (uint32_t i = 0; i < f->lanes; i++) {
        struct geo_turn turn = {geo_emit_const_i32(f, i), before, &sources};
        LLVMValueRef value = body(f, &turn, data);
        if (result && value) {
            result = LLVMBuildInsertElement(f->llvm.builder, result, value, turn.lane, "");
        }
    }
    return result;
}

/* Returns `vector` with one lane replaced. */
static LLVMValueRef lane_replaced(struct geo_lower_function *f, LLVMValueRef vector,
                                  LLVMValueRef value, LLVMValueRef lane)
{
    GEO_ASSERT(LLVMTypeOf(value) == geo_type_element(vector));
    return LLVMBuildInsertElement(f->llvm.builder, vector, value, lane, "");
}

/* Emits a loop with a turn for each lane, without results:
 *
 *     lane = 0; do { body; } while (++lane != W); */
static void loop_of_all(struct geo_lower_function *f, geo_turn_body *body_emit, void *data)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
    LLVMBasicBlockRef body = geo_emit_block_last(f, "lane");
    LLVMBasicBlockRef done = geo_emit_block_last(f, "lanes.done");
    GEO_ASSERT(!f->body.mask);
    LLVMBuildBr(b, body);

    LLVMPositionBuilderAtEnd(b, body);
    LLVMValueRef lane = LLVMBuildPhi(b, geo_type_i32(f), "turn");
    struct geo_turns sources = {.count = 0};
    struct geo_turn turn = {lane, before, &sources};
    (void)body_emit(f, &turn, data);
    LLVMValueRef next = LLVMBuildNUWAdd(b, lane, geo_emit_const_i32(f, 1), "");
    LLVMValueRef more = LLVMBuildICmp(b, LLVMIntNE, next, geo_emit_const_i32(f, f->lanes), "");
    LLVMBasicBlockRef from[] = {before, LLVMGetInsertBlock(b)};
    LLVMBuildCondBr(b, more, body, done);

    LLVMAddIncoming(lane, (LLVMValueRef[]){geo_emit_const_i32(f, 0), next}, from, 2);
    LLVMPositionBuilderAtEnd(b, done);
}

/* Emits a loop with a turn for each active lane:
 *
 *     while (bits) { lane = cttz(bits); body; bits &= bits - 1; } */
static LLVMValueRef loop(struct geo_lower_function *f, LLVMTypeRef result_type,
                         geo_turn_body *body_emit, void *data)
{
    LLVMBuilderRef b = f->llvm.builder;
    LLVMTypeRef bits_type = LLVMIntTypeInContext(f->llvm.context, f->lanes);
    LLVMTypeRef vector_type = result_type ? LLVMVectorType(result_type, f->lanes) : NULL;
    LLVMValueRef start = geo_emit_mask_bits(f, geo_emit_mask_active(f));
    LLVMBasicBlockRef before = LLVMGetInsertBlock(b);
    LLVMBasicBlockRef head = geo_emit_block_last(f, "lanes");
    LLVMBasicBlockRef body = geo_emit_block_last(f, "lane");
    LLVMBasicBlockRef done = geo_emit_block_last(f, "lanes.done");
    LLVMBuildBr(b, head);

    LLVMPositionBuilderAtEnd(b, head);
    LLVMValueRef bits = LLVMBuildPhi(b, bits_type, "bits");
    LLVMValueRef gathered = result_type ? LLVMBuildPhi(b, vector_type, "gathered") : NULL;
    LLVMValueRef more = LLVMBuildICmp(b, LLVMIntNE, bits, LLVMConstNull(bits_type), "");
    LLVMBuildCondBr(b, more, body, done);

    LLVMPositionBuilderAtEnd(b, body);
    LLVMValueRef lane = geo_emit_mask_lowest_bit(f, bits);
    lane = f->lanes > 32 ? LLVMBuildTrunc(b, lane, geo_type_i32(f), "")
                         : LLVMBuildZExtOrBitCast(b, lane, geo_type_i32(f), "");
    LLVMValueRef mask = f->body.mask;
    f->body.mask = NULL;
    struct geo_turns sources = {.count = 0};
    struct geo_turn turn = {lane, before, &sources};
    LLVMValueRef value = body_emit(f, &turn, data);
    f->body.mask = mask;
    LLVMValueRef next_gathered =
        result_type && value ? lane_replaced(f, gathered, value, lane) : gathered;
    LLVMValueRef less = LLVMBuildSub(b, bits, LLVMConstInt(bits_type, 1, 0), "");
    LLVMValueRef next_bits = LLVMBuildAnd(b, bits, less, "");
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, head);

    LLVMBasicBlockRef from[] = {before, latch};
    LLVMAddIncoming(bits, (LLVMValueRef[]){start, next_bits}, from, 2);
    if (gathered) {
        LLVMAddIncoming(gathered, (LLVMValueRef[]){LLVMConstNull(vector_type), next_gathered}, from,
                        2);
    }
    LLVMPositionBuilderAtEnd(b, done);
    return gathered;
}

bool geo_emit_turns_written_out(const struct geo_lower_function *f)
{
    return f->lanes <= WRITTEN_OUT_LIMIT;
}

LLVMValueRef geo_emit_turns(struct geo_lower_function *f, LLVMTypeRef result_type,
                            enum geo_turn_size size, geo_turn_body *body, void *data)
{
    if (f->lanes == 1) {
        struct geo_turn only = {geo_emit_const_i32(f, 0), NULL, NULL};
        return body(f, &only, data);
    }
    bool from_memory = size == GEO_TURN_FROM_MEMORY;
    if (!f->body.mask && (size == GEO_TURN_SMALL || from_memory) && geo_emit_turns_written_out(f)) {
        return written_out(f, result_type, from_memory, body, data);
    }
    if (!f->body.mask && size == GEO_TURN_LOOPED && !result_type) {
        loop_of_all(f, body, data);
        return NULL;
    }
    return loop(f, result_type, body, data);
}
