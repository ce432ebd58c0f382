/* Computes with values as C does. See operate.h. */
#include "operate.h"

#include "error.h"
#include "memory.h"
#include "scope.h"

#include <dwarf.h>
#include <math.h>
#include <string.h>

static const struct type numbers[] = {
    {.kind = TYPE_CHARACTER, .name = "char", .size = 1},
    {.kind = TYPE_UNSIGNED_CHARACTER, .name = "uchar", .size = 1},
    {.kind = TYPE_SIGNED, .name = "short", .size = 2},
    {.kind = TYPE_UNSIGNED, .name = "ushort", .size = 2},
    {.kind = TYPE_SIGNED, .name = "int", .size = 4},
    {.kind = TYPE_UNSIGNED, .name = "uint", .size = 4},
    {.kind = TYPE_SIGNED, .name = "long", .size = 8},
    {.kind = TYPE_UNSIGNED, .name = "ulong", .size = 8},
    {.kind = TYPE_UNSIGNED, .name = "size_t", .size = 8},
    {.kind = TYPE_BOOL, .name = "bool", .size = 1},
    {.kind = TYPE_FLOAT, .name = "half", .size = 2},
    {.kind = TYPE_FLOAT, .name = "float", .size = 4},
    {.kind = TYPE_FLOAT, .name = "double", .size = 8},
};
static const struct type type_uint = {.kind = TYPE_UNSIGNED, .name = "uint", .size = 4};
static const struct type type_float = {.kind = TYPE_FLOAT, .name = "float", .size = 4};

struct value operate_float(double number)
{
    const float single = (float)number;
    uint8_t *bytes = scratch_alloc(8);
    memcpy(bytes, &single, sizeof(single));
    return (struct value){.type = &type_float, .bytes = bytes, .reg = -1};
}

const struct type *operate_type(struct image *image, const char *name)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die, child;
    while (image && image->dwarf &&
           dwarf_get_units(image->dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
        if (dwarf_child(&die, &child) != 0) {
            continue;
        }
        do {
            const int tag = dwarf_tag(&child);
            if ((tag == DW_TAG_typedef || tag == DW_TAG_base_type || tag == DW_TAG_structure_type ||
                 tag == DW_TAG_class_type || tag == DW_TAG_union_type ||
                 tag == DW_TAG_enumeration_type) &&
                strcmp(scope_name(&child), name) == 0) {
                return type_get(image, &child);
            }
        } while (dwarf_siblingof(&child, &child) == 0);
    }
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (strcmp(numbers[i].name, name) == 0) {
            return &numbers[i];
        }
    }
    return NULL;
}

bool operate_truth(const struct state *state, const struct value *value, bool *holds)
{
    double real;
    int64_t number;
    if (value->type->kind == TYPE_FLOAT) {
        if (!value_double(state, value, &real)) {
            return false;
        }
        *holds = real != 0.0;
        return true;
    }
    if (!value_integer(state, value, &number)) {
        return false;
    }
    *holds = number != 0;
    return true;
}

bool operate_cast(const struct state *state, const struct value *operand, const struct type *type,
                  struct value *value)
{
    uint8_t *bytes = scratch_alloc(16);
    if (!type_is_number(type) && type->kind != TYPE_POINTER) {
        return error_set("values cannot be converted to %s", type_text(type));
    }
    if (!value_convert(state, operand, type, bytes)) {
        return false;
    }
    *value = (struct value){.type = type, .bytes = bytes, .reg = -1};
    return true;
}

/* Returns the type in which C computes with a number. */
static const struct type *promoted(const struct type *type)
{
    if (type->kind == TYPE_FLOAT) {
        return type->size == 8 ? &type_double : &type_float;
    }
    return type->size < 4   ? &type_int
           : type->size < 8 ? (type_is_signed(type) ? &type_int : &type_uint)
                            : (type_is_signed(type) ? &type_long : &type_ulong);
}

static const struct type *common(const struct type *a, const struct type *b)
{
    a = promoted(a);
    b = promoted(b);
    if (a->kind == TYPE_FLOAT || b->kind == TYPE_FLOAT) {
        const bool wide =
            (a->kind == TYPE_FLOAT && a->size == 8) || (b->kind == TYPE_FLOAT && b->size == 8);
        return wide ? &type_double : &type_float;
    }
    return a->size != b->size ? (a->size > b->size ? a : b) : type_is_signed(a) ? b : a;
}

/* Returns an integer of a type of at least 32 bits. */
static struct value integer(const struct type *type, uint64_t bits)
{
    if (type->size == 4) {
        bits = type_is_signed(type) ? (uint64_t)(int64_t)(int32_t)bits : (uint32_t)bits;
    }
    return value_of_integer(type, bits);
}

/* ---- floats ---- */

static bool compare(const char *operation, bool less, bool equal, bool *holds)
{
    const bool second = operation[1] == '=';
    switch (operation[0]) {
    case '<':
        *holds = less || (second && equal);
        return second || !operation[1];
    case '=':
        *holds = equal;
        return true;
    case '!':
        *holds = !equal;
        return true;
    default:
        return false;
    }
}

static bool floats(const struct type *type, const char *operation, double a, double b,
                   struct value *value)
{
    bool holds;
    if (operation[0] == '>' && operation[1] != '>') {
        holds = operation[1] == '=' ? a >= b : a > b;
        *value = value_of_integer(&type_int, holds);
        return true;
    }
    if (compare(operation, a < b, a == b, &holds)) {
        *value = value_of_integer(&type_int, holds);
        return true;
    }
    const double result = *operation == '+'   ? a + b
                          : *operation == '-' ? a - b
                          : *operation == '*' ? a * b
                                              : a / b;
    if (!strchr("+-*/", *operation)) {
        return error_set("floats have no operator %s", operation);
    }
    *value = type->size == 8 ? value_of_double(result) : operate_float(result);
    return true;
}

/* ---- integers ---- */

static bool divide(const struct type *type, char operation, uint64_t a, uint64_t b,
                   uint64_t *result)
{
    if (b == 0) {
        return error_set("division by 0");
    }
    if (!type_is_signed(type)) {
        *result = operation == '/' ? a / b : a % b;
    } else if ((int64_t)b == -1) {
        *result = operation == '/' ? 0 - a : 0;
    } else {
        *result = (uint64_t)(operation == '/' ? (int64_t)a / (int64_t)b : (int64_t)a % (int64_t)b);
    }
    return true;
}

static bool integers(const struct type *type, const char *operation, uint64_t a, uint64_t b,
                     struct value *value)
{
    const bool is_signed = type_is_signed(type);
    const bool less = is_signed ? (int64_t)a < (int64_t)b : a < b;
    const bool shift = operation[0] == operation[1] && (*operation == '<' || *operation == '>');
    const unsigned bits = 8 * (unsigned)type->size;
    uint64_t result = 0;
    bool holds;
    if (!shift && *operation == '>') {
        holds = operation[1] == '=' ? !less : !less && a != b;
        *value = value_of_integer(&type_int, holds);
        return true;
    }
    if (!shift && compare(operation, less, a == b, &holds)) {
        *value = value_of_integer(&type_int, holds);
        return true;
    }
    switch (*operation) {
    case '+':
        result = a + b;
        break;
    case '-':
        result = a - b;
        break;
    case '*':
        result = a * b;
        break;
    case '&':
        result = a & b;
        break;
    case '|':
        result = a | b;
        break;
    case '^':
        result = a ^ b;
        break;
    case '<':
        result = a << (b & (bits - 1));
        break;
    case '>':
        result = is_signed ? (uint64_t)((int64_t)a >> (b & (bits - 1))) : a >> (b & (bits - 1));
        break;
    default:
        if (!divide(type, *operation, a, b, &result)) {
            return false;
        }
        break;
    }
    *value = integer(type, result);
    return true;
}

/* ---- pointers ---- */

static bool is_address(const struct value *value)
{
    return value->type->kind == TYPE_POINTER ||
           (value->type->kind == TYPE_ARRAY && value->in_memory);
}

/* Adds elements to a pointer, or subtracts or compares two. */
static bool pointers(const struct state *state, const char *operation, const struct value *left,
                     const struct value *right, struct value *value)
{
    const struct type *target = type_target(is_address(left) ? left->type : right->type);
    const int64_t size = target->size ? (int64_t)target->size : 1;
    int64_t a, b;
    if (!value_integer(state, left, &a) || !value_integer(state, right, &b)) {
        return false;
    }
    if (strcmp(operation, "+") == 0 && is_address(left) != is_address(right)) {
        const int64_t sum = is_address(left) ? a + b * size : a * size + b;
        *value = value_of_integer(type_pointer(target), (uint64_t)sum);
        return true;
    }
    if (strcmp(operation, "-") == 0 && is_address(left)) {
        *value = is_address(right)
                     ? value_of_integer(&type_long, (uint64_t)((a - b) / size))
                     : value_of_integer(type_pointer(target), (uint64_t)(a - b * size));
        return true;
    }
    return strchr("<>=!", *operation) && strcmp(operation, "<<") != 0 &&
                   strcmp(operation, ">>") != 0
               ? integers(&type_ulong, operation, (uint64_t)a, (uint64_t)b, value)
               : error_set("pointers have no operator %s", operation);
}

/* ---- all types ---- */

bool operate_binary(const struct state *state, const char *operation, const struct value *left,
                    const struct value *right, struct value *value)
{
    if (is_address(left) || is_address(right)) {
        return pointers(state, operation, left, right, value);
    }
    if (!type_is_number(left->type) || !type_is_number(right->type)) {
        const struct type *other = type_is_number(left->type) ? right->type : left->type;
        return error_set("the operator %s needs numbers, not %s", operation, type_text(other));
    }
    const bool shift = strcmp(operation, "<<") == 0 || strcmp(operation, ">>") == 0;
    const struct type *type = shift ? promoted(left->type) : common(left->type, right->type);
    if (type->kind == TYPE_FLOAT) {
        double a, b;
        return value_double(state, left, &a) && value_double(state, right, &b) &&
               floats(type, operation, a, b, value);
    }
    int64_t a, b;
    if (!value_integer(state, left, &a) || !value_integer(state, right, &b)) {
        return false;
    }
    struct value first = integer(type, (uint64_t)a), second = integer(type, (uint64_t)b);
    return value_integer(state, &first, &a) && value_integer(state, &second, &b) &&
           integers(type, operation, (uint64_t)a, (uint64_t)b, value);
}

bool operate_unary(const struct state *state, char operation, const struct value *operand,
                   struct value *value)
{
    bool holds;
    double real;
    int64_t number;
    if (operation == '!') {
        if (!operate_truth(state, operand, &holds)) {
            return false;
        }
        *value = value_of_integer(&type_int, !holds);
        return true;
    }
    if (!type_is_number(operand->type)) {
        return error_set("the operator %c needs a number, not %s", operation,
                         type_text(operand->type));
    }
    const struct type *type = promoted(operand->type);
    if (type->kind == TYPE_FLOAT) {
        if (operation == '~') {
            return error_set("floats have no operator ~");
        }
        if (!value_double(state, operand, &real)) {
            return false;
        }
        real = operation == '-' ? -real : real;
        *value = type->size == 8 ? value_of_double(real) : operate_float(real);
        return true;
    }
    if (!value_integer(state, operand, &number)) {
        return false;
    }
    *value = integer(type, operation == '-'   ? 0 - (uint64_t)number
                           : operation == '~' ? ~(uint64_t)number
                                              : (uint64_t)number);
    return true;
}
