/* Functions, blocks and instructions, decoded by the grammar; the few that differ are named here.
 */
#include "compiler/spirv/internal.h"

#include <spirv/unified1/OpenCL.std.h>
#include <stdio.h>
#include <string.h>

/* ---- forward references ---- */

static bool fixup_add(struct spirv_reader *reader, struct spirv_fixup **list,
                      struct geo_ir_value **slot, uint32_t id)
{
    struct spirv_fixup *fixup = geo_arena_new(&reader->module->arena, struct spirv_fixup);
    if (!fixup) {
        return spirv_out_of_memory(reader);
    }
    fixup->slot = slot;
    fixup->id = id;
    fixup->word_offset = (uint32_t)reader->at;
    fixup->next = *list;
    *list = fixup;
    return true;
}

static bool fixups_resolve(struct spirv_reader *reader, struct spirv_fixup *list)
{
    for (struct spirv_fixup *fixup = list; fixup; fixup = fixup->next) {
        const struct spirv_id *entry = &reader->ids[fixup->id];
        if (entry->kind != ID_VALUE) {
            return spirv_error(reader, "id %u, used at word %u, is never defined as a value",
                               fixup->id, fixup->word_offset);
        }
        *fixup->slot = entry->value;
    }
    return true;
}

static bool functions_resolve(struct spirv_reader *reader)
{
    for (struct spirv_fixup *fixup = reader->calls; fixup; fixup = fixup->next) {
        const struct spirv_id *entry = &reader->ids[fixup->id];
        if (entry->kind == ID_VALUE && entry->value->kind != GEO_VALUE_FUNCTION) {
            return spirv_error(reader, "id %u, used at word %u, is not a function", fixup->id,
                               fixup->word_offset);
        }
    }
    return fixups_resolve(reader, reader->calls);
}

bool spirv_function_later(struct spirv_reader *reader, struct geo_ir_value **slot, uint32_t id)
{
    return spirv_id(reader, id) && fixup_add(reader, &reader->calls, slot, id);
}

/* The block a label id names, made when it is first spoken of. */
static struct geo_ir_block *block_get(struct spirv_reader *reader, uint32_t id)
{
    struct spirv_id *entry = spirv_id(reader, id);
    if (!entry) {
        return NULL;
    }
    if (entry->kind == ID_NONE) {
        entry->block = geo_arena_new(&reader->module->arena, struct geo_ir_block);
        if (!entry->block) {
            spirv_out_of_memory(reader);
            return NULL;
        }
        entry->kind = ID_BLOCK;
        entry->block->id = id; /* function stays NULL until its OpLabel */
    }
    if (entry->kind != ID_BLOCK) {
        spirv_error(reader, "id %u is not a label", id);
        return NULL;
    }
    if (entry->block->function && entry->block->function != reader->function) {
        spirv_error(reader, "label %u belongs to another function", id);
        return NULL;
    }
    return entry->block;
}

/* ---- operands ---- */

/* How many operands and literals an instruction has. */
struct decoded {
    uint32_t operand_count, literal_count;
};

/* The operand words not yet read. */
struct cursor {
    const uint32_t *words;
    uint32_t left;
};

/* Literal arguments of an OpenCL.std instruction; they come last. */
static uint32_t ext_literals(uint32_t number)
{
    switch (number) {
    case OpenCLstd_Vloadn:
    case OpenCLstd_Vload_halfn:
    case OpenCLstd_Vloada_halfn:
    case OpenCLstd_Vstore_half_r:
    case OpenCLstd_Vstore_halfn_r:
    case OpenCLstd_Vstorea_halfn_r:
        return 1;
    default:
        return 0;
    }
}

static bool operand_set(struct spirv_reader *reader, struct geo_ir_inst *inst, uint32_t *index,
                        uint32_t id)
{
    struct spirv_id *entry = spirv_id(reader, id);
    if (!entry) {
        return false;
    }
    struct geo_ir_value **slot = &inst->operands[(*index)++];
    if (entry->kind == ID_VALUE) {
        *slot = entry->value;
        return true;
    }
    if (entry->kind != ID_NONE) {
        return spirv_error(reader, "id %u is not a value", id);
    }
    if (inst->op == SpvOpFunctionCall && *index == 1) {
        return fixup_add(reader, &reader->calls, slot, id);
    }
    /* Of phis, or in a block that stands before one that dominates it: the specification forbids
       that order, but llvm-spirv writes it. Validation checks dominance. */
    return fixup_add(reader, &reader->fixups, slot, id);
}

/* Reads the words of a memory operand; *used of them. */
static bool memory_access(struct spirv_reader *reader, struct cursor *cursor, uint32_t *flags,
                          uint32_t *align)
{
    uint32_t mask = cursor->words[0];
    uint32_t used = 1;
    if (mask & SpvMemoryAccessAlignedMask) {
        if (cursor->left < 2 || __builtin_popcount(cursor->words[1]) != 1) {
            return spirv_error(reader, "its alignment is not a power of two");
        }
        *align = cursor->words[1];
        used++;
    }
    /* MakePointerAvailable, MakePointerVisible, AliasScopeINTEL, NoAliasINTEL: one id each */
    used += (uint32_t)__builtin_popcount(mask & 0x30018u);
    if (used > cursor->left) {
        return spirv_error(reader, "its memory operand is cut off");
    }
    *flags = mask & (SpvMemoryAccessVolatileMask | SpvMemoryAccessNontemporalMask);
    cursor->words += used;
    cursor->left -= used;
    return true;
}

static struct geo_ir_inst *inst_create(struct spirv_reader *reader, const struct geo_ir_type *type,
                                       uint32_t operands, uint32_t literals, uint32_t targets)
{
    struct geo_ir_inst *inst =
        geo_ir_inst_create(reader->module, (SpvOp)reader->op, type, operands, literals, targets);
    if (!inst) {
        spirv_out_of_memory(reader);
        return NULL;
    }
    inst->word_offset = (uint32_t)reader->at;
    inst->line = reader->line;
    return inst;
}

/* Ends a decoded instruction: into the block, result defined. */
static bool inst_finish(struct spirv_reader *reader, struct geo_ir_inst *inst, uint32_t result_id)
{
    geo_ir_inst_append(reader->block, inst);
    if (geo_ir_is_terminator(inst->op)) {
        reader->block = NULL;
    }
    return result_id == 0 || spirv_define_value(reader, result_id, &inst->value);
}

/* Type and id of the result from the head of the pattern; moves the cursor past them. */
static bool result_read(struct spirv_reader *reader, const char **pattern, struct cursor *cursor,
                        const struct geo_ir_type **type, uint32_t *id)
{
    *type = NULL;
    *id = 0;
    if (**pattern == 't') {
        *type = cursor->left ? spirv_type(reader, cursor->words[0]) : NULL;
        if (!*type) {
            return spirv_error(reader, "has no result type");
        }
        (*pattern)++;
        cursor->words++;
        cursor->left--;
    }
    if (**pattern == 'r') {
        if (!cursor->left) {
            return spirv_error(reader, "has no result id");
        }
        *id = cursor->words[0];
        (*pattern)++;
        cursor->words++;
        cursor->left--;
    }
    return true;
}

/* Counts operands and literals in the words left, by pattern. Literal strings have no place in
 * functions. */
static bool operands_count(struct spirv_reader *reader, const char *pattern, uint32_t left,
                           struct decoded *count)
{
    memset(count, 0, sizeof(*count));
    while (*pattern) {
        char letter = *pattern++;
        char quantifier = *pattern == '?' || *pattern == '*' ? *pattern++ : 0;
        if (left == 0) {
            if (quantifier) {
                continue;
            }
            return spirv_error(reader, "operands are missing");
        }
        uint32_t taken = quantifier == '*' || letter == 'L' || letter == 'M' ? left : 1;
        switch (letter) {
        case 'i':
            count->operand_count += taken;
            break;
        case 'l':
        case 'L':
            count->literal_count += taken;
            break;
        case 'M':
            return true;
        default:
            return spirv_error(reader, "is not supported");
        }
        left -= taken;
    }
    return left == 0 ? true : spirv_error(reader, "has %u words too many", left);
}

static bool operands_read(struct spirv_reader *reader, struct geo_ir_inst *inst,
                          const char *pattern, struct cursor *cursor)
{
    uint32_t operand = 0;
    uint32_t literal = 0;
    bool second = false;
    while (*pattern && cursor->left) {
        char letter = *pattern++;
        char quantifier = *pattern == '?' || *pattern == '*' ? *pattern++ : 0;
        if (letter == 'M') {
            uint32_t *align = second ? &inst->source_align : &inst->memory_align;
            uint32_t flags = 0;
            if (!memory_access(reader, cursor, &flags, align)) {
                return false;
            }
            inst->memory_flags |= flags;
            second = true;
            continue;
        }
        uint32_t taken = quantifier == '*' || letter == 'L' ? cursor->left : 1;
        for (uint32_t i = 0; i < taken; i++) {
            if (letter != 'i') {
                inst->literals[literal++] = cursor->words[i];
            } else if (!operand_set(reader, inst, &operand, cursor->words[i])) {
                return false;
            }
        }
        cursor->words += taken;
        cursor->left -= taken;
    }
    return cursor->left == 0 || spirv_error(reader, "has %u words too many", cursor->left);
}

static bool read_generic(struct spirv_reader *reader, const char *pattern)
{
    struct cursor cursor = {reader->operands, spirv_operand_count(reader)};
    const struct geo_ir_type *type;
    struct decoded count;
    uint32_t id;
    if (!result_read(reader, &pattern, &cursor, &type, &id) ||
        !operands_count(reader, pattern, cursor.left, &count)) {
        return false;
    }
    if (!type) {
        type = geo_ir_type_void(reader->module);
    }
    struct geo_ir_inst *inst =
        type ? inst_create(reader, type, count.operand_count, count.literal_count, 0) : NULL;
    return inst && operands_read(reader, inst, pattern, &cursor) &&
           spirv_make_right(reader, inst) && inst_finish(reader, inst, id);
}

/* ---- the ones that differ ---- */

static bool read_phi(struct spirv_reader *reader)
{
    uint32_t count = spirv_operand_count(reader);
    if (count < 2 || count % 2 != 0) {
        return spirv_error(reader, "its operands are not pairs");
    }
    const struct geo_ir_type *type = spirv_type(reader, reader->operands[0]);
    uint32_t pairs = count / 2 - 1;
    struct geo_ir_inst *inst = type ? inst_create(reader, type, pairs, 0, pairs) : NULL;
    if (!inst) {
        return false;
    }
    uint32_t operand = 0;
    for (uint32_t i = 0; i < pairs; i++) {
        const uint32_t *pair = reader->operands + 2 + 2 * i;
        inst->targets[i] = block_get(reader, pair[1]);
        if (!inst->targets[i] || !operand_set(reader, inst, &operand, pair[0])) {
            return false;
        }
    }
    return inst_finish(reader, inst, reader->operands[1]);
}

static bool read_branch(struct spirv_reader *reader)
{
    bool conditional = reader->op == SpvOpBranchConditional;
    uint32_t targets = conditional ? 2 : 1;
    uint32_t operands = conditional ? 1 : 0;
    uint32_t operand = 0;
    if (!spirv_need(reader, operands + targets)) {
        return false;
    }
    struct geo_ir_inst *inst =
        inst_create(reader, geo_ir_type_void(reader->module), operands, 0, targets);
    if (!inst || (conditional && !operand_set(reader, inst, &operand, reader->operands[0]))) {
        return false;
    }
    for (uint32_t i = 0; i < targets; i++) {
        inst->targets[i] = block_get(reader, reader->operands[operands + i]);
        if (!inst->targets[i]) {
            return false;
        }
    }
    return inst_finish(reader, inst, 0);
}

static bool read_switch(struct spirv_reader *reader)
{
    if (!spirv_need(reader, 2)) {
        return false;
    }
    struct geo_ir_value *selector = spirv_value(reader, reader->operands[0]);
    if (!selector) {
        return false;
    }
    if (selector->type->kind != GEO_TYPE_INT) {
        return spirv_error(reader, "its selector is not an integer");
    }
    uint32_t words = selector->type->width > 32 ? 2 : 1;
    uint32_t left = spirv_operand_count(reader) - 2;
    if (left % (words + 1) != 0) {
        return spirv_error(reader, "its cases are cut off");
    }
    uint32_t cases = left / (words + 1);
    struct geo_ir_inst *inst =
        inst_create(reader, geo_ir_type_void(reader->module), 1, 2 * cases, 1 + cases);
    if (!inst) {
        return false;
    }
    inst->operands[0] = selector;
    inst->targets[0] = block_get(reader, reader->operands[1]);
    for (uint32_t i = 0; i < cases; i++) {
        const uint32_t *item = reader->operands + 2 + i * (words + 1);
        uint32_t width = selector->type->width;
        inst->literals[2 * i] = width < 32 ? item[0] & ((1u << width) - 1) : item[0];
        inst->literals[2 * i + 1] = words == 2 ? item[1] : 0;
        inst->targets[1 + i] = block_get(reader, item[words]);
    }
    for (uint32_t i = 0; i <= cases; i++) {
        if (!inst->targets[i]) {
            return false;
        }
    }
    return inst_finish(reader, inst, 0);
}

static bool read_ext_inst(struct spirv_reader *reader)
{
    const uint32_t *operands = reader->operands;
    if (!spirv_need(reader, 4)) {
        return false;
    }
    const struct geo_ir_type *type = spirv_type(reader, operands[0]);
    const struct spirv_id *set = type ? spirv_id(reader, operands[2]) : NULL;
    if (!set) {
        return false;
    }
    if (set->kind != ID_EXT_OPENCL) {
        return spirv_error(reader, "id %u is not an instruction set", operands[2]);
    }
    uint32_t arguments = spirv_operand_count(reader) - 4;
    uint32_t literals = ext_literals(operands[3]);
    if (literals > arguments) {
        return spirv_error(reader, "operands are missing");
    }
    uint32_t values = arguments - literals;
    struct geo_ir_inst *inst = inst_create(reader, type, values, 2 + literals, 0);
    if (!inst) {
        return false;
    }
    inst->literals[0] = GEO_EXT_OPENCL_STD;
    inst->literals[1] = operands[3];
    uint32_t operand = 0;
    for (uint32_t i = 0; i < values; i++) {
        if (!operand_set(reader, inst, &operand, operands[4 + i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < literals; i++) {
        inst->literals[2 + i] = operands[4 + values + i];
    }
    return inst_finish(reader, inst, operands[1]);
}

static bool read_local_variable(struct spirv_reader *reader)
{
    if (!spirv_need(reader, 3)) {
        return false;
    }
    const uint32_t *operands = reader->operands;
    const struct geo_ir_type *type = spirv_type(reader, operands[0]);
    if (!type) {
        return false;
    }
    if (type->kind != GEO_TYPE_POINTER || type->storage != operands[2] ||
        operands[2] != SpvStorageClassFunction || !type->element || type->element->size == 0) {
        return spirv_error(reader, "a variable of this type or storage class is not possible");
    }
    bool initialized = spirv_operand_count(reader) > 3;
    uint32_t operand = 0;
    struct geo_ir_inst *inst = inst_create(reader, type, initialized, 1, 0);
    if (!inst) {
        return false;
    }
    inst->literals[0] = operands[2];
    return (!initialized || operand_set(reader, inst, &operand, operands[3])) &&
           inst_finish(reader, inst, operands[1]);
}

static bool read_undef(struct spirv_reader *reader)
{
    if (!spirv_need(reader, 2)) {
        return false;
    }
    const struct geo_ir_type *type = spirv_type(reader, reader->operands[0]);
    if (!type) {
        return false;
    }
    if (type->kind == GEO_TYPE_VOID || type->kind == GEO_TYPE_FUNCTION) {
        return spirv_error(reader, "its type has no values");
    }
    return spirv_define_value(reader, reader->operands[1], geo_ir_undef(reader->module, type));
}

static bool read_label(struct spirv_reader *reader)
{
    if (!spirv_need(reader, 1)) {
        return false;
    }
    if (reader->block) {
        return spirv_error(reader, "the block before has no terminator");
    }
    struct geo_ir_block *block = block_get(reader, reader->operands[0]);
    if (!block) {
        return false;
    }
    if (block->function) {
        return spirv_error(reader, "label %u stands twice", reader->operands[0]);
    }
    struct geo_ir_function *function = reader->function;
    block->function = function;
    block->prev = function->last_block;
    if (function->last_block) {
        function->last_block->next = block;
    } else {
        function->first_block = block;
    }
    function->last_block = block;
    reader->block = block;
    return true;
}

static bool read_merge(struct spirv_reader *reader)
{
    if (reader->op == SpvOpLoopMerge && spirv_operand_count(reader) >= 3) {
        reader->block->loop_control = reader->operands[2];
    } else if (reader->op == SpvOpLoopControlINTEL && spirv_operand_count(reader) >= 1) {
        reader->block->loop_control = reader->operands[0];
    }
    return true;
}

/* ---- functions ---- */

static bool read_function_head(struct spirv_reader *reader)
{
    if (!spirv_need(reader, 4)) {
        return false;
    }
    const uint32_t *operands = reader->operands;
    const struct geo_ir_type *result = spirv_type(reader, operands[0]);
    const struct geo_ir_type *type = result ? spirv_type(reader, operands[3]) : NULL;
    if (!type) {
        return false;
    }
    if (type->kind != GEO_TYPE_FUNCTION || type->element != result) {
        return spirv_error(reader, "its type is not a function type with that result");
    }
    struct geo_ir_function *function = geo_ir_function_create(reader->module, type);
    if (!function) {
        return spirv_out_of_memory(reader);
    }
    function->control = operands[2];
    function->word_offset = (uint32_t)reader->at;
    if (!spirv_define_value(reader, operands[1], &function->value)) {
        return false;
    }
    reader->function = function;
    reader->parameters_read = 0;
    reader->block = NULL;
    reader->fixups = NULL;
    reader->line = NULL;
    return spirv_linkage(reader, &reader->ids[operands[1]], &function->linkage,
                         &function->linkage_name);
}

static bool read_parameter(struct spirv_reader *reader)
{
    struct geo_ir_function *function = reader->function;
    if (!spirv_need(reader, 2)) {
        return false;
    }
    if (function->first_block || reader->parameters_read == function->parameter_count) {
        return spirv_error(reader, "one parameter too many, or in the wrong place");
    }
    struct geo_ir_value *parameter = function->parameters[reader->parameters_read++];
    const struct geo_ir_type *type = spirv_type(reader, reader->operands[0]);
    if (!type) {
        return false;
    }
    if (type != parameter->type) {
        return spirv_error(reader, "its type differs from the function type's");
    }
    return spirv_define_value(reader, reader->operands[1], parameter);
}

static bool read_function_end(struct spirv_reader *reader)
{
    struct geo_ir_function *function = reader->function;
    if (reader->block) {
        return spirv_error(reader, "the last block has no terminator");
    }
    if (reader->parameters_read != function->parameter_count) {
        return spirv_error(reader, "the function has %u parameters of %u", reader->parameters_read,
                           function->parameter_count);
    }
    if (!function->first_block && function->linkage != GEO_LINKAGE_IMPORT) {
        return spirv_error(reader, "function %u has no body and is not imported",
                           function->value.id);
    }
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            for (uint32_t i = 0; i < inst->target_count; i++) {
                if (inst->targets[i]->function != function) {
                    return spirv_error(reader, "label %u is used but stands nowhere",
                                       inst->targets[i]->id);
                }
            }
        }
    }
    if (!fixups_resolve(reader, reader->fixups)) {
        return false;
    }
    reader->function = NULL;
    return true;
}

bool spirv_read_function(struct spirv_reader *reader)
{
    if (!reader->function) {
        return read_function_head(reader);
    }
    switch (reader->op) {
    case SpvOpFunction:
        return spirv_error(reader, "stands inside of another function");
    case SpvOpFunctionParameter:
        return read_parameter(reader);
    case SpvOpFunctionEnd:
        return read_function_end(reader);
    case SpvOpLabel:
        return read_label(reader);
    default:
        break;
    }
    if (!reader->block) {
        return spirv_error(reader, "stands outside of a block");
    }
    switch (reader->op) {
    case SpvOpPhi:
        return read_phi(reader);
    case SpvOpBranch:
    case SpvOpBranchConditional:
        return read_branch(reader);
    case SpvOpSwitch:
        return read_switch(reader);
    case SpvOpExtInst:
        return read_ext_inst(reader);
    case SpvOpVariable:
        return read_local_variable(reader);
    case SpvOpUndef:
        return read_undef(reader);
    case SpvOpLoopMerge:
    case SpvOpSelectionMerge:
    case SpvOpLoopControlINTEL:
        return read_merge(reader);
    default:
        break;
    }
    const struct geo_grammar *grammar = geo_grammar_find(reader->op);
    if (!grammar) {
        return spirv_error(reader, "opcode %u is unknown", reader->op);
    }
    if (spirv_is_annotation(reader->op) || spirv_is_type(reader->op) ||
        spirv_is_constant(reader->op)) {
        return spirv_error(reader, "is not allowed inside of a function");
    }
    return read_generic(reader, grammar->operands);
}

/* ---- the end of the module ---- */

static struct geo_ir_function *function_of(struct spirv_reader *reader, uint32_t id)
{
    struct geo_ir_value *value = spirv_value(reader, id);
    struct geo_ir_function *function = value ? geo_ir_as_function(value) : NULL;
    if (value && !function) {
        spirv_error(reader, "entry point %u is not a function", id);
    }
    return function;
}

static bool entry_points_finish(struct spirv_reader *reader)
{
    for (struct spirv_entry_point *e = reader->entry_points; e; e = e->next) {
        struct geo_ir_function *function = function_of(reader, e->function_id);
        if (!function) {
            return false;
        }
        if (!function->first_block || function->value.type->element->kind != GEO_TYPE_VOID) {
            return spirv_error(reader, "entry point %u has no body or does not return void",
                               e->function_id);
        }
        if (function->is_kernel && strcmp(function->entry_name, e->name) != 0) {
            return spirv_error(reader, "function %u is two entry points, \"%s\" and \"%s\"",
                               e->function_id, function->entry_name, e->name);
        }
        geo_ir_for_each_function(other, reader->module) {
            if (other != function && other->is_kernel && strcmp(other->entry_name, e->name) == 0) {
                return spirv_error(reader, "two entry points are named \"%s\"", e->name);
            }
        }
        function->is_kernel = true;
        function->entry_name = e->name;
    }
    return true;
}

static bool sizes_set(struct spirv_reader *reader, const struct spirv_mode *mode, uint32_t *sizes)
{
    if (mode->count < 3) {
        return spirv_error(reader, "execution mode %u has too few operands", mode->mode);
    }
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t bits = mode->words[i];
        if (mode->by_id) {
            struct geo_ir_value *value = spirv_constant(reader, mode->words[i]);
            if (!value || !geo_ir_constant_bits(value, &bits)) {
                return spirv_error(reader, "execution mode %u needs constants", mode->mode);
            }
        }
        if (bits == 0 || bits > UINT32_MAX) {
            return spirv_error(reader, "execution mode %u has a size of %llu", mode->mode,
                               (unsigned long long)bits);
        }
        sizes[i] = (uint32_t)bits;
    }
    return true;
}

static const char *vector_type_name(struct geo_ir_module *module, uint32_t word)
{
    static const char *const scalars[] = {"char", "short", "int",   "long",
                                          "half", "float", "double"};
    char text[16];
    uint32_t kind = word & 0xFFFFu;
    uint32_t count = word >> 16;
    if (kind >= sizeof(scalars) / sizeof(scalars[0])) {
        return NULL;
    }
    int length = count > 1 ? snprintf(text, sizeof(text), "%s%u", scalars[kind], count)
                           : snprintf(text, sizeof(text), "%s", scalars[kind]);
    return geo_arena_string(&module->arena, text, (size_t)length);
}

static bool mode_apply(struct spirv_reader *reader, const struct spirv_mode *mode)
{
    struct geo_ir_function *function = function_of(reader, mode->function_id);
    uint32_t word = mode->count ? mode->words[0] : 0;
    if (!function) {
        return false;
    }
    switch (mode->mode) {
    case SpvExecutionModeLocalSize:
    case SpvExecutionModeLocalSizeId:
        return sizes_set(reader, mode, function->required_size);
    case SpvExecutionModeLocalSizeHint:
    case SpvExecutionModeLocalSizeHintId:
        return sizes_set(reader, mode, function->size_hint);
    case SpvExecutionModeMaxWorkgroupSizeINTEL:
        return sizes_set(reader, mode, function->max_size);
    case SpvExecutionModeSubgroupSize:
        function->required_subgroup_size = word;
        return true;
    case SpvExecutionModeVecTypeHint:
        function->vector_type_hint = vector_type_name(reader->module, word);
        return true;
    case SpvExecutionModeContractionOff:
        function->float_modes |= GEO_FLOAT_CONTRACTION_OFF;
        return true;
    case SpvExecutionModeDenormFlushToZero:
        function->float_modes |= word == 32 ? GEO_FLOAT_DENORM_FLUSH_32 : 0;
        return true;
    case SpvExecutionModeDenormPreserve:
        function->float_modes |= word == 32 ? GEO_FLOAT_DENORM_PRESERVE_32 : 0;
        return true;
    case SpvExecutionModeRoundingModeRTZ:
        function->float_modes |= word == 32 ? GEO_FLOAT_ROUND_RTZ_32 : 0;
        return true;
    default:
        return true; /* hints, and modes that change nothing here */
    }
}

bool spirv_finish(struct spirv_reader *reader)
{
    if (!functions_resolve(reader) || !entry_points_finish(reader)) {
        return false;
    }
    for (struct spirv_mode *mode = reader->modes; mode; mode = mode->next) {
        if (!mode_apply(reader, mode)) {
            return false;
        }
    }
    return true;
}
