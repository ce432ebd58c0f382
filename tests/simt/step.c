/* Executes instructions of one work-item. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* The instruction that runs, with the words of its frame. */
struct at {
    struct item *item;
    const struct instruction *inst;
    uint64_t *words;
};

static const uint64_t *get(const struct at *at, uint32_t index)
{
    return operand_words(at->item, at->words, at->inst->operands[index]);
}

/* ---- frames ---- */

bool frame_enter(struct item *item, const struct function *function)
{
    size_t start = 0;
    if (item->frame_count) {
        const struct frame *top = &item->frames[item->frame_count - 1];
        start = top->words + top->function->word_count;
    }
    if (item->frame_count == 512) {
        return run_fail(item, "calls are nested too deeply");
    }
    if (item->frame_count == item->frame_capacity) {
        item->frame_capacity = item->frame_capacity * 2 + 2;
        item->frames = realloc(item->frames, item->frame_capacity * sizeof(*item->frames));
    }
    size_t end = start + function->word_count;
    if (end > item->word_capacity) {
        item->word_capacity = end * 2;
        item->words = realloc(item->words, item->word_capacity * sizeof(*item->words));
    }
    if (!item->frames || (end && !item->words)) {
        abort();
    }
    item->frames[item->frame_count++] =
        (struct frame){.function = function, .words = start, .local = item->local_bytes};
    return true;
}

static const struct function *callee_of(const struct at *at)
{
    const struct simt *simt = at->item->group->run->simt;
    if (at->inst->callee) {
        return at->inst->callee;
    }
    uint64_t address = *get(at, at->inst->operand_count - 1);
    uint64_t index = (address & UINT32_MAX) >> 4;
    if (address >> SIMT_WINDOW_SHIFT != WINDOW_CODE || index == 0 || index > simt->function_count) {
        run_fail(at->item, "it calls 0x%llx, which is no function", (unsigned long long)address);
        return NULL;
    }
    return simt->function_list[index - 1];
}

static bool call(const struct at *at)
{
    const struct function *function = callee_of(at);
    uint32_t count = at->inst->operand_count - (at->inst->callee ? 0 : 1);
    struct item *item = at->item;
    if (!function) {
        return false;
    }
    if (count != function->parameter_count || !function->decoded) {
        return run_fail(item, "it calls %s with another number of arguments", function->name);
    }
    size_t caller = item->frames[item->frame_count - 1].words;
    if (!frame_enter(item, function)) {
        return false;
    }
    uint64_t *words = item->words + item->frames[item->frame_count - 1].words;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t *from = operand_words(item, item->words + caller, at->inst->operands[i]);
        memcpy(words + function->parameter_at[i], from,
               function->parameters[i]->words * sizeof(*words));
    }
    return true;
}

static void leave(const struct at *at)
{
    struct item *item = at->item;
    const struct frame *top = &item->frames[--item->frame_count];
    item->local_bytes = top->local;
    if (!item->frame_count) {
        item->state = ENDED;
        return;
    }
    const struct frame *caller = &item->frames[item->frame_count - 1];
    const struct instruction *inst = &caller->function->code[caller->next - 1];
    if (at->inst->operand_count && inst->words) {
        memmove(item->words + caller->words + inst->result, get(at, 0),
                inst->words * sizeof(uint64_t));
    }
}

/* ---- control flow ---- */

static void follow(const struct at *at, const struct edge *edge)
{
    uint64_t few[64], *copies = few;
    uint32_t total = 0;
    for (uint32_t i = 0; i < edge->move_count; i++) {
        total += edge->moves[i].words;
    }
    if (total > 64) {
        copies = malloc(total * sizeof(*copies));
        if (!copies) {
            abort();
        }
    }
    for (uint32_t i = 0, k = 0; i < edge->move_count; k += edge->moves[i++].words) {
        memcpy(copies + k, operand_words(at->item, at->words, edge->moves[i].from),
               edge->moves[i].words * sizeof(*copies));
    }
    for (uint32_t i = 0, k = 0; i < edge->move_count; k += edge->moves[i++].words) {
        memcpy(at->words + edge->moves[i].to, copies + k, edge->moves[i].words * sizeof(*copies));
    }
    if (copies != few) {
        free(copies);
    }
    at->item->frames[at->item->frame_count - 1].next = edge->target;
}

static void branch(const struct at *at)
{
    const struct instruction *inst = at->inst;
    uint32_t taken = 0;
    if (inst->op == LLVMBr) {
        taken = inst->operand_count && !(*get(at, 0) & 1) ? 1 : 0;
    } else {
        uint64_t value = *get(at, 0) & bits_mask(inst->bits);
        for (uint32_t i = 1; i < inst->edge_count && !taken; i++) {
            taken = (uint64_t)inst->numbers[i] == value ? i : 0;
        }
    }
    follow(at, &inst->edges[taken]);
}

/* ---- memory ---- */

static bool load(const struct at *at)
{
    const struct instruction *inst = at->inst;
    const uint8_t *memory =
        memory_at(at->item, *get(at, 0), inst->detail, inst->layout->bytes, inst->align, false);
    uint64_t *result = at->words + inst->result;
    if (!memory) {
        return false;
    }
    for (uint32_t i = 0; i < inst->layout->count; i++) {
        uint32_t bits = inst->layout->leaves[i].bits;
        result[0] = 0;
        memcpy(result, memory + inst->layout->leaves[i].offset, (bits + 7) / 8);
        *result &= bits < 8 ? bits_mask(bits) : UINT64_MAX;
        result += bits > 64 ? 2 : 1;
    }
    return true;
}

static bool store(const struct at *at)
{
    const struct instruction *inst = at->inst;
    uint8_t *memory =
        memory_at(at->item, *get(at, 1), inst->detail, inst->layout->bytes, inst->align, true);
    const uint64_t *value = get(at, 0);
    if (!memory) {
        return false;
    }
    for (uint32_t i = 0; i < inst->layout->count; i++) {
        uint32_t bits = inst->layout->leaves[i].bits;
        memcpy(memory + inst->layout->leaves[i].offset, value, (bits + 7) / 8);
        value += bits > 64 ? 2 : 1;
    }
    return true;
}

static bool atomic(const struct at *at)
{
    const struct instruction *inst = at->inst;
    size_t bytes = inst->bits / 8;
    uint8_t *memory = memory_at(at->item, *get(at, 0), inst->detail, bytes, (uint32_t)bytes, true);
    uint64_t *result = at->words + inst->result, old = 0, next;
    if (!memory) {
        return false;
    }
    memcpy(&old, memory, bytes);
    if (inst->op == LLVMAtomicCmpXchg) {
        bool equal = old == *get(at, 1);
        next = equal ? *get(at, 2) : old;
        result[1] = equal;
    } else {
        const char *error =
            scalar_rmw((uint32_t)inst->constant, inst->bits, old, *get(at, 1), &next);
        if (error) {
            return run_fail(at->item, "%s", error);
        }
    }
    memcpy(memory, &next, bytes);
    result[0] = old;
    return true;
}

/* memcpy and memset: destination, source or byte, number of bytes. */
static bool copy(const struct at *at)
{
    const struct instruction *inst = at->inst;
    uint64_t bytes = *get(at, 2);
    if (!bytes) {
        return true;
    }
    uint8_t *to = memory_at(at->item, *get(at, 0), inst->detail, bytes, 1, true);
    if (!to) {
        return false;
    }
    if (inst->op == OP_SET) {
        memset(to, (int)(*get(at, 1) & 0xff), bytes);
        return true;
    }
    const uint8_t *from =
        memory_at(at->item, *get(at, 1), (uint32_t)inst->constant, bytes, 1, false);
    if (from) {
        memmove(to, from, bytes);
    }
    return from != NULL;
}

static void address(const struct at *at)
{
    const struct instruction *inst = at->inst;
    uint64_t value = *get(at, 0) + (uint64_t)inst->constant;
    for (uint32_t i = 1; i < inst->operand_count; i++) {
        int64_t index = bits_signed(*get(at, i), (uint32_t)inst->numbers[2 * i - 1]);
        value += (uint64_t)index * (uint64_t)inst->numbers[2 * i - 2];
    }
    at->words[inst->result] = value;
}

/* ---- values ---- */

static const char *binary(const struct at *at)
{
    const struct instruction *inst = at->inst;
    const uint64_t *a = get(at, 0), *b = inst->operand_count > 1 ? get(at, 1) : a;
    uint64_t *result = at->words + inst->result;
    uint32_t each = inst->bits > 64 ? 2 : 1;
    const char *error = NULL;
    for (uint32_t i = 0; i < inst->count && !error; i++, a += each, b += each, result += each) {
        error = inst->is_float ? scalar_float(inst->op, inst->bits, *a, *b, result)
                               : scalar_binary(inst->op, inst->bits, a, b, result);
    }
    return error;
}

static void compare(const struct at *at)
{
    const struct instruction *inst = at->inst;
    const uint64_t *a = get(at, 0), *b = get(at, 1);
    uint32_t each = inst->bits > 64 ? 2 : 1;
    for (uint32_t i = 0; i < inst->count; i++, a += each, b += each) {
        at->words[inst->result + i] = inst->op == LLVMICmp
                                          ? scalar_icmp(inst->detail, inst->bits, a, b)
                                          : scalar_fcmp(inst->detail, inst->bits, *a, *b);
    }
}

static const char *cast(const struct at *at)
{
    const struct instruction *inst = at->inst;
    const uint64_t *a = get(at, 0);
    uint64_t *result = at->words + inst->result;
    const char *error = NULL;
    for (uint32_t i = 0; i < inst->count && !error; i++) {
        error = scalar_cast(inst->op, inst->from_bits, inst->bits, a, result);
        a += inst->from_bits > 64 ? 2 : 1;
        result += inst->bits > 64 ? 2 : 1;
    }
    return error;
}

static void select_words(const struct at *at)
{
    const struct instruction *inst = at->inst;
    const uint64_t *condition = get(at, 0);
    uint32_t each = inst->count ? inst->words / inst->count : 0;
    if (inst->constant == 1) {
        memmove(at->words + inst->result, get(at, *condition & 1 ? 1 : 2),
                inst->words * sizeof(uint64_t));
        return;
    }
    for (uint32_t i = 0; i < inst->count; i++) {
        memcpy(at->words + inst->result + i * each, get(at, condition[i] & 1 ? 1 : 2) + i * each,
               each * sizeof(uint64_t));
    }
}

static const char *intrinsic(const struct at *at)
{
    const struct instruction *inst = at->inst;
    const uint64_t *operands[3] = {NULL, NULL, NULL};
    const char *error = NULL;
    for (uint32_t k = 0; k < inst->operand_count; k++) {
        operands[k] = get(at, k);
    }
    for (uint32_t i = 0; i < inst->count && !error; i++) {
        uint64_t arguments[3] = {0, 0, 0};
        for (uint32_t k = 0; k < inst->operand_count; k++) {
            arguments[k] = operands[k][i];
        }
        error = scalar_intrinsic(inst->intrinsic, inst, arguments, at->words + inst->result + i);
    }
    return error;
}

static void composite(const struct at *at)
{
    const struct instruction *inst = at->inst;
    uint64_t *result = at->words + inst->result;
    if (inst->op == LLVMExtractValue) {
        memmove(result, get(at, 0) + inst->numbers[0], (size_t)inst->numbers[1] * sizeof(*result));
        return;
    }
    memmove(result, get(at, 0), inst->words * sizeof(*result));
    memmove(result + inst->numbers[0], get(at, 1), (size_t)inst->numbers[1] * sizeof(*result));
}

static void vector(const struct at *at)
{
    const struct instruction *inst = at->inst;
    uint64_t *result = at->words + inst->result, count = (uint64_t)inst->constant;
    const uint64_t *a = get(at, 0);
    uint64_t poison = SIMT_POISON & bits_mask(inst->bits);
    if (inst->op == LLVMExtractElement) {
        uint64_t index = *get(at, 1);
        *result = index < count ? a[index] : poison;
    } else if (inst->op == LLVMInsertElement) {
        uint64_t index = *get(at, 2);
        memmove(result, a, count * sizeof(*result));
        if (index < count) {
            result[index] = *get(at, 1);
        }
    } else {
        const uint64_t *b = get(at, 1);
        for (uint32_t i = 0; i < inst->count; i++) {
            int64_t from = inst->numbers[i];
            result[i] = from < 0                ? poison
                        : from < inst->constant ? a[from]
                                                : b[from - inst->constant];
        }
    }
}

/* Casts between vectors and scalars: the bytes stay. */
static void bitcast(const struct at *at)
{
    const struct instruction *inst = at->inst;
    uint8_t bytes[256] = {0};
    const uint64_t *from = get(at, 0);
    uint32_t end = 0;
    for (uint32_t i = 0; i < inst->layout->count; i++) {
        uint32_t bits = inst->layout->leaves[i].bits;
        memcpy(bytes + end, from, bits / 8);
        end += bits / 8;
        from += bits > 64 ? 2 : 1;
    }
    uint64_t *to = at->words + inst->result;
    for (uint32_t i = 0; i < inst->count; i++) {
        *to = 0;
        memcpy(to, bytes + (size_t)i * (inst->bits / 8), inst->bits / 8);
        to += inst->bits > 64 ? 2 : 1;
    }
}

static void cast_space(const struct at *at)
{
    at->words[at->inst->result] =
        memory_cast(*get(at, 0), at->inst->detail, (uint32_t)at->inst->constant);
}

/* ---- waiting ---- */

static bool wait_lanes(const struct at *at)
{
    struct item *item = at->item;
    uint32_t mask = (uint32_t)*get(at, 0), lane = item->linear % SIMT_LANES;
    if (!(mask >> lane & 1)) {
        return run_fail(item, "lane %u is not in the mask 0x%x", lane, mask);
    }
    item->state = AT_SUBGROUP;
    item->waits = at->inst;
    item->lane_mask = mask;
    return subgroup_release(item->group, item->linear / SIMT_LANES * SIMT_LANES);
}

static bool wait_barrier(const struct at *at)
{
    if (at->inst->operand_count && *get(at, 0) != 0) {
        return run_fail(at->item, "only barrier 0 is supported");
    }
    at->item->state = AT_BARRIER;
    at->item->waits = at->inst;
    return true;
}

/* ---- all ---- */

static bool plain(const struct at *at, const char *error)
{
    return error ? run_fail(at->item, "%s", error) : true;
}

bool step(struct item *item)
{
    struct frame *frame = &item->frames[item->frame_count - 1];
    const struct instruction *inst = &frame->function->code[frame->next++];
    const struct at at = {item, inst, item->words + frame->words};
    switch (inst->op) {
    case LLVMRet:
        leave(&at);
        return true;
    case LLVMBr:
    case LLVMSwitch:
        branch(&at);
        return true;
    case LLVMUnreachable:
        return run_fail(item, "control reached unreachable");
    case LLVMFence:
        return true;
    case LLVMICmp:
    case LLVMFCmp:
        compare(&at);
        return true;
    case LLVMSelect:
        select_words(&at);
        return true;
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMFPToUI:
    case LLVMFPToSI:
    case LLVMUIToFP:
    case LLVMSIToFP:
    case LLVMFPTrunc:
    case LLVMFPExt:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
        return plain(&at, cast(&at));
    case LLVMBitCast:
        bitcast(&at);
        return true;
    case LLVMAddrSpaceCast:
        cast_space(&at);
        return true;
    case LLVMGetElementPtr:
        address(&at);
        return true;
    case LLVMLoad:
        return load(&at);
    case LLVMStore:
        return store(&at);
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return atomic(&at);
    case LLVMAlloca:
        at.words[inst->result] = memory_cast(
            memory_local(item, (uint64_t)inst->constant, inst->align), SPACE_LOCAL, inst->detail);
        return true;
    case LLVMExtractValue:
    case LLVMInsertValue:
        composite(&at);
        return true;
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMShuffleVector:
        vector(&at);
        return true;
    case LLVMCall:
        return call(&at);
    case OP_MOVE:
        if (inst->operand_count) {
            memmove(at.words + inst->result, get(&at, 0), inst->words * sizeof(uint64_t));
        }
        return true;
    case OP_INTRINSIC:
        return plain(&at, intrinsic(&at));
    case OP_SPECIAL:
        at.words[inst->result] = special_value(item, inst->detail);
        return true;
    case OP_SPACE: {
        uint64_t address = *get(&at, 0);
        at.words[inst->result] = address && address >> SIMT_WINDOW_SHIFT == inst->detail;
        return true;
    }
    case OP_BARRIER:
        return wait_barrier(&at);
    case OP_SHUFFLE:
    case OP_VOTE:
        return wait_lanes(&at);
    case OP_COPY:
    case OP_SET:
        return copy(&at);
    default:
        return plain(&at, binary(&at));
    }
}
