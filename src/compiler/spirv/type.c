/* Reads type instructions. ir/type.c computes layouts; the limits here bound sizes and nesting of
 * hostile modules. */
#include "compiler/spirv/type.h"

#include "compiler/ir/grammar.h"
#include "compiler/spirv/decoration.h"
#include "compiler/spirv/id.h"
#include "compiler/spirv/matrix.h"

#define MAX_STRUCT_MEMBERS 16384u
#define MAX_PARAMETERS     4096u
#define MAX_TYPE_BYTES     (UINT64_C(1) << 47)
#define MAX_TYPE_DEPTH     255u /* SPIR-V's universal limit of nesting */
#define MAX_POINTERS       255u /* bound on the chain of pointers behind a forward pointer */

/* Returns how deep values of this type nest. Types are made bottom-up, so the loop is short: it
 * ends at the first struct, whose depth is stored. */
static uint32_t type_depth(const struct geo_ir_type *type)
{
    uint32_t depth = 0;
    while (type->kind == GEO_TYPE_VECTOR || type->kind == GEO_TYPE_ARRAY ||
           (type->kind == GEO_TYPE_STRUCT && type->count > 0)) {
        if (type->kind == GEO_TYPE_STRUCT) {
            return depth + type->width; /* set by read_struct */
        }
        depth++;
        type = type->element;
    }
    return depth;
}

static bool is_data(const struct geo_ir_type *type)
{
    return type->kind != GEO_TYPE_VOID && type->kind != GEO_TYPE_FUNCTION;
}

static bool type_set(struct spirv_reader *reader, const struct geo_ir_type *type)
{
    if (!type) {
        return spirv_out_of_memory(reader);
    }
    if (type->size > MAX_TYPE_BYTES) {
        return spirv_error(reader, "the type is larger than %llu bytes",
                           (unsigned long long)MAX_TYPE_BYTES);
    }
    struct spirv_id *entry = spirv_define(reader, reader->operands[0]);
    if (entry) {
        entry->kind = ID_TYPE;
        entry->type = type;
    }
    return entry != NULL;
}

static bool read_int(struct spirv_reader *reader)
{
    if (!spirv_need(reader, 3)) {
        return false;
    }
    uint32_t width = reader->operands[1];
    if (width == 0 || width > 64) {
        return spirv_error(reader,
                           "integers of %u bits are not supported (1 to 64). Clang makes them of "
                           "the sums of loops: build with -mllvm -replexitval=never",
                           width);
    }
    return type_set(reader, geo_ir_type_int_of_bits(reader->module, width));
}

static bool read_float(struct spirv_reader *reader)
{
    if (!spirv_need(reader, 2)) {
        return false;
    }
    uint32_t width = reader->operands[1];
    if (width == 16 && spirv_operand_count(reader) == 3 &&
        reader->operands[2] == GEO_ENCODING_BFLOAT16) {
        return type_set(reader, geo_ir_type_bfloat(reader->module));
    }
    if ((width != 16 && width != 32 && width != 64) || spirv_operand_count(reader) > 2) {
        return spirv_error(reader, "this kind of %u-bit float is not supported (16, 32, 64)",
                           width);
    }
    return type_set(reader, geo_ir_type_float(reader->module, width));
}

static bool read_vector(struct spirv_reader *reader)
{
    if (!spirv_need(reader, 3)) {
        return false;
    }
    const struct geo_ir_type *element = spirv_type(reader, reader->operands[1]);
    uint32_t count = reader->operands[2];
    if (!element) {
        return false;
    }
    bool scalar = element->kind == GEO_TYPE_BOOL || element->kind == GEO_TYPE_INT ||
                  element->kind == GEO_TYPE_FLOAT || element->kind == GEO_TYPE_POINTER;
    bool known = count == 2 || count == 3 || count == 4 || count == 8 || count == 16;
    /* 1: LLVM has such vectors, and llvm-spirv keeps them */
    if (!scalar || (!known && count != 1)) {
        return spirv_error(reader, "vectors of %u such elements are not supported", count);
    }
    return type_set(reader, geo_ir_type_vector(reader->module, element, count));
}

static bool read_array(struct spirv_reader *reader)
{
    uint64_t count;
    if (!spirv_need(reader, 3)) {
        return false;
    }
    const struct geo_ir_type *element = spirv_type(reader, reader->operands[1]);
    struct geo_ir_value *length = element ? spirv_constant(reader, reader->operands[2]) : NULL;
    if (!length) {
        return false;
    }
    if (!is_data(element) || element->size == 0 || !geo_ir_constant_bits(length, &count) ||
        length->type->kind != GEO_TYPE_INT || count == 0) {
        return spirv_error(reader, "the element type or the length is not usable");
    }
    if (type_depth(element) >= MAX_TYPE_DEPTH) {
        return spirv_error(reader, "types nest deeper than %u", MAX_TYPE_DEPTH);
    }
    return type_set(reader, geo_ir_type_array(reader->module, element, count));
}

static bool read_struct(struct spirv_reader *reader)
{
    if (!spirv_need(reader, 1)) {
        return false;
    }
    uint32_t count = spirv_operand_count(reader) - 1;
    struct spirv_id *entry = spirv_id(reader, reader->operands[0]);
    if (!entry) {
        return false;
    }
    if (count > MAX_STRUCT_MEMBERS) {
        return spirv_error(reader, "has more than %u members", MAX_STRUCT_MEMBERS);
    }
    struct geo_ir_type *type = geo_ir_type_struct(reader->module, count);
    if (!type) {
        return spirv_out_of_memory(reader);
    }
    uint32_t depth = 0;
    for (uint32_t i = 0; i < count; i++) {
        type->members[i] = spirv_type(reader, reader->operands[1 + i]);
        if (!type->members[i]) {
            return false;
        }
        uint32_t member_depth = type_depth(type->members[i]);
        depth = member_depth > depth ? member_depth : depth;
        if (!is_data(type->members[i])) {
            return spirv_error(reader, "member %u has no size", i);
        }
    }
    if (depth >= MAX_TYPE_DEPTH) {
        return spirv_error(reader, "types nest deeper than %u", MAX_TYPE_DEPTH);
    }
    type->width = depth + 1;
    type->packed = spirv_decoration_find(entry->decorations, SpvDecorationCPacked) != NULL;
    type->name = entry->name ? entry->name : "";
    if (!geo_ir_struct_layout(type)) {
        return spirv_error(reader, "the type is too large");
    }
    return geo_ir_struct_add(reader->module, type) ? type_set(reader, type)
                                                   : spirv_out_of_memory(reader);
}

/* Returns whether following pointees and elements from `type` reaches `pointer`, or takes too many
 * steps. */
static bool leads_to(const struct geo_ir_type *type, const struct geo_ir_type *pointer)
{
    uint32_t steps = 0;
    while (type && type != pointer && type->kind != GEO_TYPE_FUNCTION && steps++ < MAX_POINTERS) {
        type = type->element;
    }
    return type == pointer || steps > MAX_POINTERS;
}

static bool read_pointer(struct spirv_reader *reader)
{
    if (!spirv_need(reader, 3)) {
        return false;
    }
    const struct geo_ir_type *pointee = spirv_type(reader, reader->operands[2]);
    struct spirv_id *entry = pointee ? spirv_id(reader, reader->operands[0]) : NULL;
    if (!entry) {
        return false;
    }
    if (entry->kind == ID_TYPE && entry->type->kind == GEO_TYPE_POINTER && !entry->type->element) {
        if (leads_to(pointee, entry->type)) {
            return spirv_error(reader, "a pointer to itself, or too many pointers in a row");
        }
        if (pointee->holds_image) {
            return spirv_error(reader, "images and samplers cannot be in memory of others");
        }
        /* a forward pointer gets its pointee */
        ((struct geo_ir_type *)entry->type)->element = pointee;
        return true;
    }
    if (pointee->holds_image && reader->operands[1] != SpvStorageClassFunction &&
        reader->operands[1] != SpvStorageClassUniformConstant) {
        return spirv_error(reader, "images and samplers cannot be in memory of this storage class");
    }
    return type_set(
        reader, geo_ir_type_pointer(reader->module, pointee, spirv_storage(reader->operands[1])));
}

static bool read_forward_pointer(struct spirv_reader *reader)
{
    return spirv_need(reader, 2) &&
           type_set(reader, geo_ir_type_forward_pointer(reader->module,
                                                        spirv_storage(reader->operands[1])));
}

bool spirv_types_finish(struct spirv_reader *reader)
{
    for (uint32_t id = 0; id < reader->id_bound; id++) {
        const struct spirv_id *entry = &reader->ids[id];
        if (entry->kind == ID_TYPE && entry->type->kind == GEO_TYPE_POINTER &&
            !entry->type->element) {
            return spirv_error(reader, "pointer type %u is declared, and never defined", id);
        }
    }
    return true;
}

static bool read_function_type(struct spirv_reader *reader)
{
    if (!spirv_need(reader, 2)) {
        return false;
    }
    uint32_t count = spirv_operand_count(reader) - 2;
    const struct geo_ir_type *result = spirv_type(reader, reader->operands[1]);
    if (!result) {
        return false;
    }
    if (count > MAX_PARAMETERS) {
        return spirv_error(reader, "has more than %u parameters", MAX_PARAMETERS);
    }
    const struct geo_ir_type **parameters =
        geo_arena_new_array(&reader->module->arena, const struct geo_ir_type *, count);
    if (!parameters) {
        return spirv_out_of_memory(reader);
    }
    for (uint32_t i = 0; i < count; i++) {
        parameters[i] = spirv_type(reader, reader->operands[2 + i]);
        if (!parameters[i]) {
            return false;
        }
        if (!is_data(parameters[i])) {
            return spirv_error(reader, "parameter %u has no size", i);
        }
    }
    return type_set(reader, geo_ir_type_function(reader->module, result, count, parameters));
}

/* ---- images ---- */

/* Operands of OpTypeImage. */
enum {
    IMAGE_RESULT,
    IMAGE_SAMPLED_TYPE,
    IMAGE_DIM,
    IMAGE_DEPTH,
    IMAGE_ARRAYED,
    IMAGE_MULTISAMPLED,
    IMAGE_SAMPLED,
    IMAGE_FORMAT,
    IMAGE_ACCESS,
};

static bool dim_ok(uint32_t dim, bool arrayed)
{
    return dim == SpvDim1D || dim == SpvDim2D ||
           (!arrayed && (dim == SpvDim3D || dim == SpvDimBuffer));
}

/* Reads an image type that the OpenCL environment allows. Depth 2 means that the depth is
 * unknown. */
static bool read_image(struct spirv_reader *reader)
{
    if (!spirv_need(reader, IMAGE_ACCESS)) {
        return false;
    }
    const uint32_t *operands = reader->operands;
    const struct geo_ir_type *sampled = spirv_type(reader, operands[IMAGE_SAMPLED_TYPE]);
    uint32_t access = spirv_operand_count(reader) > IMAGE_ACCESS ? operands[IMAGE_ACCESS]
                                                                 : SpvAccessQualifierReadOnly;
    if (!sampled) {
        return false;
    }
    if (sampled->kind != GEO_TYPE_VOID || operands[IMAGE_DEPTH] > 2 ||
        operands[IMAGE_ARRAYED] > 1 || operands[IMAGE_MULTISAMPLED] || operands[IMAGE_SAMPLED] ||
        operands[IMAGE_FORMAT] != SpvImageFormatUnknown || access > SpvAccessQualifierReadWrite ||
        !dim_ok(operands[IMAGE_DIM], operands[IMAGE_ARRAYED])) {
        return spirv_error(reader, "images of this kind are not supported");
    }
    const struct geo_ir_image image = {.dim = (uint8_t)operands[IMAGE_DIM],
                                       .access = (uint8_t)access,
                                       .arrayed = operands[IMAGE_ARRAYED] == 1,
                                       .depth = operands[IMAGE_DEPTH] == 1};
    return type_set(reader, geo_ir_type_image(reader->module, image));
}

static bool read_sampled_image(struct spirv_reader *reader)
{
    const struct geo_ir_type *image =
        spirv_need(reader, 2) ? spirv_type(reader, reader->operands[1]) : NULL;
    if (!image) {
        return false;
    }
    if (image->opaque != SpvOpTypeImage || image->image.dim == SpvDimBuffer) {
        return spirv_error(reader, "is of a type that cannot be sampled");
    }
    return type_set(reader, geo_ir_type_opaque(reader->module, SpvOpTypeSampledImage, image));
}

bool spirv_read_type(struct spirv_reader *reader)
{
    if (!spirv_need(reader, 1)) {
        return false;
    }
    switch (reader->op) {
    case SpvOpTypeVoid:
        return type_set(reader, geo_ir_type_void(reader->module));
    case SpvOpTypeBool:
        return type_set(reader, geo_ir_type_bool(reader->module));
    case SpvOpTypeInt:
        return read_int(reader);
    case SpvOpTypeFloat:
        return read_float(reader);
    case SpvOpTypeVector:
        return read_vector(reader);
    case SpvOpTypeArray:
        return read_array(reader);
    case SpvOpTypeStruct:
        return read_struct(reader);
    case SpvOpTypePointer:
        return read_pointer(reader);
    case SpvOpTypeForwardPointer:
        return read_forward_pointer(reader);
    case SpvOpTypeFunction:
        return read_function_type(reader);
    case SpvOpTypeOpaque:
    case SpvOpTypeEvent:
    case SpvOpTypeSampler:
        return type_set(reader, geo_ir_type_opaque(reader->module, (SpvOp)reader->op, NULL));
    case SpvOpTypeImage:
        return read_image(reader);
    case SpvOpTypeSampledImage:
        return read_sampled_image(reader);
    case GEO_SPV_TYPE_COOPERATIVE_MATRIX_KHR: {
        const struct geo_ir_type *matrix = spirv_matrix_type(reader);
        return matrix && type_set(reader, matrix);
    }
    default:
        return spirv_error(reader, "this type is not supported");
    }
}
