/* Replaces block reads and writes of images. See image_blocks.h.
 *
 * Positions in a row are in bytes, and pixels are copied without conversion. Component c of item i
 * of S is:
 *
 *     plain blocks    element i of row c
 *     media blocks    element c * S + i of the block's rows, one after another, where the length of
 *                     a row is rounded up to a power of two; elements outside are skipped
 *
 * So consecutive items have consecutive elements. Items must agree on the position; that of the
 * first active item is used. */
#include "compiler/builtins/image_blocks.h"

#include "compiler/builtins/image_call.h"

#include <stdio.h>

/* One instruction, and the values that its calls share. */
struct block {
    struct geo_builtins_functions *functions;
    struct geo_writer *writer;
    const struct geo_ir_inst *inst;
    bool writes, media;
    const struct geo_ir_type *word; /* the 32-bit integer type */
    const struct geo_ir_type *data;
    struct geo_ir_value *place;
    struct geo_ir_value *item; /* number of the item in the sub-group, i */
};

/* Writes a GEO_OP_BUILTIN. */
static struct geo_ir_value *builtin(struct block *block, SpvBuiltIn builtin)
{
    const uint32_t literals[] = {builtin, 0};
    return geo_write_op(block->writer, (SpvOp)GEO_OP_BUILTIN, block->word, 0, NULL, 2, literals);
}

/* Returns a value that all items must agree on, taken from the first item. */
static struct geo_ir_value *agreed(struct block *block, struct geo_ir_value *value)
{
    return geo_write_2(block->writer, SpvOpGroupNonUniformBroadcastFirst, value->type,
                       geo_write_const(block->writer, 32, SpvScopeSubgroup), value);
}

static struct geo_ir_value *extent(struct block *block, struct geo_ir_value *value)
{
    struct geo_ir_value *first = agreed(block, value);
    return !first || first->type == block->word
               ? first
               : geo_write_1(block->writer, SpvOpUConvert, block->word, first);
}

static uint32_t element_bits(const struct block *block)
{
    return geo_ir_scalar_of(block->data)->width;
}

static const struct geo_ir_type *element_number(const struct block *block)
{
    return geo_ir_type_int(block->writer->module, element_bits(block));
}

/* Adds the arguments for element i of row c: x, y. */
static void plain_add(struct block *block, struct geo_image_call *call, uint32_t c)
{
    struct geo_writer *writer = block->writer;
    struct geo_ir_value *bytes = geo_write_2(writer, SpvOpIMul, block->word, block->item,
                                             geo_write_const(writer, 32, element_bits(block) / 8));
    geo_image_call_add(call, geo_write_2(writer, SpvOpIAdd, block->word,
                                         geo_write_extract(writer, block->place, 0), bytes));
    geo_image_call_add(call, geo_write_2(writer, SpvOpIAdd, block->word,
                                         geo_write_extract(writer, block->place, 1),
                                         geo_write_const(writer, 32, c)));
}

/* Adds the arguments for element c * S + i: x, y, width, height, number of the element. */
static void media_add(struct block *block, struct geo_image_call *call, uint32_t c)
{
    struct geo_writer *writer = block->writer;
    struct geo_ir_value *before =
        geo_write_2(writer, SpvOpIMul, block->word, builtin(block, SpvBuiltInSubgroupMaxSize),
                    geo_write_const(writer, 32, c));
    geo_image_call_add(call, geo_write_extract(writer, block->place, 0));
    geo_image_call_add(call, geo_write_extract(writer, block->place, 1));
    geo_image_call_add(call, extent(block, block->inst->operands[2]));
    geo_image_call_add(call, extent(block, block->inst->operands[3]));
    geo_image_call_add(call, geo_write_2(writer, SpvOpIAdd, block->word, block->item, before));
}

/* Returns component c of the data to write, as an integer. */
static struct geo_ir_value *element_out(struct block *block, uint32_t c)
{
    struct geo_ir_value *data = block->inst->operands[block->inst->operand_count - 1];
    struct geo_ir_value *element = geo_write_extract(block->writer, data, c);
    const struct geo_ir_type *number = element_number(block);
    return !element || element->type == number
               ? element
               : geo_write_1(block->writer, SpvOpBitcast, number, element);
}

/* Converts a read element to the type of the result's components. */
static struct geo_ir_value *element_in(struct block *block, struct geo_ir_value *element)
{
    const struct geo_ir_type *type = geo_ir_scalar_of(block->data);
    return !element || element->type == type
               ? element
               : geo_write_1(block->writer, SpvOpBitcast, type, element);
}

/* Writes the call for component c and returns its result. */
static struct geo_ir_value *component(struct block *block, uint32_t c)
{
    struct geo_image_call call;
    char name[32];
    snprintf(name, sizeof(name), "%s_%s%u", block->media ? "media" : "block",
             block->writes ? "put" : "at", element_bits(block));
    if (!geo_image_call_begin(&call, block->functions, block->writer, name,
                              block->inst->operands[0])) {
        return NULL;
    }
    (block->media ? media_add : plain_add)(block, &call, c);
    if (block->writes) {
        geo_image_call_add(&call, element_out(block, c));
    }
    return geo_image_call_end(&call, block->writer);
}

static bool block_write(struct block *block)
{
    for (uint32_t c = 0; c < geo_ir_components(block->data); c++) {
        if (!component(block, c)) {
            return false;
        }
    }
    return true;
}

static struct geo_ir_value *block_read(struct block *block)
{
    struct geo_ir_value *parts[16];
    uint32_t count = geo_ir_components(block->data);
    for (uint32_t c = 0; c < count; c++) {
        parts[c] = element_in(block, component(block, c));
    }
    return count == 1 ? parts[0]
                      : geo_write_op(block->writer, SpvOpCompositeConstruct, block->data, count,
                                     parts, 0, NULL);
}

bool geo_builtins_image_block(struct geo_builtins_functions *functions, struct geo_writer *writer,
                              struct geo_ir_inst *inst)
{
    bool read = inst->op == SpvOpSubgroupImageBlockReadINTEL ||
                inst->op == SpvOpSubgroupImageMediaBlockReadINTEL;
    bool media = inst->op == SpvOpSubgroupImageMediaBlockReadINTEL ||
                 inst->op == SpvOpSubgroupImageMediaBlockWriteINTEL;
    if (!read && inst->op != SpvOpSubgroupImageBlockWriteINTEL && !media) {
        return false;
    }
    struct block block = {
        .functions = functions,
        .writer = writer,
        .inst = inst,
        .writes = !read,
        .media = media,
        .word = geo_ir_type_int(writer->module, 32),
        .data = read ? inst->value.type : inst->operands[inst->operand_count - 1]->type,
    };
    block.item = builtin(&block, SpvBuiltInSubgroupLocalInvocationId);
    block.place = agreed(&block, inst->operands[1]);
    struct geo_ir_value *value = read ? block_read(&block) : NULL;
    if (!(read ? value != NULL : block_write(&block)) || writer->out_of_memory) {
        return false;
    }
    geo_write_replace(inst, value);
    return true;
}
