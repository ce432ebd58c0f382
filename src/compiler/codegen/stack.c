/* Determines how much stack compiled code needs. It is known only after LLVM has laid out the
 * frames.
 *
 * LLVM reports frames above a limit as warnings, which is the only way in its C interface. With a
 * limit of 0 it reports every frame. Functions are not recursive, so the deepest chain of calls is
 * a longest path through the module. */
#include "compiler/codegen/internal.h"
#include "native/abi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Stack per call beside the reported frame: return address, alignment, red zone of leaf
 * functions. */
#define CALL_BYTES 144u

void geo_codegen_stack_watch(LLVMValueRef function)
{
    static const char name[] = "warn-stack-size";
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMAddAttributeAtIndex(
        function, LLVMAttributeFunctionIndex,
        LLVMCreateStringAttribute(context, name, (unsigned)strlen(name), "0", 1));
}

bool geo_codegen_stack_hear(struct geo_codegen_frames *frames, const char *text)
{
    const char *size = strstr(text, "stack frame size ("); /* a source location precedes it */
    unsigned long long bytes;
    int start = 0;
    if (!size ||
        sscanf(size, "stack frame size (%llu) exceeds limit (0) in function '%n", &bytes, &start) !=
            1 ||
        start == 0) {
        return false;
    }
    const char *name = size + start, *end = strrchr(name, '\'');
    if (frames->count == frames->capacity) {
        size_t capacity = frames->capacity ? 2 * frames->capacity : 16;
        struct geo_codegen_frame *items = realloc(frames->items, capacity * sizeof(*items));
        if (!items) {
            frames->lost = true;
            return true;
        }
        frames->items = items;
        frames->capacity = capacity;
    }
    char *copy = strndup(name, end ? (size_t)(end - name) : strlen(name));
    frames->lost |= copy == NULL;
    if (copy) {
        frames->items[frames->count++] = (struct geo_codegen_frame){.name = copy, .bytes = bytes};
    }
    return true;
}

void geo_codegen_stack_clear(struct geo_codegen_frames *frames)
{
    for (size_t i = 0; i < frames->count; i++) {
        free(frames->items[i].name);
    }
    free(frames->items);
    *frames = (struct geo_codegen_frames){0};
}

/* ---- the deepest chain of calls ---- */

static int frame_compare(const void *a, const void *b)
{
    return strcmp(((const struct geo_codegen_frame *)a)->name,
                  ((const struct geo_codegen_frame *)b)->name);
}

static uint64_t function_depth(struct geo_codegen_frames *frames, LLVMValueRef function);

/* Returns the stack that a call needs. A call through a pointer counts as a reserve. Declared
 * functions belong to the C library or the host; threads have extra stack for them. */
static uint64_t call_depth(struct geo_codegen_frames *frames, LLVMValueRef call)
{
    LLVMValueRef callee = LLVMIsAFunction(LLVMGetCalledValue(call));
    return !callee                     ? GEO_FUNCTION_RESERVE_BYTES
           : LLVMIsDeclaration(callee) ? 0
                                       : function_depth(frames, callee);
}

static uint64_t callees_depth(struct geo_codegen_frames *frames, LLVMValueRef function)
{
    uint64_t deepest = 0;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block)) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
            if (LLVMIsACallInst(i) && !LLVMIsAInlineAsm(LLVMGetCalledValue(i))) {
                uint64_t depth = call_depth(frames, i);
                deepest = depth > deepest ? depth : deepest;
            }
        }
    }
    return deepest;
}

/* Returns the stack that a function needs with its callees. A function without a report has no
 * frame. */
static uint64_t function_depth(struct geo_codegen_frames *frames, LLVMValueRef function)
{
    size_t length;
    struct geo_codegen_frame key = {.name =
                                        (char *)(uintptr_t)LLVMGetValueName2(function, &length)};
    struct geo_codegen_frame *found =
        frames->count ? bsearch(&key, frames->items, frames->count, sizeof(key), frame_compare)
                      : NULL;
    if (!found) {
        return CALL_BYTES + callees_depth(frames, function);
    }
    if (!found->known) {
        found->known = true;
        found->depth = found->bytes + CALL_BYTES;
        found->depth += callees_depth(frames, function);
    }
    return found->depth;
}

uint64_t geo_codegen_stack_depth(struct geo_codegen_frames *frames, LLVMModuleRef module)
{
    uint64_t deepest = 0;
    if (frames->count) {
        qsort(frames->items, frames->count, sizeof(*frames->items), frame_compare);
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        uint64_t depth = LLVMIsDeclaration(f) ? 0 : function_depth(frames, f);
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest;
}
