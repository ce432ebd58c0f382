/* Replaces LLVM intrinsics: saturating sums, funnel shifts, class tests of floats, memory moves,
 * and bfloat16 conversions. See imports_llvm.h. */
#include "compiler/builtins/imports_llvm.h"

#include "compiler/builtins/import.h"

#include <spirv/unified1/OpenCL.std.h>
#include <string.h>

#define MAX_MOVE_BYTES 1024u

static bool starts(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* ---- saturating sums ---- */

static struct geo_ir_value *saturating(struct geo_writer *writer, const struct geo_ir_inst *call,
                                       const char *name)
{
    static const struct {
        const char *prefix;
        uint32_t number;
    } map[] = {
        {"llvm.usub.sat.", OpenCLstd_USub_sat},
        {"llvm.uadd.sat.", OpenCLstd_UAdd_sat},
        {"llvm.ssub.sat.", OpenCLstd_SSub_sat},
        {"llvm.sadd.sat.", OpenCLstd_SAdd_sat},
    };
    for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++) {
        if (starts(name, map[i].prefix) && geo_import_argument_count(call) == 2) {
            return geo_write_ext(writer, map[i].number, call->value.type, 2, call->operands + 1);
        }
    }
    return NULL;
}

/* ---- funnel shifts: the upper (fshl) or lower (fshr) half of (a:b) shifted by c modulo the width
 * ---- */

static struct geo_ir_value *funnel(struct geo_writer *writer, const struct geo_ir_inst *call,
                                   const char *name)
{
    const struct geo_ir_type *type = call->value.type;
    bool left = starts(name, "llvm.fshl.");
    if ((!left && !starts(name, "llvm.fshr.")) || geo_import_argument_count(call) != 3 ||
        type->kind != GEO_TYPE_INT || geo_import_argument(call, 0)->type != type ||
        geo_import_argument(call, 1)->type != type || geo_import_argument(call, 2)->type != type) {
        return NULL;
    }
    struct geo_ir_value *top = geo_write_const(writer, type->width, type->width - 1);
    struct geo_ir_value *one = geo_write_const(writer, type->width, 1);
    struct geo_ir_value *count =
        geo_write_2(writer, SpvOpBitwiseAnd, type, geo_import_argument(call, 2), top);
    struct geo_ir_value *rest = geo_write_2(writer, SpvOpISub, type, top, count);
    struct geo_ir_value *a = geo_import_argument(call, 0);
    struct geo_ir_value *b = geo_import_argument(call, 1);
    /* the other operand is shifted by one first, so that no shift is by the whole width */
    if (left) {
        a = geo_write_2(writer, SpvOpShiftLeftLogical, type, a, count);
        b = geo_write_2(writer, SpvOpShiftRightLogical, type, b, one);
        b = geo_write_2(writer, SpvOpShiftRightLogical, type, b, rest);
    } else {
        b = geo_write_2(writer, SpvOpShiftRightLogical, type, b, count);
        a = geo_write_2(writer, SpvOpShiftLeftLogical, type, a, one);
        a = geo_write_2(writer, SpvOpShiftLeftLogical, type, a, rest);
    }
    return geo_write_2(writer, SpvOpBitwiseOr, type, a, b);
}

/* ---- llvm.is.fpclass(x, mask) ---- */

/* A class of floats: class bit, sign, and range of magnitudes (bits without the sign). */
struct class_range {
    uint32_t bit;
    bool negative;
    uint64_t low, high; /* limits of the magnitude */
};

static struct geo_ir_value *class_test(struct geo_writer *writer, struct geo_ir_value *x,
                                       uint32_t mask)
{
    uint32_t width = x->type->width;
    uint32_t digits = width == 64 ? 52 : width == 32 ? 23 : 10;
    uint64_t infinity = ((UINT64_C(1) << (width - 1 - digits)) - 1) << digits;
    uint64_t quiet = infinity | UINT64_C(1) << (digits - 1);
    uint64_t least = UINT64_C(1) << digits;
    uint64_t largest = (UINT64_C(1) << (width - 1)) - 1;
    const struct class_range ranges[] = {
        {0x001, false, infinity + 1, quiet - 1},
        {0x001, true, infinity + 1, quiet - 1},
        {0x002, false, quiet, largest},
        {0x002, true, quiet, largest},
        {0x004, true, infinity, infinity},
        {0x008, true, least, infinity - 1},
        {0x010, true, 1, least - 1},
        {0x020, true, 0, 0},
        {0x040, false, 0, 0},
        {0x080, false, 1, least - 1},
        {0x100, false, least, infinity - 1},
        {0x200, false, infinity, infinity},
    };
    const struct geo_ir_type *boolean = geo_ir_type_bool(writer->module);
    const struct geo_ir_type *integer = geo_ir_type_int(writer->module, width);
    struct geo_ir_value *bits = geo_write_1(writer, SpvOpBitcast, integer, x);
    struct geo_ir_value *result = boolean ? geo_ir_const_int(writer->module, boolean, 0) : NULL;
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        if (!(mask & ranges[i].bit)) {
            continue;
        }
        uint64_t sign = ranges[i].negative ? UINT64_C(1) << (width - 1) : 0;
        struct geo_ir_value *offset = geo_write_2(
            writer, SpvOpISub, integer, bits, geo_write_const(writer, width, sign | ranges[i].low));
        struct geo_ir_value *inside =
            geo_write_2(writer, SpvOpULessThanEqual, boolean, offset,
                        geo_write_const(writer, width, ranges[i].high - ranges[i].low));
        result = geo_write_2(writer, SpvOpLogicalOr, boolean, result, inside);
    }
    return result;
}

static struct geo_ir_value *class_import(struct geo_writer *writer, const struct geo_ir_inst *call,
                                         const char *name)
{
    uint64_t mask;
    if (!starts(name, "llvm.is.fpclass.") || geo_import_argument_count(call) != 2 ||
        geo_import_argument(call, 0)->type->kind != GEO_TYPE_FLOAT ||
        call->value.type->kind != GEO_TYPE_BOOL ||
        !geo_ir_constant_bits(geo_import_argument(call, 1), &mask)) {
        return NULL;
    }
    return class_test(writer, geo_import_argument(call, 0), (uint32_t)mask);
}

/* ---- llvm.memmove(to, from, bytes, volatile): reads everything before it writes ---- */

static struct geo_ir_value *as_bytes(struct geo_writer *writer, struct geo_ir_value *pointer,
                                     const struct geo_ir_type *bytes)
{
    const struct geo_ir_type *type =
        geo_ir_type_pointer(writer->module, bytes, pointer->type->storage);
    return pointer->type == type ? pointer : geo_write_1(writer, SpvOpBitcast, type, pointer);
}

static bool move_import(struct geo_writer *writer, const struct geo_ir_inst *call, const char *name)
{
    uint64_t size;
    if (!starts(name, "llvm.memmove.") || geo_import_argument_count(call) < 3 ||
        geo_import_argument(call, 0)->type->kind != GEO_TYPE_POINTER ||
        geo_import_argument(call, 1)->type->kind != GEO_TYPE_POINTER ||
        call->value.type->kind != GEO_TYPE_VOID ||
        !geo_ir_constant_bits(geo_import_argument(call, 2), &size) || size > MAX_MOVE_BYTES) {
        return false;
    }
    if (size == 0) {
        return true;
    }
    const struct geo_ir_type *bytes =
        geo_ir_type_array(writer->module, geo_ir_type_int(writer->module, 8), size);
    struct geo_ir_value *value = geo_write_1(writer, SpvOpLoad, bytes,
                                             as_bytes(writer, geo_import_argument(call, 1), bytes));
    geo_write_2(writer, SpvOpStore, geo_ir_type_void(writer->module),
                as_bytes(writer, geo_import_argument(call, 0), bytes), value);
    return true;
}

/* ---- bfloat16: the upper half of a float, rounded to nearest even ---- */

static struct geo_ir_value *narrow_to_bfloat(struct geo_writer *writer, struct geo_ir_value *x)
{
    const struct geo_ir_type *i32 = geo_ir_type_int(writer->module, 32);
    const struct geo_ir_type *i16 = geo_ir_type_int(writer->module, 16);
    const struct geo_ir_type *boolean = geo_ir_type_bool(writer->module);
    struct geo_ir_value *sixteen = geo_write_const(writer, 32, 16);
    struct geo_ir_value *bits = geo_write_1(writer, SpvOpBitcast, i32, x);
    struct geo_ir_value *upper = geo_write_2(writer, SpvOpShiftRightLogical, i32, bits, sixteen);
    struct geo_ir_value *odd =
        geo_write_2(writer, SpvOpBitwiseAnd, i32, upper, geo_write_const(writer, 32, 1));
    struct geo_ir_value *rounded =
        geo_write_2(writer, SpvOpIAdd, i32, bits, geo_write_const(writer, 32, 0x7FFF));
    rounded = geo_write_2(writer, SpvOpIAdd, i32, rounded, odd);
    rounded = geo_write_2(writer, SpvOpShiftRightLogical, i32, rounded, sixteen);
    struct geo_ir_value *quiet =
        geo_write_2(writer, SpvOpBitwiseOr, i32, upper, geo_write_const(writer, 32, 0x40));
    struct geo_ir_value *is_nan = geo_write_1(writer, SpvOpIsNan, boolean, x);
    return geo_write_1(writer, SpvOpUConvert, i16,
                       geo_write_3(writer, SpvOpSelect, i32, is_nan, quiet, rounded));
}

static struct geo_ir_value *widen_from_bfloat(struct geo_writer *writer, struct geo_ir_value *x)
{
    const struct geo_ir_type *i32 = geo_ir_type_int(writer->module, 32);
    struct geo_ir_value *bits = geo_write_1(writer, SpvOpUConvert, i32, x);
    bits = geo_write_2(writer, SpvOpShiftLeftLogical, i32, bits, geo_write_const(writer, 32, 16));
    return geo_write_1(writer, SpvOpBitcast, geo_ir_type_float(writer->module, 32), bits);
}

/* Replaces conversions of DPC++'s device library, which pass the value by reference. */
static struct geo_ir_value *bfloat_import(struct geo_writer *writer, const struct geo_ir_inst *call,
                                          const char *name)
{
    bool narrow = strcmp(name, "__devicelib_ConvertFToBF16INTEL") == 0;
    bool widen = strcmp(name, "__devicelib_ConvertBF16ToFINTEL") == 0;
    if ((!narrow && !widen) || geo_import_argument_count(call) != 1 ||
        geo_import_argument(call, 0)->type->kind != GEO_TYPE_POINTER) {
        return NULL;
    }
    struct geo_ir_value *pointer = geo_import_argument(call, 0);
    const struct geo_ir_type *from =
        narrow ? geo_ir_type_float(writer->module, 32) : geo_ir_type_int(writer->module, 16);
    struct geo_ir_value *x = geo_write_1(writer, SpvOpLoad, from, as_bytes(writer, pointer, from));
    return narrow ? narrow_to_bfloat(writer, x) : widen_from_bfloat(writer, x);
}

struct geo_ir_value *geo_builtins_imports_llvm(struct geo_writer *writer,
                                               const struct geo_ir_inst *call, const char *name,
                                               bool *replaced)
{
    *replaced = move_import(writer, call, name);
    if (*replaced) {
        return NULL;
    }
    struct geo_ir_value *value = saturating(writer, call, name);
    value = value ? value : funnel(writer, call, name);
    value = value ? value : class_import(writer, call, name);
    return value ? value : bfloat_import(writer, call, name);
}
