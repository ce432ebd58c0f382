/* SPIR-V written word by word; see spv.h. */
#include "spv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *check(void *memory)
{
    if (!memory) {
        fprintf(stderr, "hostile modules: out of memory\n");
        abort();
    }
    return memory;
}

static void word(struct spv *s, enum spv_section section, uint32_t value)
{
    if (s->sections[section].count == s->sections[section].capacity) {
        size_t capacity = s->sections[section].capacity;
        s->sections[section].capacity = capacity ? 2 * capacity : 256;
        s->sections[section].items = check(
            realloc(s->sections[section].items, s->sections[section].capacity * sizeof(uint32_t)));
    }
    s->sections[section].items[s->sections[section].count++] = value;
}

void spv_put(struct spv *s, enum spv_section section, uint32_t op, const uint32_t *words,
             uint32_t count)
{
    word(s, section, (count + 1) << 16 | op);
    for (uint32_t i = 0; i < count; i++) {
        word(s, section, words[i]);
    }
}

void spv_put_text(struct spv *s, enum spv_section section, uint32_t op, const uint32_t *words,
                  uint32_t count, const char *text)
{
    uint32_t length = (uint32_t)strlen(text), text_words = length / 4 + 1;
    word(s, section, (count + text_words + 1) << 16 | op);
    for (uint32_t i = 0; i < count; i++) {
        word(s, section, words[i]);
    }
    for (uint32_t i = 0; i < text_words; i++) {
        uint32_t value = 0;
        memcpy(&value, text + 4 * i, length - 4 * i < 4 ? length - 4 * i : 4);
        word(s, section, value);
    }
}

uint32_t spv_id(struct spv *s)
{
    return s->bound++;
}

uint32_t spv_value(struct spv *s, enum spv_section section, uint32_t op, uint32_t type,
                   const uint32_t *words, uint32_t count)
{
    uint32_t id = spv_id(s);
    word(s, section, (count + 3) << 16 | op);
    word(s, section, type);
    word(s, section, id);
    for (uint32_t i = 0; i < count; i++) {
        word(s, section, words[i]);
    }
    return id;
}

uint32_t spv_type(struct spv *s, uint32_t op, const uint32_t *words, uint32_t count)
{
    uint32_t id = spv_id(s);
    word(s, SPV_GLOBALS, (count + 2) << 16 | op);
    word(s, SPV_GLOBALS, id);
    for (uint32_t i = 0; i < count; i++) {
        word(s, SPV_GLOBALS, words[i]);
    }
    return id;
}

uint32_t spv_int(struct spv *s, uint32_t value)
{
    return SPV_GLOBAL(s, SpvOpConstant, s->i32, value);
}

uint32_t spv_int64(struct spv *s, uint64_t value)
{
    return SPV_GLOBAL(s, SpvOpConstant, s->i64, (uint32_t)value, (uint32_t)(value >> 32));
}

void spv_begin(struct spv *s)
{
    static const uint32_t capabilities[] = {
        SpvCapabilityKernel,   SpvCapabilityAddresses, SpvCapabilityLinkage,
        SpvCapabilityInt64,    SpvCapabilityInt8,      SpvCapabilityInt16,
        SpvCapabilityVector16, SpvCapabilityGroups,    SpvCapabilityGenericPointer};
    memset(s, 0, sizeof(*s));
    s->bound = 1;
    for (size_t i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]); i++) {
        SPV(s, SPV_HEAD, SpvOpCapability, capabilities[i]);
    }
    SPV(s, SPV_HEAD, SpvOpMemoryModel, SpvAddressingModelPhysical64, SpvMemoryModelOpenCL);
    s->none = spv_type(s, SpvOpTypeVoid, NULL, 0);
    s->boolean = spv_type(s, SpvOpTypeBool, NULL, 0);
    s->i8 = SPV_TYPE(s, SpvOpTypeInt, 8, 0);
    s->i32 = SPV_TYPE(s, SpvOpTypeInt, 32, 0);
    s->i64 = SPV_TYPE(s, SpvOpTypeInt, 64, 0);
    s->global_i32 = SPV_TYPE(s, SpvOpTypePointer, SpvStorageClassCrossWorkgroup, s->i32);
    s->private_i32 = SPV_TYPE(s, SpvOpTypePointer, SpvStorageClassFunction, s->i32);
    s->signature = SPV_TYPE(s, SpvOpTypeFunction, s->i32, s->global_i32, s->i32);
    s->kernel_signature = SPV_TYPE(s, SpvOpTypeFunction, s->none, s->global_i32, s->i32);
    s->i64x3 = SPV_TYPE(s, SpvOpTypeVector, s->i64, 3);
    uint32_t pointer = SPV_TYPE(s, SpvOpTypePointer, SpvStorageClassInput, s->i64x3);
    s->gid = SPV_GLOBAL(s, SpvOpVariable, pointer, SpvStorageClassInput);
    SPV(s, SPV_DECORATIONS, SpvOpDecorate, s->gid, SpvDecorationBuiltIn,
        SpvBuiltInGlobalInvocationId);
    SPV(s, SPV_DECORATIONS, SpvOpDecorate, s->gid, SpvDecorationConstant);
}

uint32_t *spv_end(struct spv *s, size_t *bytes)
{
    size_t count = 5, at = 5;
    for (int i = 0; i < SPV_SECTIONS; i++) {
        count += s->sections[i].count;
    }
    uint32_t *words = check(malloc(count * sizeof(uint32_t)));
    memcpy(words, (const uint32_t[]){SpvMagicNumber, 0x00010200, 0, s->bound, 0}, 20);
    for (int i = 0; i < SPV_SECTIONS; i++) {
        if (s->sections[i].count) {
            memcpy(words + at, s->sections[i].items, s->sections[i].count * sizeof(uint32_t));
        }
        at += s->sections[i].count;
        free(s->sections[i].items);
    }
    *bytes = count * sizeof(uint32_t);
    return words;
}

/* ---- functions ---- */

static uint32_t function_begin(struct spv *s, uint32_t result, uint32_t signature)
{
    uint32_t id = SPV_VALUE(s, SpvOpFunction, result, SpvFunctionControlMaskNone, signature);
    s->out = spv_value(s, SPV_CODE, SpvOpFunctionParameter, s->global_i32, NULL, 0);
    s->x = spv_value(s, SPV_CODE, SpvOpFunctionParameter, s->i32, NULL, 0);
    spv_label(s, spv_id(s));
    return id;
}

uint32_t spv_kernel(struct spv *s, const char *name)
{
    uint32_t id = function_begin(s, s->none, s->kernel_signature);
    spv_put_text(s, SPV_ENTRIES, SpvOpEntryPoint, (const uint32_t[]){SpvExecutionModelKernel, id},
                 2, name);
    uint32_t ids = SPV_VALUE(s, SpvOpLoad, s->i64x3, s->gid);
    uint32_t wide = SPV_VALUE(s, SpvOpCompositeExtract, s->i64, ids, 0);
    s->item = SPV_VALUE(s, SpvOpUConvert, s->i32, wide);
    s->place = SPV_VALUE(s, SpvOpInBoundsPtrAccessChain, s->global_i32, s->out, wide);
    return id;
}

uint32_t spv_function(struct spv *s)
{
    uint32_t id = function_begin(s, s->i32, s->signature);
    s->item = s->x;
    s->place = s->out;
    return id;
}

void spv_return(struct spv *s, uint32_t value)
{
    if (value) {
        SPV(s, SPV_CODE, SpvOpReturnValue, value);
    } else {
        spv_put(s, SPV_CODE, SpvOpReturn, NULL, 0);
    }
    spv_put(s, SPV_CODE, SpvOpFunctionEnd, NULL, 0);
}

void spv_label(struct spv *s, uint32_t label)
{
    SPV(s, SPV_CODE, SpvOpLabel, label);
}

void spv_branch(struct spv *s, uint32_t to)
{
    SPV(s, SPV_CODE, SpvOpBranch, to);
}

void spv_branch_if(struct spv *s, uint32_t condition, uint32_t yes, uint32_t no)
{
    SPV(s, SPV_CODE, SpvOpBranchConditional, condition, yes, no);
}

uint32_t spv_condition(struct spv *s, uint32_t number, int varying)
{
    return SPV_VALUE(s, SpvOpULessThan, s->boolean, varying ? s->item : s->x, spv_int(s, number));
}

uint32_t spv_add(struct spv *s, uint32_t a, uint32_t b)
{
    return SPV_VALUE(s, SpvOpIAdd, s->i32, a, b);
}

uint32_t spv_load(struct spv *s, uint32_t from)
{
    return SPV_VALUE(s, SpvOpLoad, s->i32, from);
}

void spv_store(struct spv *s, uint32_t to, uint32_t value)
{
    SPV(s, SPV_CODE, SpvOpStore, to, value);
}

uint32_t spv_private(struct spv *s)
{
    return SPV_VALUE(s, SpvOpVariable, s->private_i32, SpvStorageClassFunction);
}

void spv_barrier(struct spv *s)
{
    uint32_t group = spv_int(s, SpvScopeWorkgroup);
    uint32_t semantics = spv_int(s, SpvMemorySemanticsSequentiallyConsistentMask |
                                        SpvMemorySemanticsCrossWorkgroupMemoryMask);
    SPV(s, SPV_CODE, SpvOpControlBarrier, group, group, semantics);
}
