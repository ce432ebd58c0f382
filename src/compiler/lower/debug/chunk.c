/* Describes the chunk that runs. See chunk.h. The debugger reads `geoid_chunk`, a structure in the
 * outermost scope of each function: in memory if the code is not optimised, otherwise in as many
 * pieces as there are fields. */
#include "compiler/lower/debug/chunk.h"

#include "compiler/lower/debug/internal.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/mask.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/emit/type.h"

#include <string.h>

enum { OP_FRAGMENT = 0x1000, ENCODING_UNSIGNED = 7 };

/* The fields, 64 bits each. */
enum field {
    FIELD_LANES,
    FIELD_IS_LINEAR,
    FIELD_MASK,
    FIELD_LINEAR,
    FIELD_GROUP,
    FIELD_LOCAL = FIELD_GROUP + 3,
    FIELD_LOCAL_SIZE = FIELD_LOCAL + 3,
    FIELD_GLOBAL_OFFSET = FIELD_LOCAL_SIZE + 3,
    FIELD_COUNT = FIELD_GLOBAL_OFFSET + 3,
};
static const char *const names[] = {
    "lanes",           "is_linear",    "mask",         "linear",          "group_x",
    "group_y",         "group_z",      "local_x",      "local_y",         "local_z",
    "local_size_x",    "local_size_y", "local_size_z", "global_offset_x", "global_offset_y",
    "global_offset_z",
};
_Static_assert(sizeof(names) / sizeof(names[0]) == FIELD_COUNT, "each field has a name");

static LLVMMetadataRef type_make(struct geo_lower_debug *debug)
{
    LLVMMetadataRef members[FIELD_COUNT];
    LLVMMetadataRef word = LLVMDIBuilderCreateBasicType(debug->builder, "geoid_word", 10, 64,
                                                        ENCODING_UNSIGNED, LLVMDIFlagZero);
    for (uint64_t i = 0; i < FIELD_COUNT; i++) {
        members[i] = LLVMDIBuilderCreateMemberType(debug->builder, debug->unit, names[i],
                                                   strlen(names[i]), debug->unknown_file, 0, 64, 0,
                                                   64 * i, LLVMDIFlagZero, word);
    }
    return LLVMDIBuilderCreateStructType(
        debug->builder, debug->unit, "geoid_chunk", 11, debug->unknown_file, 0,
        (uint64_t)64 * FIELD_COUNT, 0, LLVMDIFlagZero, NULL, members, FIELD_COUNT, 0, NULL, "", 0);
}

static void variable_make(struct geo_lower_debug *debug)
{
    if (!debug->chunk_type) {
        debug->chunk_type = type_make(debug);
    }
    debug->chunk = LLVMDIBuilderCreateAutoVariable(debug->builder, debug->own.root, "geoid_chunk",
                                                   11, debug->unknown_file, 0, debug->chunk_type, 1,
                                                   LLVMDIFlagArtificial, 0);
}

/* Sets one field; `value` is an i64. */
static void field_set(struct geo_lower_function *f, uint32_t field, LLVMValueRef value)
{
    struct geo_lower_debug *debug = f->lower->debug;
    if (!debug->optimized) {
        LLVMValueRef address =
            geo_emit_offset_const(f, debug->chunk_slot, (int64_t)8 * (int64_t)field);
        LLVMSetVolatile(LLVMBuildStore(f->llvm.builder, value, address), 1);
        return;
    }
    uint64_t steps[] = {OP_FRAGMENT, (uint64_t)64 * field, 64};
    LLVMDIBuilderInsertDbgValueRecordAtEnd(debug->builder, value, debug->chunk,
                                           LLVMDIBuilderCreateExpression(debug->builder, steps, 3),
                                           debug->nowhere, LLVMGetInsertBlock(f->llvm.builder));
}

static void chunk_declare(struct geo_lower_function *f)
{
    struct geo_lower_debug *debug = f->lower->debug;
    variable_make(debug);
    if (debug->optimized) {
        return;
    }
    if (!debug->chunk_slot) {
        debug->chunk_slot =
            geo_emit_alloca(f, LLVMArrayType2(geo_type_i64(f), FIELD_COUNT), "debug.chunk");
    }
    LLVMDIBuilderInsertDeclareRecordAtEnd(debug->builder, debug->chunk_slot, debug->chunk,
                                          LLVMDIBuilderCreateExpression(debug->builder, NULL, 0),
                                          debug->nowhere, LLVMGetInsertBlock(f->llvm.builder));
}

void geo_debug_chunk_begin(struct geo_lower_function *f, const struct geo_debug_chunk *chunk)
{
    struct geo_lower_debug *debug = f->lower->debug;
    if (!debug) {
        return;
    }
    if (!debug->chunk) {
        chunk_declare(f);
    }
    field_set(f, FIELD_LANES, geo_emit_const_i64(f, f->lanes));
    field_set(f, FIELD_IS_LINEAR, geo_emit_const_i64(f, chunk->linear != NULL));
    field_set(f, FIELD_LINEAR, chunk->linear ? chunk->linear : geo_emit_const_i64(f, 0));
    for (uint32_t i = 0; i < 3; i++) {
        field_set(f, FIELD_GROUP + i, chunk->group[i]);
        field_set(f, FIELD_LOCAL + i, chunk->local[i]);
        field_set(f, FIELD_LOCAL_SIZE + i, chunk->local_size[i]);
        field_set(f, FIELD_GLOBAL_OFFSET + i, chunk->global_offset[i]);
    }
}

void geo_debug_chunk_mask(struct geo_lower_function *f)
{
    struct geo_lower_debug *debug = f->lower->debug;
    if (!debug || !debug->chunk) {
        return;
    }
    uint64_t all = f->lanes < 64 ? (UINT64_C(1) << f->lanes) - 1 : UINT64_MAX;
    if (!f->body.mask) {
        field_set(f, FIELD_MASK, geo_emit_const_i64(f, all));
    } else if (!debug->optimized) {
        LLVMValueRef bits = geo_emit_mask_bits(f, f->body.mask);
        field_set(f, FIELD_MASK, geo_emit_zext(f, bits, 64));
    } else {
        field_set(f, FIELD_MASK, LLVMGetPoison(geo_type_i64(f)));
    }
}
