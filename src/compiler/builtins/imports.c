/* Replaces mangled built-ins by family: atomics, fences, work-item functions, conversions, address
 * space casts, and names of OpenCL.std instructions. See imports.h.
 *
 * clang-22 leaves atomic_xchg/min/max/inc/dec, mem_fence and a few conversions. llvm-spirv and
 * DPC++ leave others. */
#include "compiler/builtins/imports.h"

#include "compiler/builtins/import.h"
#include "compiler/builtins/imports_assert.h"
#include "compiler/builtins/imports_group.h"
#include "compiler/builtins/imports_image.h"
#include "compiler/builtins/imports_llvm.h"
#include "compiler/ir/grammar.h"

#include <stdio.h>
#include <string.h>

/* ---- atomics ---- */

/* An atomic function of OpenCL C. */
struct atomic_name {
    const char *name; /* name after atomic_ or atom_ */
    uint32_t arguments;
    SpvOp signed_op, unsigned_op;
};

static const struct atomic_name atomics[] = {
    {"add", 2, SpvOpAtomicIAdd, SpvOpAtomicIAdd},
    {"sub", 2, SpvOpAtomicISub, SpvOpAtomicISub},
    {"xchg", 2, SpvOpAtomicExchange, SpvOpAtomicExchange},
    {"inc", 1, SpvOpAtomicIIncrement, SpvOpAtomicIIncrement},
    {"dec", 1, SpvOpAtomicIDecrement, SpvOpAtomicIDecrement},
    {"cmpxchg", 3, SpvOpAtomicCompareExchange, SpvOpAtomicCompareExchange},
    {"min", 2, SpvOpAtomicSMin, SpvOpAtomicUMin},
    {"max", 2, SpvOpAtomicSMax, SpvOpAtomicUMax},
    {"and", 2, SpvOpAtomicAnd, SpvOpAtomicAnd},
    {"or", 2, SpvOpAtomicOr, SpvOpAtomicOr},
    {"xor", 2, SpvOpAtomicXor, SpvOpAtomicXor},
};

static const struct atomic_name *atomic_find(const char *base)
{
    const char *name = strncmp(base, "atomic_", 7) == 0 ? base + 7
                       : strncmp(base, "atom_", 5) == 0 ? base + 5
                                                        : NULL;
    for (size_t i = 0; name && i < sizeof(atomics) / sizeof(atomics[0]); i++) {
        if (strcmp(atomics[i].name, name) == 0) {
            return &atomics[i];
        }
    }
    return NULL;
}

/* Converts the pointer to one to the type on which the atomic works. Producers with opaque pointers
 * leave a pointer to i8. */
static struct geo_ir_value *atomic_pointer(struct geo_writer *writer, struct geo_ir_inst *call)
{
    struct geo_ir_value *pointer = geo_import_argument(call, 0);
    const struct geo_ir_type *wanted =
        geo_ir_type_pointer(writer->module, call->value.type, pointer->type->storage);
    return pointer->type == wanted ? pointer : geo_write_1(writer, SpvOpBitcast, wanted, pointer);
}

/* Replaces OpenCL 1.x atomics, which are relaxed, at device scope. */
static bool atomic_import(struct geo_writer *writer, struct geo_ir_inst *call,
                          const struct geo_import *import)
{
    const struct atomic_name *atomic = atomic_find(import->base);
    if (!atomic || geo_import_argument_count(call) != atomic->arguments ||
        geo_import_argument(call, 0)->type->kind != GEO_TYPE_POINTER) {
        return false;
    }
    struct geo_ir_value *operands[6] = {atomic_pointer(writer, call),
                                        geo_write_const(writer, 32, SpvScopeDevice),
                                        geo_write_const(writer, 32, SpvMemorySemanticsMaskNone)};
    uint32_t count = 3;
    if (atomic->arguments ==
        3) { /* (pointer, comparator, value) -> unequal semantics, value, comparator */
        operands[count++] = operands[2];
        operands[count++] = geo_import_argument(call, 2);
        operands[count++] = geo_import_argument(call, 1);
    } else if (atomic->arguments == 2) {
        operands[count++] = geo_import_argument(call, 1);
    }
    SpvOp op = import->is_unsigned ? atomic->unsigned_op : atomic->signed_op;
    return geo_import_replace(call,
                              geo_write_op(writer, op, call->value.type, count, operands, 0, NULL));
}

/* C11's functions: atomic_fetch_<op>[_explicit](pointer, value[, order[, scope]]). Without an order
 * they are sequentially consistent. */

static uint32_t order_semantics(const struct geo_ir_value *order)
{
    static const uint32_t semantics[] = {
        /* by memory_order: relaxed, -, acquire, release, acq_rel, seq_cst */
        SpvMemorySemanticsMaskNone,           SpvMemorySemanticsAcquireMask,
        SpvMemorySemanticsAcquireMask,        SpvMemorySemanticsReleaseMask,
        SpvMemorySemanticsAcquireReleaseMask, SpvMemorySemanticsSequentiallyConsistentMask,
    };
    uint64_t bits = 5;
    if (order && (!geo_ir_constant_bits(order, &bits) || bits > 5)) {
        bits = 5;
    }
    return semantics[bits] | (bits ? SpvMemorySemanticsCrossWorkgroupMemoryMask |
                                         SpvMemorySemanticsWorkgroupMemoryMask
                                   : 0);
}

static bool fetch_import(struct geo_writer *writer, struct geo_ir_inst *call,
                         const struct geo_import *import)
{
    if (strncmp(import->base, "atomic_fetch_", 13) != 0 || geo_import_argument_count(call) < 2 ||
        geo_import_argument(call, 0)->type->kind != GEO_TYPE_POINTER) {
        return false;
    }
    size_t length = strcspn(import->base + 13, "_");
    for (size_t i = 0; i < sizeof(atomics) / sizeof(atomics[0]); i++) {
        const struct atomic_name *atomic = &atomics[i];
        if (atomic->arguments != 2 || strlen(atomic->name) != length ||
            strncmp(atomic->name, import->base + 13, length) != 0) {
            continue;
        }
        struct geo_ir_value *operands[] = {
            atomic_pointer(writer, call), geo_write_const(writer, 32, SpvScopeDevice),
            geo_write_const(writer, 32, order_semantics(geo_import_argument(call, 2))),
            geo_import_argument(call, 1)};
        SpvOp op = import->is_unsigned ? atomic->unsigned_op : atomic->signed_op;
        return geo_import_replace(call,
                                  geo_write_op(writer, op, call->value.type, 4, operands, 0, NULL));
    }
    return false;
}

/* ---- fences and barriers ---- */

/* Converts fence flags to semantics. CLK_LOCAL_MEM_FENCE is 1, CLK_GLOBAL_MEM_FENCE is 2; flags
 * that are not constant mean both. */
static uint32_t fence_semantics(const struct geo_ir_value *flags)
{
    uint64_t bits = 3;
    geo_ir_constant_bits(flags, &bits);
    return SpvMemorySemanticsAcquireReleaseMask |
           (bits & 1 ? SpvMemorySemanticsWorkgroupMemoryMask : 0) |
           (bits & 2 ? SpvMemorySemanticsCrossWorkgroupMemoryMask : 0);
}

/* Converts a memory_scope of OpenCL C to a scope of SPIR-V. */
static SpvScope scope_of(const struct geo_ir_value *argument)
{
    static const SpvScope scopes[] = {SpvScopeInvocation, SpvScopeWorkgroup, SpvScopeDevice,
                                      SpvScopeCrossDevice, SpvScopeSubgroup};
    uint64_t bits;
    bool known = geo_ir_constant_bits(argument, &bits);
    return known && bits < sizeof(scopes) / sizeof(scopes[0]) ? scopes[bits] : SpvScopeCrossDevice;
}

static bool fence_import(struct geo_writer *writer, struct geo_ir_inst *call,
                         const struct geo_import *import)
{
    bool subgroup = strcmp(import->base, "sub_group_barrier") == 0;
    bool barrier = subgroup || strcmp(import->base, "barrier") == 0 ||
                   strcmp(import->base, "work_group_barrier") == 0;
    bool fence = strcmp(import->base, "mem_fence") == 0 ||
                 strcmp(import->base, "read_mem_fence") == 0 ||
                 strcmp(import->base, "write_mem_fence") == 0;
    if ((!barrier && !fence) || geo_import_argument_count(call) < 1 ||
        call->value.type->kind != GEO_TYPE_VOID) {
        return false;
    }
    struct geo_ir_value *scope =
        geo_write_const(writer, 32, subgroup ? SpvScopeSubgroup : SpvScopeWorkgroup);
    struct geo_ir_value *semantics =
        geo_write_const(writer, 32, fence_semantics(geo_import_argument(call, 0)));
    const struct geo_ir_type *nothing = geo_ir_type_void(writer->module);
    if (barrier) {
        struct geo_ir_value *memory =
            geo_import_argument_count(call) > 1
                ? geo_write_const(writer, 32, scope_of(geo_import_argument(call, 1)))
                : scope;
        geo_write_3(writer, SpvOpControlBarrier, nothing, scope, memory, semantics);
    } else {
        geo_write_2(writer, SpvOpMemoryBarrier, nothing, scope, semantics);
    }
    geo_write_replace(call, NULL);
    return true;
}

/* ---- work-item functions ---- */

/* A work-item function. */
struct item_name {
    const char *name;
    SpvBuiltIn builtin;
    bool has_dimension;
};

static const struct item_name items[] = {
    {"get_global_id", SpvBuiltInGlobalInvocationId, true},
    {"get_local_id", SpvBuiltInLocalInvocationId, true},
    {"get_group_id", SpvBuiltInWorkgroupId, true},
    {"get_global_size", SpvBuiltInGlobalSize, true},
    {"get_local_size", SpvBuiltInWorkgroupSize, true},
    {"get_enqueued_local_size", SpvBuiltInEnqueuedWorkgroupSize, true},
    {"get_num_groups", SpvBuiltInNumWorkgroups, true},
    {"get_global_offset", SpvBuiltInGlobalOffset, true},
    {"get_work_dim", SpvBuiltInWorkDim, false},
    {"get_global_linear_id", SpvBuiltInGlobalLinearId, false},
    {"get_local_linear_id", SpvBuiltInLocalInvocationIndex, false},
    {"get_sub_group_size", SpvBuiltInSubgroupSize, false},
    {"get_max_sub_group_size", SpvBuiltInSubgroupMaxSize, false},
    {"get_num_sub_groups", SpvBuiltInNumSubgroups, false},
    {"get_enqueued_num_sub_groups", SpvBuiltInNumEnqueuedSubgroups, false},
    {"get_sub_group_id", SpvBuiltInSubgroupId, false},
    {"get_sub_group_local_id", SpvBuiltInSubgroupLocalInvocationId, false},
    {"__spirv_BuiltInGlobalInvocationId", SpvBuiltInGlobalInvocationId, true},
    {"__spirv_BuiltInLocalInvocationId", SpvBuiltInLocalInvocationId, true},
    {"__spirv_BuiltInWorkgroupId", SpvBuiltInWorkgroupId, true},
    {"__spirv_BuiltInGlobalSize", SpvBuiltInGlobalSize, true},
    {"__spirv_BuiltInWorkgroupSize", SpvBuiltInWorkgroupSize, true},
    {"__spirv_BuiltInEnqueuedWorkgroupSize", SpvBuiltInEnqueuedWorkgroupSize, true},
    {"__spirv_BuiltInNumWorkgroups", SpvBuiltInNumWorkgroups, true},
    {"__spirv_BuiltInGlobalOffset", SpvBuiltInGlobalOffset, true},
    {"__spirv_BuiltInWorkDim", SpvBuiltInWorkDim, false},
    {"__spirv_BuiltInGlobalLinearId", SpvBuiltInGlobalLinearId, false},
    {"__spirv_BuiltInLocalInvocationIndex", SpvBuiltInLocalInvocationIndex, false},
    {"__spirv_BuiltInSubgroupSize", SpvBuiltInSubgroupSize, false},
    {"__spirv_BuiltInSubgroupMaxSize", SpvBuiltInSubgroupMaxSize, false},
    {"__spirv_BuiltInNumSubgroups", SpvBuiltInNumSubgroups, false},
    {"__spirv_BuiltInSubgroupId", SpvBuiltInSubgroupId, false},
    {"__spirv_BuiltInSubgroupLocalInvocationId", SpvBuiltInSubgroupLocalInvocationId, false},
};

static struct geo_ir_value *item_value(struct geo_writer *writer, const struct geo_ir_type *type,
                                       const struct item_name *item, uint32_t component)
{
    const uint32_t literals[] = {item->builtin, component};
    return geo_write_op(writer, (SpvOp)GEO_OP_BUILTIN, type, 0, NULL, 2, literals);
}

/* Returns the component for a dimension. If the dimension is not constant, it selects among the
 * three components. */
static struct geo_ir_value *item_select(struct geo_writer *writer, const struct geo_ir_type *type,
                                        const struct item_name *item,
                                        struct geo_ir_value *dimension)
{
    uint64_t bits;
    struct geo_ir_value *result =
        geo_ir_const_int(writer->module, type, geo_ir_builtin_outside(item->builtin));
    if (geo_ir_constant_bits(dimension, &bits)) {
        return bits < 3 ? item_value(writer, type, item, (uint32_t)bits) : result;
    }
    const struct geo_ir_type *boolean = geo_ir_type_bool(writer->module);
    for (uint32_t c = 0; c < 3; c++) {
        struct geo_ir_value *is_it =
            geo_write_2(writer, SpvOpIEqual, boolean, dimension,
                        geo_write_const(writer, dimension->type->width, c));
        result = geo_write_3(writer, SpvOpSelect, type, is_it, item_value(writer, type, item, c),
                             result);
    }
    return result;
}

static bool item_import(struct geo_writer *writer, struct geo_ir_inst *call,
                        const struct geo_import *import)
{
    const struct geo_ir_type *type = call->value.type;
    for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
        const struct item_name *item = &items[i];
        if (strcmp(item->name, import->base) != 0) {
            continue;
        }
        if (type->kind != GEO_TYPE_INT || geo_import_argument_count(call) != item->has_dimension ||
            (item->has_dimension && geo_import_argument(call, 0)->type->kind != GEO_TYPE_INT)) {
            return false;
        }
        return geo_import_replace(
            call, item->has_dimension
                      ? item_select(writer, type, item, geo_import_argument(call, 0))
                      : item_value(writer, type, item, 0));
    }
    return false;
}

/* ---- conversions: convert_<type>[_sat][_rte|_rtz|_rtp|_rtn] ---- */

static uint32_t rounding_flags(const char *name)
{
    /* in the order of SpvFPRoundingMode */
    static const char *const modes[] = {"_rte", "_rtz", "_rtp", "_rtn"};
    for (uint32_t i = 0; i < 4; i++) {
        if (strstr(name, modes[i])) {
            return (i + 1) << GEO_VALUE_ROUND_SHIFT;
        }
    }
    return 0;
}

static SpvOp conversion_op(const struct geo_ir_type *from, const struct geo_ir_type *to,
                           bool from_unsigned, bool to_unsigned, bool saturated)
{
    bool from_float = geo_ir_scalar_of(from)->kind == GEO_TYPE_FLOAT;
    bool to_float = geo_ir_scalar_of(to)->kind == GEO_TYPE_FLOAT;
    if (from_float && to_float) {
        return SpvOpFConvert;
    }
    if (from_float) {
        return to_unsigned ? SpvOpConvertFToU : SpvOpConvertFToS;
    }
    if (to_float) {
        return from_unsigned ? SpvOpConvertUToF : SpvOpConvertSToF;
    }
    if (saturated && from_unsigned != to_unsigned) {
        return from_unsigned ? SpvOpSatConvertUToS : SpvOpSatConvertSToU;
    }
    return from_unsigned ? SpvOpUConvert : SpvOpSConvert;
}

static bool conversion_import(struct geo_writer *writer, struct geo_ir_inst *call,
                              const struct geo_import *import)
{
    if (strncmp(import->base, "convert_", 8) != 0 || geo_import_argument_count(call) != 1) {
        return false;
    }
    const struct geo_ir_type *from = geo_import_argument(call, 0)->type;
    const struct geo_ir_type *to = call->value.type;
    bool saturated = strstr(import->base, "_sat") != NULL;
    bool to_unsigned = import->base[8] == 'u';
    if ((geo_ir_scalar_of(from)->kind != GEO_TYPE_INT &&
         geo_ir_scalar_of(from)->kind != GEO_TYPE_FLOAT) ||
        (geo_ir_scalar_of(to)->kind != GEO_TYPE_INT &&
         geo_ir_scalar_of(to)->kind != GEO_TYPE_FLOAT)) {
        return false;
    }
    if (from == to) {
        return geo_import_replace(call, geo_import_argument(call, 0));
    }
    struct geo_ir_value *value =
        geo_write_1(writer, conversion_op(from, to, import->is_unsigned, to_unsigned, saturated),
                    to, geo_import_argument(call, 0));
    if (value) {
        value->flags |= rounding_flags(import->base) | (saturated ? GEO_VALUE_SATURATED : 0);
    }
    return geo_import_replace(call, value);
}

/* ---- address space casts ---- */

static bool cast_import(struct geo_writer *writer, struct geo_ir_inst *call,
                        const struct geo_import *import)
{
    static const struct {
        const char *name;
        uint32_t storage;
    } casts[] = {
        {"__to_global", SpvStorageClassCrossWorkgroup},
        {"__to_local", SpvStorageClassWorkgroup},
        {"__to_private", SpvStorageClassFunction},
    };
    for (size_t i = 0; i < sizeof(casts) / sizeof(casts[0]); i++) {
        if (strcmp(casts[i].name, import->base) == 0 && geo_import_argument_count(call) == 1 &&
            geo_import_argument(call, 0)->type->kind == GEO_TYPE_POINTER &&
            call->value.type->kind == GEO_TYPE_POINTER) {
            struct geo_ir_value *operand = geo_import_argument(call, 0);
            geo_write_replace(call,
                              geo_write_op(writer, SpvOpGenericCastToPtrExplicit, call->value.type,
                                           1, &operand, 1, &casts[i].storage));
            return true;
        }
    }
    return false;
}

/* cl_mem_fence_flags are the semantics bits of the storage classes, shifted: LOCAL 1, GLOBAL 2. */
#define FENCE_FLAGS_SHIFT 8

static bool get_fence_import(struct geo_writer *writer, struct geo_ir_inst *call,
                             const struct geo_import *import)
{
    const struct geo_ir_type *type = call->value.type;
    if (strcmp(import->base, "get_fence") != 0 || geo_import_argument_count(call) != 1 ||
        geo_import_argument(call, 0)->type->kind != GEO_TYPE_POINTER ||
        type->kind != GEO_TYPE_INT || type->width != 32) {
        return false;
    }
    struct geo_ir_value *semantics =
        geo_write_1(writer, SpvOpGenericPtrMemSemantics, type, geo_import_argument(call, 0));
    return geo_import_replace(call, geo_write_2(writer, SpvOpShiftRightLogical, type, semantics,
                                                geo_write_const(writer, 32, FENCE_FLAGS_SHIFT)));
}

/* ---- functions that only our library calls ---- */

static bool core_import(struct geo_writer *writer, struct geo_ir_inst *call,
                        const struct geo_import *import)
{
    static const struct {
        const char *name;
        enum geo_ir_op op;
        uint32_t arguments;
    } map[] = {
        {"geo_guess_inverse", GEO_OP_GUESS_INVERSE, 1},
        {"geo_guess_inverse_root", GEO_OP_GUESS_INVERSE_ROOT, 1},
        {"geo_scale", GEO_OP_SCALE, 2},
    };
    const struct geo_ir_type *type = call->value.type;
    for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++) {
        if (strcmp(map[i].name, import->base) != 0) {
            continue;
        }
        if (type->kind != GEO_TYPE_FLOAT || type->width < 32 ||
            geo_import_argument_count(call) != map[i].arguments ||
            geo_import_argument(call, 0)->type != type ||
            geo_import_argument(call, map[i].arguments - 1)->type != type) {
            return false;
        }
        return geo_import_replace(call,
                                  geo_write_op(writer, (SpvOp)map[i].op, type, map[i].arguments,
                                               call->operands + 1, 0, NULL));
    }
    return false;
}

/* ---- OpenCL.std by name ---- */

/* Finds the OpenCL.std instruction for a function. Candidates are f<name> for floats, s_<name> or
 * u_<name> for integers, the name itself, and for C's fmaf the name without f. */
static const struct geo_grammar *instruction_find(const struct geo_import *import, bool is_float)
{
    char name[72];
    const struct geo_grammar *found = NULL;
    if (!is_float) {
        snprintf(name, sizeof(name), "%s_%s", import->is_unsigned ? "u" : "s", import->base);
        found = geo_grammar_find_opencl_name(name);
    } else if (strcmp(import->base, "min") == 0 || strcmp(import->base, "max") == 0) {
        snprintf(name, sizeof(name), "f%s_common", import->base);
        found = geo_grammar_find_opencl_name(name);
    } else if (strcmp(import->base, "clamp") == 0) {
        found = geo_grammar_find_opencl_name("fclamp");
    }
    if (!found) {
        found = geo_grammar_find_opencl_name(import->base);
    }
    size_t length = strlen(import->base);
    if (!found && is_float && length > 1 && import->base[length - 1] == 'f') {
        snprintf(name, sizeof(name), "%.*s", (int)length - 1, import->base);
        found = geo_grammar_find_opencl_name(name);
    }
    return found;
}

static bool instruction_import(struct geo_writer *writer, struct geo_ir_inst *call,
                               const struct geo_import *import)
{
    bool is_float = geo_ir_scalar_of(call->value.type)->kind == GEO_TYPE_FLOAT;
    const struct geo_grammar *instruction = instruction_find(import, is_float);
    size_t arguments = geo_import_argument_count(call);
    if (!instruction || arguments == 0 || strlen(instruction->operands) != arguments ||
        strspn(instruction->operands, "i") != arguments) {
        return false;
    }
    return geo_import_replace(call, geo_write_ext(writer, instruction->op, call->value.type,
                                                  (uint32_t)arguments, call->operands + 1));
}

/* Replaces imports whose names are not from OpenCL C. */
static bool foreign_import(struct geo_writer *writer, struct geo_ir_inst *call, const char *name)
{
    bool replaced;
    struct geo_ir_value *value = geo_builtins_imports_llvm(writer, call, name, &replaced);
    if (replaced) {
        geo_write_replace(call, NULL);
        return true;
    }
    return geo_import_replace(call, value);
}

bool geo_builtins_imports(struct geo_writer *writer, struct geo_ir_inst *call, const char *name)
{
    struct geo_import import;
    if (geo_builtins_imports_assert(writer, call, name) || foreign_import(writer, call, name)) {
        return !writer->out_of_memory;
    }
    if (!geo_import_parse(name, &import)) {
        return false;
    }
    bool replaced = atomic_import(writer, call, &import) || fetch_import(writer, call, &import) ||
                    fence_import(writer, call, &import) || item_import(writer, call, &import) ||
                    conversion_import(writer, call, &import) ||
                    cast_import(writer, call, &import) || get_fence_import(writer, call, &import) ||
                    geo_builtins_imports_group(writer, call, &import) ||
                    geo_builtins_imports_image(writer, call, &import) ||
                    core_import(writer, call, &import) || instruction_import(writer, call, &import);
    return replaced && !writer->out_of_memory;
}
