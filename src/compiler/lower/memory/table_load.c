/* Loads from small tables; see table_load.h. load_store.c calls it.
 *
 *     table in one page?  yes -> load the table, look up
 *                         no  -> gather
 *
 * A lane reads an element, so its page is readable. A block is entered only if a lane is active.
 * All of the table is loaded whenever a lane loads, so stores in between are seen. */
#include "compiler/lower/memory/table_load.h"

#include "base/assert.h"
#include "compiler/analysis/table.h"
#include "compiler/ir/remark.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/number.h"
#include "compiler/lower/memory/page_load.h"
#include "compiler/lower/value/value.h"

uint32_t geo_access_table_load_limit(const struct geo_lower_target *target)
{
    return target->arch->look_up_limit ? target->arch->look_up_limit(target) : 0;
}

static LLVMValueRef looked_up(const struct geo_access *access, const struct geo_table *table,
                              LLVMValueRef base)
{
    struct geo_lower_function *f = access->f;
    LLVMTypeRef bytes = LLVMVectorType(geo_type_int(f, 8), table->count);
    LLVMValueRef numbers = geo_value_operand(f, table->index, 0, false);
    numbers = geo_type_bits(numbers) > 8
                  ? LLVMBuildTrunc(f->llvm.builder, numbers,
                                   LLVMVectorType(geo_type_int(f, 8), f->lanes), "")
                  : numbers;
    return f->options->target.arch->look_up(f, geo_access_row_load(access, bytes, base, NULL, 1),
                                            numbers);
}

LLVMValueRef geo_access_table_load(const struct geo_access *access)
{
    struct geo_lower_function *f = access->f;
    LLVMBuilderRef b = f->llvm.builder;
    struct geo_table table;
    /* an address may have turned out to be uniform: one load is less than a table */
    if (access->zeros || access->address.kind == GEO_SHAPE_UNIFORM ||
        !geo_table_find(f->body.shapes, f->function, access->inst,
                        geo_access_table_load_limit(&f->options->target), &table)) {
        return NULL;
    }
    geo_remark_access_part(GEO_REMARK_TABLE);
    geo_remark_access_end();
    LLVMValueRef base = geo_lane_address_of(f, table.base).base;
    if (table.whole) {
        return looked_up(access, &table, base);
    }
    LLVMValueRef in_page = geo_access_page_load_is_whole(f, base, table.count), values[2];
    LLVMBasicBlockRef after = geo_emit_block_next(f, "found");
    LLVMBasicBlockRef apart = geo_emit_block_next(f, "apart");
    LLVMBasicBlockRef blocks[2] = {geo_emit_block_next(f, "table"), apart};
    LLVMBuildCondBr(b, in_page, blocks[0], apart);
    LLVMPositionBuilderAtEnd(b, blocks[0]);
    values[0] = looked_up(access, &table, base);
    LLVMBuildBr(b, after);
    LLVMPositionBuilderAtEnd(b, apart);
    const struct geo_part_place place = {access->inst->value.type, 0};
    values[1] = geo_access_part_load(access, &place);
    blocks[1] = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, after);
    LLVMPositionBuilderAtEnd(b, after);
    LLVMValueRef phi = LLVMBuildPhi(b, LLVMTypeOf(values[0]), "");
    LLVMAddIncoming(phi, values, blocks, 2);
    return phi;
}
