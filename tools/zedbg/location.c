/* Evaluates DWARF expressions with a stack of numbers of 64 bits. See location.h. */
#include "location.h"

#include "error.h"
#include "memory.h"
#include "scope.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define STACK_LIMIT 64
#define STEP_LIMIT  100000 /* of one expression, which may branch back */
#define SIZE_LIMIT  (UINT64_C(1) << 26)

enum where { NOWHERE, AT_ADDRESS, IN_REGISTER, IS_NUMBER, IS_BYTES };

struct machine {
    const struct state *state;
    Dwarf_Attribute *attribute; /* NULL: unwinding information */
    uint64_t stack[STACK_LIMIT];
    int depth;
    /* what was described since the last piece */
    enum where where;
    unsigned reg;
    Dwarf_Block block;
    /* pieces */
    uint64_t piece_bytes; /* of all pieces so far */
    struct location *location;
    uint64_t size;
    Dwarf_Die *function; /* for its frame base */
};

static bool push(struct machine *machine, uint64_t value)
{
    if (machine->depth == STACK_LIMIT) {
        return error_set("a location needs a deeper stack than zedbg has");
    }
    machine->stack[machine->depth++] = value;
    machine->where = AT_ADDRESS;
    return true;
}

/* Fails if the stack has fewer values. */
static bool needs(const struct machine *machine, int count)
{
    return machine->depth >= count || error_set("a location takes more values than it has");
}

static bool register_read(const struct machine *machine, unsigned number, uint64_t *value)
{
    *value = 0;
    return machine->state->read_register(machine->state->context, number, value, sizeof(*value));
}

static bool run(struct machine *machine, Dwarf_Op *ops, size_t count);

/* ---- operations ---- */

static bool frame_base(struct machine *machine, uint64_t *base)
{
    const struct state *state = machine->state;
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;
    if (!machine->function ||
        dwarf_getlocation_addr(
            dwarf_attr_integrate(machine->function, DW_AT_frame_base, &attribute), state->pc, &ops,
            &count, 1) != 1) {
        return error_set("the function has no frame base");
    }
    if (count == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31) {
        return register_read(machine, ops[0].atom - DW_OP_reg0, base);
    }
    struct machine inner = {.state = state, .attribute = &attribute};
    if (!run(&inner, ops, count) || !needs(&inner, 1)) {
        return false;
    }
    *base = inner.stack[inner.depth - 1];
    return true;
}

static bool load(struct machine *machine, uint64_t bytes)
{
    uint64_t value = 0;
    if (!needs(machine, 1) || bytes > sizeof(value)) {
        return error_set("a location reads a value of a wrong size");
    }
    uint64_t *top = &machine->stack[machine->depth - 1];
    if (!machine->state->read_memory(machine->state->context, *top, &value, bytes)) {
        return false;
    }
    *top = value;
    return true;
}

static bool binary(struct machine *machine, unsigned atom)
{
    if (!needs(machine, 2)) {
        return false;
    }
    const uint64_t b = machine->stack[--machine->depth];
    uint64_t *a = &machine->stack[machine->depth - 1];
    const int64_t sa = (int64_t)*a, sb = (int64_t)b;
    switch (atom) {
    case DW_OP_plus:
        *a += b;
        return true;
    case DW_OP_minus:
        *a -= b;
        return true;
    case DW_OP_mul:
        *a *= b;
        return true;
    case DW_OP_and:
        *a &= b;
        return true;
    case DW_OP_or:
        *a |= b;
        return true;
    case DW_OP_xor:
        *a ^= b;
        return true;
    case DW_OP_shl:
        *a = b < 64 ? *a << b : 0;
        return true;
    case DW_OP_shr:
        *a = b < 64 ? *a >> b : 0;
        return true;
    case DW_OP_shra:
        *a = (uint64_t)(sa >> (b < 64 ? b : 63));
        return true;
    case DW_OP_div:
    case DW_OP_mod:
        if (b == 0) {
            return error_set("a location divides by 0");
        }
        *a = atom == DW_OP_mod ? *a % b : sb == -1 ? 0 - *a : (uint64_t)(sa / sb);
        return true;
    case DW_OP_eq:
        *a = sa == sb;
        return true;
    case DW_OP_ne:
        *a = sa != sb;
        return true;
    case DW_OP_lt:
        *a = sa < sb;
        return true;
    case DW_OP_le:
        *a = sa <= sb;
        return true;
    case DW_OP_gt:
        *a = sa > sb;
        return true;
    default: /* DW_OP_ge */
        *a = sa >= sb;
        return true;
    }
}

static bool unary(struct machine *machine, const Dwarf_Op *op)
{
    if (!needs(machine, 1)) {
        return false;
    }
    uint64_t *top = &machine->stack[machine->depth - 1];
    switch (op->atom) {
    case DW_OP_plus_uconst:
        *top += op->number;
        return true;
    case DW_OP_neg:
        *top = 0 - *top;
        return true;
    case DW_OP_not:
        *top = ~*top;
        return true;
    case DW_OP_abs:
        *top = (int64_t)*top < 0 ? 0 - *top : *top;
        return true;
    default: /* DW_OP_drop */
        machine->depth--;
        return true;
    }
}

static bool shuffle(struct machine *machine, const Dwarf_Op *op)
{
    const int top = machine->depth - 1;
    const uint64_t pick = op->atom == DW_OP_dup ? 0 : op->atom == DW_OP_over ? 1 : op->number;
    if (op->atom == DW_OP_swap || op->atom == DW_OP_rot) {
        const int count = op->atom == DW_OP_swap ? 2 : 3;
        if (!needs(machine, count)) {
            return false;
        }
        const uint64_t first = machine->stack[top];
        for (int i = 0; i < count - 1; i++) {
            machine->stack[top - i] = machine->stack[top - i - 1];
        }
        machine->stack[top - count + 1] = first;
        return true;
    }
    return (pick < STACK_LIMIT && needs(machine, (int)pick + 1)) &&
           push(machine, machine->stack[top - (int)pick]);
}

/* Changes the top of the stack to the type of a DIE: an integer of less than 64 bits. */
static bool convert(struct machine *machine, const Dwarf_Op *op)
{
    Dwarf_Die type;
    Dwarf_Attribute attribute, value;
    Dwarf_Word bytes, encoding;
    if (!needs(machine, 1) || !machine->attribute || op->number == 0) {
        return needs(machine, 1); /* 0 is the general type: 64 bits */
    }
    if (dwarf_getlocation_die(machine->attribute, op, &type) != 0 ||
        dwarf_formudata(dwarf_attr(&type, DW_AT_byte_size, &value), &bytes) != 0 ||
        dwarf_formudata(dwarf_attr(&type, DW_AT_encoding, &attribute), &encoding) != 0 ||
        bytes == 0 || bytes > 8 || encoding == DW_ATE_float) {
        return error_set("a location converts a value to a type that zedbg does not know");
    }
    const unsigned unused = 64 - 8 * (unsigned)bytes;
    uint64_t *top = &machine->stack[machine->depth - 1];
    const bool is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
    *top = is_signed ? (uint64_t)((int64_t)(*top << unused) >> unused) : *top << unused >> unused;
    return true;
}

static bool indexed(struct machine *machine, const Dwarf_Op *op)
{
    Dwarf_Attribute value;
    Dwarf_Addr address;
    Dwarf_Word number;
    if (!machine->attribute || dwarf_getlocation_attr(machine->attribute, op, &value) != 0) {
        return error_set("a location has an index that cannot be resolved: %s", dwarf_errmsg(-1));
    }
    if (dwarf_formaddr(&value, &address) == 0) {
        return push(machine, address);
    }
    return dwarf_formudata(&value, &number) == 0
               ? push(machine, number)
               : error_set("a location has an index of an unknown form");
}

static bool based(struct machine *machine, const Dwarf_Op *op)
{
    uint64_t base;
    if (op->atom == DW_OP_fbreg) {
        return frame_base(machine, &base) && push(machine, base + op->number);
    }
    if (op->atom == DW_OP_bregx) {
        return register_read(machine, (unsigned)op->number, &base) &&
               push(machine, base + op->number2);
    }
    return register_read(machine, op->atom - DW_OP_breg0, &base) &&
           push(machine, base + op->number);
}

/* ---- pieces ---- */

/* Writes a part of the value that does not lie in memory as a whole. */
static bool part_take(const struct machine *machine, uint8_t *to, uint8_t *missing, uint64_t bytes)
{
    const struct state *state = machine->state;
    const uint64_t top = machine->depth > 0 ? machine->stack[machine->depth - 1] : 0;
    bool known = false;
    switch (machine->where) {
    case AT_ADDRESS:
        known = state->read_memory(state->context, top, to, bytes);
        break;
    case IN_REGISTER:
        known = state->read_register(state->context, machine->reg, to, bytes);
        break;
    case IS_NUMBER:
        memcpy(to, &top, bytes < sizeof(top) ? bytes : sizeof(top));
        known = bytes <= sizeof(top);
        break;
    case IS_BYTES:
        known = machine->block.length >= bytes;
        if (known) {
            memcpy(to, machine->block.data, bytes);
        }
        break;
    case NOWHERE:
        break;
    }
    if (!known) {
        memset(missing, 1, bytes);
    }
    return known;
}

static bool piece(struct machine *machine, uint64_t bytes)
{
    struct location *location = machine->location;
    if (!location || bytes > machine->size - machine->piece_bytes) {
        return error_set("a location has pieces that are larger than the variable");
    }
    (void)part_take(machine, location->bytes + machine->piece_bytes,
                    location->missing + machine->piece_bytes, bytes);
    machine->piece_bytes += bytes;
    machine->where = NOWHERE;
    machine->depth = 0;
    return true;
}

/* ---- an expression ---- */

static bool branch(struct machine *machine, Dwarf_Op *ops, size_t count, size_t *at)
{
    const Dwarf_Op *op = &ops[*at];
    if (op->atom == DW_OP_bra) {
        if (!needs(machine, 1)) {
            return false;
        }
        if (machine->stack[--machine->depth] == 0) {
            return true;
        }
    }
    const uint64_t target = op->offset + 3 + (uint64_t)(int64_t)(int16_t)op->number;
    for (size_t i = 0; i < count; i++) {
        if (ops[i].offset == target) {
            *at = i - 1; /* the loop adds 1 */
            return true;
        }
    }
    return error_set("a location branches to no operation");
}

static bool step(struct machine *machine, const Dwarf_Op *op)
{
    const unsigned atom = op->atom;
    if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31) {
        return push(machine, atom - DW_OP_lit0);
    }
    if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31) {
        machine->where = IN_REGISTER;
        machine->reg = atom - DW_OP_reg0;
        return true;
    }
    if ((atom >= DW_OP_breg0 && atom <= DW_OP_breg31) || atom == DW_OP_bregx ||
        atom == DW_OP_fbreg) {
        return based(machine, op);
    }
    if (atom == DW_OP_addr || (atom >= DW_OP_const1u && atom <= DW_OP_consts)) {
        return push(machine, op->number);
    }
    switch (atom) {
    case DW_OP_regx:
        machine->where = IN_REGISTER;
        machine->reg = (unsigned)op->number;
        return true;
    case DW_OP_addrx:
    case DW_OP_constx:
    case DW_OP_GNU_addr_index:
    case DW_OP_GNU_const_index:
        return indexed(machine, op);
    case DW_OP_deref:
        return load(machine, 8);
    case DW_OP_deref_size:
        return load(machine, op->number);
    case DW_OP_dup:
    case DW_OP_over:
    case DW_OP_pick:
    case DW_OP_swap:
    case DW_OP_rot:
        return shuffle(machine, op);
    case DW_OP_plus_uconst:
    case DW_OP_neg:
    case DW_OP_not:
    case DW_OP_abs:
    case DW_OP_drop:
        return unary(machine, op);
    case DW_OP_and:
    case DW_OP_div:
    case DW_OP_minus:
    case DW_OP_mod:
    case DW_OP_mul:
    case DW_OP_or:
    case DW_OP_plus:
    case DW_OP_shl:
    case DW_OP_shr:
    case DW_OP_shra:
    case DW_OP_xor:
    case DW_OP_eq:
    case DW_OP_ge:
    case DW_OP_gt:
    case DW_OP_le:
    case DW_OP_lt:
    case DW_OP_ne:
        return binary(machine, atom);
    case DW_OP_nop:
        return true;
    case DW_OP_convert:
        return convert(machine, op);
    case DW_OP_call_frame_cfa:
        return machine->state->cfa_known ? push(machine, machine->state->cfa)
                                         : error_set("the function's frame is not known");
    case DW_OP_stack_value:
        machine->where = IS_NUMBER;
        return needs(machine, 1);
    case DW_OP_implicit_value:
        machine->where = IS_BYTES;
        return machine->attribute &&
               dwarf_getlocation_implicit_value(machine->attribute, op, &machine->block) == 0;
    case DW_OP_piece:
        return piece(machine, op->number);
    case DW_OP_bit_piece:
        return op->number % 8 == 0 && op->number2 == 0
                   ? piece(machine, op->number / 8)
                   : error_set("a location has a piece of single bits");
    default:
        return error_set("a location has the operation 0x%x, which zedbg does not know", atom);
    }
}

static bool run(struct machine *machine, Dwarf_Op *ops, size_t count)
{
    size_t steps = 0;
    for (size_t i = 0; i < count; i++) {
        if (++steps > STEP_LIMIT) {
            return error_set("a location does not end");
        }
        const bool jumps = ops[i].atom == DW_OP_bra || ops[i].atom == DW_OP_skip;
        if (!(jumps ? branch(machine, ops, count, &i) : step(machine, &ops[i]))) {
            return false;
        }
    }
    return true;
}

bool location_number(const struct state *state, Dwarf_Op *ops, size_t count, uint64_t *number)
{
    struct machine machine = {.state = state};
    if (!run(&machine, ops, count)) {
        return false;
    }
    if (machine.where == IN_REGISTER) {
        return register_read(&machine, machine.reg, number);
    }
    if (!needs(&machine, 1)) {
        return false;
    }
    *number = machine.stack[machine.depth - 1];
    return true;
}

bool location_saved(const struct state *state, Dwarf_Op *ops, size_t count, uint64_t *value)
{
    struct machine machine = {.state = state};
    uint8_t missing[sizeof(*value)];
    *value = 0;
    return run(&machine, ops, count) &&
           part_take(&machine, (uint8_t *)value, missing, sizeof(*value));
}

/* ---- variables ---- */

/* Finds the function whose frame base a location uses: the outermost one, with code of its own. */
static bool function_find(const struct state *state, Dwarf_Die *function)
{
    struct scope *scopes;
    const size_t count = scopes_at(state->image, state->pc, &scopes);
    if (count > 0) {
        *function = scopes[count - 1].dies[scopes[count - 1].count - 1];
    }
    return count > 0;
}

static bool optimized_out(Dwarf_Die *variable)
{
    return error_set("%s has no value here: the code is optimised", scope_name(variable));
}

static bool constant(Dwarf_Die *variable, Dwarf_Attribute *attribute, uint64_t size,
                     struct location *location)
{
    Dwarf_Block block;
    Dwarf_Sword number;
    if (dwarf_formblock(attribute, &block) == 0 && block.length >= size) {
        memcpy(location->bytes, block.data, size);
        return true;
    }
    if (dwarf_formsdata(attribute, &number) == 0 && size <= sizeof(number)) {
        memcpy(location->bytes, &number, size);
        return true;
    }
    return optimized_out(variable);
}

bool location_find(const struct state *state, Dwarf_Die *variable, uint64_t size,
                   struct location *location)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count;
    Dwarf_Die function;
    if (size > SIZE_LIMIT) {
        return error_set("%s is too large: %llu bytes", scope_name(variable),
                         (unsigned long long)size);
    }
    *location =
        (struct location){.bytes = scratch_alloc(size + 8), .missing = scratch_alloc(size + 8)};
    if (dwarf_attr_integrate(variable, DW_AT_const_value, &attribute)) {
        location->missing = NULL;
        return constant(variable, &attribute, size, location);
    }
    if (!dwarf_attr_integrate(variable, DW_AT_location, &attribute) ||
        dwarf_getlocation_addr(&attribute, state->pc, &ops, &count, 1) != 1 || count == 0) {
        return optimized_out(variable);
    }
    struct machine machine = {
        .state = state,
        .attribute = &attribute,
        .location = location,
        .size = size,
        .function = function_find(state, &function) ? &function : NULL,
    };
    for (size_t i = 0; i < count; i++) {
        if (ops[i].atom == DW_OP_entry_value || ops[i].atom == DW_OP_GNU_entry_value) {
            return optimized_out(variable);
        }
    }
    if (!run(&machine, ops, count)) {
        return false;
    }
    if (machine.piece_bytes > 0) {
        memset(location->missing + machine.piece_bytes, 1, size - machine.piece_bytes);
        return true;
    }
    if (machine.where == AT_ADDRESS) {
        location->in_memory = true;
        location->address = machine.stack[machine.depth - 1];
        return true;
    }
    if (!part_take(&machine, location->bytes, location->missing, size)) {
        return machine.where == NOWHERE ? optimized_out(variable) : false;
    }
    location->missing = NULL;
    return true;
}
