/* Replaces an OpenCL.std instruction by calls of scalar library functions, one per component.
 * Halves are computed in float. Results through a pointer go through a private variable, so one
 * function serves every storage class. See expand.h. */
#include "compiler/builtins/expand.h"

#include "compiler/ir/grammar.h"

#include <stdio.h>
#include <string.h>

#define MAX_OPERANDS 4u

/* How an instruction is emitted: the lowering column of opencl_std.def. */
enum origin {
    ORIGIN_PLACE,     /* lowering emits it in place */
    ORIGIN_PLACE_64,  /* doubles are emitted in place, for others a call for each component */
    ORIGIN_LIBRARY,   /* a call for each component */
    ORIGIN_GEOMETRIC, /* one call with the whole vectors */
};

static enum origin origin_of(const struct geo_ir_inst *inst)
{
#define LOWERING_LIBRARY          ORIGIN_LIBRARY
#define LOWERING_GEOMETRIC        ORIGIN_GEOMETRIC
#define LOWERING_PART(emitter)    ORIGIN_PLACE
#define LOWERING_PART_64(emitter) ORIGIN_PLACE_64
#define LOWERING_WHOLE(emitter)   ORIGIN_PLACE
    static const uint8_t origins[GEO_OPENCL_ROW_COUNT] = {
#define ROW(name, types, shape, rounding, lowering, ...)                                           \
    [GEO_OPENCL_ROW_##name] = LOWERING_##lowering,
#include "compiler/ir/opencl_std.def"
    };
    enum origin origin = (enum origin)origins[geo_grammar_opencl_row(inst->literals[1])];
    if (origin != ORIGIN_PLACE_64) {
        return origin;
    }
    return geo_ir_scalar_of(inst->value.type)->width == 64 ? ORIGIN_PLACE : ORIGIN_LIBRARY;
}

/* ---- mangled names ---- */

static int type_mangle(const struct geo_ir_type *type, char *out, size_t size)
{
    if (type->kind == GEO_TYPE_FLOAT) {
        /* halves are passed as float */
        return snprintf(out, size, "%s", type->width == 64 ? "d" : "f");
    }
    if (type->kind == GEO_TYPE_INT) {
        return snprintf(out, size, "%s",
                        type->width == 8    ? "c"
                        : type->width == 16 ? "s"
                        : type->width == 32 ? "i"
                                            : "l");
    }
    return 0;
}

/* Appends the mangled parameters of a function on whole vectors. The second and later vectors are
 * substitutions (S_). */
static void vector_mangle(const struct geo_ir_inst *inst, char *out, size_t size)
{
    int used = 0;
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        const struct geo_ir_type *type = inst->operands[i]->type;
        char element[4] = "";
        if (type->kind != GEO_TYPE_VECTOR) {
            used += type_mangle(type, out + used, size - (size_t)used);
            continue;
        }
        type_mangle(type->element, element, sizeof(element));
        used += i == 0 ? snprintf(out + used, size - (size_t)used, "Dv%u_%s", (unsigned)type->count,
                                  element)
                       : snprintf(out + used, size - (size_t)used, "S_");
    }
}

/* Finds the library function for an instruction. It tries geo_f16_<name> for halves (computed in
 * float, within the range of half), geo_<name> and <name>. Then it tries the same without the
 * prefix native_, half_ or fast_, because these variants may be exact. */
static struct geo_ir_function *function_named(struct geo_builtins_functions *functions,
                                              const char *name, const char *parameters, bool halves,
                                              bool *out_of_memory)
{
    static const char *const prefixes[] = {"native_", "half_", "fast_"};
    static const char *const owners[] = {"geo_f16_", "geo_", ""};
    const char *names[2] = {name, name};
    char mangled[96];
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) {
            names[1] = name + strlen(prefixes[i]);
        }
    }
    for (int n = 0; n < 2; n++) {
        for (size_t i = halves ? 0 : 1; i < sizeof(owners) / sizeof(owners[0]); i++) {
            snprintf(mangled, sizeof(mangled), "_Z%zu%s%s%s", strlen(owners[i]) + strlen(names[n]),
                     owners[i], names[n], parameters);
            struct geo_ir_function *found =
                geo_builtins_function(functions, mangled, out_of_memory);
            if (found || *out_of_memory) {
                return found;
            }
        }
    }
    return NULL;
}

/* ---- expansion of one component ---- */

/* The expansion of one instruction. */
struct expansion {
    struct geo_writer *writer;
    struct geo_ir_inst *inst;
    struct geo_ir_function *function;
    const struct geo_ir_type *result; /* scalar result type of the function */
    uint32_t pointer;                 /* index of the operand that is a pointer; UINT32_MAX: none */
    struct geo_ir_value *temporary;   /* private variable for the value behind the pointer */
    struct geo_ir_value *passed;      /* its address, in the parameter's type */
};

/* Returns the type with halves replaced by floats, also in vectors. */
static const struct geo_ir_type *wide_type(struct geo_ir_module *module,
                                           const struct geo_ir_type *type)
{
    if (type->kind == GEO_TYPE_VECTOR) {
        const struct geo_ir_type *element = wide_type(module, type->element);
        return element == type->element
                   ? type
                   : geo_ir_type_vector(module, element, (uint32_t)type->count);
    }
    return type->kind == GEO_TYPE_FLOAT && type->width == 16 ? geo_ir_type_float(module, 32) : type;
}

static struct geo_ir_value *convert(struct geo_writer *writer, struct geo_ir_value *value,
                                    const struct geo_ir_type *type)
{
    return value && type && value->type != type ? geo_write_1(writer, SpvOpFConvert, type, value)
                                                : value;
}

static struct geo_ir_value *component_call(struct expansion *x, uint32_t component,
                                           struct geo_ir_value **through_pointer)
{
    struct geo_writer *writer = x->writer;
    struct geo_ir_value *operands[1 + MAX_OPERANDS] = {&x->function->value};
    const struct geo_ir_type *scalar = x->inst->value.type;
    if (scalar->kind == GEO_TYPE_VECTOR) {
        scalar = scalar->element;
    }
    for (uint32_t i = 0; i < x->inst->operand_count; i++) {
        struct geo_ir_value *operand = x->inst->operands[i];
        if (i == x->pointer) {
            operands[1 + i] = x->passed;
            continue;
        }
        operand = geo_write_extract(writer, operand, component);
        operands[1 + i] =
            operand ? convert(writer, operand, wide_type(writer->module, operand->type)) : NULL;
    }
    struct geo_ir_value *result = geo_write_op(writer, SpvOpFunctionCall, x->result,
                                               1 + x->inst->operand_count, operands, 0, NULL);
    if (x->pointer != UINT32_MAX && x->temporary) {
        const struct geo_ir_type *stored = x->inst->operands[x->pointer]->type->element;
        if (stored->kind == GEO_TYPE_VECTOR) {
            stored = stored->element;
        }
        *through_pointer =
            geo_write_1(writer, SpvOpLoad, x->temporary->type->element, x->temporary);
        *through_pointer = convert(writer, *through_pointer, stored);
    }
    return convert(writer, result, scalar);
}

static struct geo_ir_value *assemble(struct geo_writer *writer, const struct geo_ir_type *type,
                                     struct geo_ir_value *const *parts)
{
    if (type->kind != GEO_TYPE_VECTOR) {
        return parts[0];
    }
    return geo_write_op(writer, SpvOpCompositeConstruct, type, (uint32_t)type->count, parts, 0,
                        NULL);
}

static void components_expand(struct expansion *x)
{
    const struct geo_ir_type *type = x->inst->value.type;
    uint32_t count = (uint32_t)geo_ir_components(type);
    struct geo_ir_value *results[16] = {NULL};
    struct geo_ir_value *stored[16] = {NULL};
    for (uint32_t c = 0; c < count; c++) {
        results[c] = component_call(x, c, &stored[c]);
    }
    struct geo_ir_value *result = assemble(x->writer, type, results);
    if (x->pointer != UINT32_MAX) {
        struct geo_ir_value *pointer = x->inst->operands[x->pointer];
        struct geo_ir_value *whole = assemble(x->writer, pointer->type->element, stored);
        geo_write_2(x->writer, SpvOpStore, geo_ir_type_void(x->writer->module), pointer, whole);
    }
    if (!x->writer->out_of_memory) {
        geo_write_replace(x->inst, result);
    }
}

/* Writes the mangled types of the parameters of the scalar library function that computes one
 * component of the instruction. Sets x->pointer to the index of the operand that is a pointer, to
 * which the function stores a second result, or to UINT32_MAX. */
static void parameters_mangle(struct expansion *x, char *out, size_t size)
{
    int used = 0;
    x->pointer = UINT32_MAX;
    for (uint32_t i = 0; i < x->inst->operand_count; i++) {
        const struct geo_ir_type *type = x->inst->operands[i]->type;
        if (type->kind == GEO_TYPE_POINTER) {
            x->pointer = i;
            used += snprintf(out + used, size - (size_t)used, "P");
            type = type->element;
        }
        if (type->kind == GEO_TYPE_VECTOR) {
            type = type->element;
        }
        used += type_mangle(type, out + used, size - (size_t)used);
    }
}

/* Creates the private variable for the result through a pointer. Its type is that of the
 * instruction. The function may have been compiled to store the same bits as another type. */
static void temporary_make(struct expansion *x)
{
    struct geo_writer *writer = x->writer;
    const struct geo_ir_type *stored = x->inst->operands[x->pointer]->type->element;
    const struct geo_ir_type *wanted = x->function->parameters[x->pointer]->type;
    if (stored->kind == GEO_TYPE_VECTOR) {
        stored = stored->element;
    }
    x->temporary = geo_write_variable(writer, wide_type(writer->module, stored));
    x->passed = x->temporary && x->temporary->type != wanted
                    ? geo_write_1(writer, SpvOpBitcast, wanted, x->temporary)
                    : x->temporary;
}

static bool elementwise_expand(struct geo_builtins_functions *functions, struct geo_writer *writer,
                               struct geo_ir_inst *inst, const char *name)
{
    char parameters[32] = "";
    struct expansion x = {.writer = writer, .inst = inst};
    parameters_mangle(&x, parameters, sizeof(parameters));
    if (inst->value.flags & GEO_VALUE_RELAXED) {
        char mangled[96];
        snprintf(mangled, sizeof(mangled), "_Z%zugeo_native_%s%s",
                 strlen("geo_native_") + strlen(name), name, parameters);
        x.function = geo_builtins_function(functions, mangled, &writer->out_of_memory);
    }
    if (!x.function && !writer->out_of_memory) {
        const struct geo_ir_type *type = geo_ir_scalar_of(inst->value.type);
        bool halves = type->kind == GEO_TYPE_FLOAT && type->width == 16;
        x.function = function_named(functions, name, parameters, halves, &writer->out_of_memory);
    }
    if (!x.function) {
        return false;
    }
    x.result = x.function->value.type->element;
    if (x.pointer != UINT32_MAX) {
        temporary_make(&x);
    }
    components_expand(&x);
    return !writer->out_of_memory;
}

static bool geometric_expand(struct geo_builtins_functions *functions, struct geo_writer *writer,
                             struct geo_ir_inst *inst, const char *name)
{
    char parameters[32] = "";
    struct geo_ir_value *operands[1 + MAX_OPERANDS];
    vector_mangle(inst, parameters, sizeof(parameters));
    struct geo_ir_function *function =
        function_named(functions, name, parameters, false, &writer->out_of_memory);
    const struct geo_ir_type *type = wide_type(writer->module, inst->value.type);
    if (!function) {
        return false;
    }
    operands[0] = &function->value;
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        operands[1 + i] =
            convert(writer, inst->operands[i], wide_type(writer->module, inst->operands[i]->type));
    }
    struct geo_ir_value *result =
        geo_write_op(writer, SpvOpFunctionCall, type, 1 + inst->operand_count, operands, 0, NULL);
    result = convert(writer, result, inst->value.type);
    if (result) {
        geo_write_replace(inst, result);
    }
    return result != NULL;
}

bool geo_builtins_expand(struct geo_builtins_functions *functions, struct geo_writer *writer,
                         struct geo_ir_inst *inst)
{
    const struct geo_grammar *grammar = geo_grammar_find_opencl(inst->literals[1]);
    enum origin origin = origin_of(inst);
    if (!grammar || origin == ORIGIN_PLACE || inst->operand_count > MAX_OPERANDS) {
        return false;
    }
    return origin == ORIGIN_GEOMETRIC ? geometric_expand(functions, writer, inst, grammar->name)
                                      : elementwise_expand(functions, writer, inst, grammar->name);
}
