/* Finds values and their parts. See value.h. */
#include "value.h"

#include "error.h"
#include "half.h"
#include "memory.h"
#include "scope.h"

#include <stdlib.h>
#include <string.h>

#define LOAD_LIMIT (UINT64_C(1) << 26)

bool value_variable(const struct state *state, Dwarf_Die *variable, struct value *value)
{
    const struct type *type = type_of(state->image, variable);
    struct location location;
    if (!location_find(state, variable, type->size, &location)) {
        return false;
    }
    *value = (struct value){.type = type, .reg = -1};
    if (location.in_memory) {
        value->in_memory = true;
        value->address = location.address;
    } else {
        value->bytes = location.bytes;
        value->missing = location.missing;
    }
    return true;
}

bool value_load(const struct state *state, struct value *value)
{
    if (value->bytes) {
        return true;
    }
    if (value->type->size > LOAD_LIMIT) {
        return error_set("the value is too large to read: %llu bytes",
                         (unsigned long long)value->type->size);
    }
    uint8_t *bytes = scratch_alloc(value->type->size + 8);
    if (!state->read_memory(state->context, value->address, bytes, value->type->size)) {
        return false;
    }
    value->bytes = bytes;
    return true;
}

bool value_address(const struct value *value, uint64_t *address)
{
    *address = value->address;
    if (value->in_memory || !value->unit) {
        return value->in_memory;
    }
    const uint64_t within = value->offset % value->unit;
    *address = value->origin + value->offset / value->unit * value->row + within;
    return value->type->size <= value->unit - within;
}

/* Returns a part of a value at an offset. */
static struct value part(const struct value *whole, uint64_t offset, const struct type *type)
{
    struct value value = *whole;
    value.type = type;
    value.reg = -1;
    value.address += offset;
    value.offset += offset;
    if (!whole->in_memory || whole->bytes) {
        value.bytes = whole->bytes + offset;
        value.missing = whole->missing ? whole->missing + offset : NULL;
    }
    return value;
}

static bool fits(const struct value *whole, uint64_t offset, uint64_t size)
{
    return (offset <= whole->type->size && size <= whole->type->size - offset) ||
           error_set("the debug information has a part outside of its whole");
}

/* ---- lanes ---- */

/* Gathers one lane's elements, which lie between those of the others. */
static bool lane_gather(const struct state *state, const struct value *all, uint64_t lane,
                        struct value *value)
{
    const struct type *type = all->type, *target = type_target(type);
    const uint64_t row = type->unit * type->count, count = target->size / type->unit;
    struct value loaded = *all;
    if (target->size % type->unit || !fits(all, 0, row * count) || !value_load(state, &loaded)) {
        return target->size % type->unit ? error_set("the lanes of a variable have an unknown form")
                                         : false;
    }
    uint8_t *bytes = scratch_alloc(target->size + 8);
    uint8_t *missing = loaded.missing ? scratch_alloc(target->size + 8) : NULL;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t from = i * row + lane * type->unit;
        memcpy(bytes + i * type->unit, loaded.bytes + from, type->unit);
        if (missing) {
            memcpy(missing + i * type->unit, loaded.missing + from, type->unit);
        }
    }
    *value = (struct value){.type = target, .bytes = bytes, .missing = missing, .reg = -1};
    if (all->in_memory) {
        value->unit = type->unit;
        value->row = row;
        value->origin = all->address + lane * type->unit;
    }
    return true;
}

bool value_lane(const struct state *state, const struct value *all, uint64_t lane,
                struct value *value)
{
    const struct type *type = all->type;
    if (type->kind != TYPE_LANES) {
        *value = *all;
        return true;
    }
    if (lane >= type->count) {
        return error_set("lane %llu is out of range: the variable has %llu lanes",
                         (unsigned long long)lane, (unsigned long long)type->count);
    }
    if (type->form == FORM_INTERLEAVED) {
        return lane_gather(state, all, lane, value);
    }
    const struct type *target = type_target(type);
    if (!fits(all, lane * type->unit, target->size)) {
        return false;
    }
    *value = part(all, lane * type->unit, target);
    return true;
}

/* ---- components of vectors ---- */

/* Reads the next component of a name as "xyzw" or as digits behind an "s". Returns -1 if it is
 * none. */
static int component_read(const char **name, bool numbered)
{
    static const char letters[] = "xyzw", digits[] = "0123456789abcdef", capital[] = "ABCDEF";
    const char letter = *(*name)++;
    const char *found = strchr(numbered ? digits : letters, letter);
    if (!found && numbered) {
        const char *large = strchr(capital, letter);
        return large && letter ? 10 + (int)(large - capital) : -1;
    }
    return found && letter ? (int)(found - (numbered ? digits : letters)) : -1;
}

static int components_named(const char *name, uint64_t count, int components[16])
{
    static const char *const groups[] = {"lo", "hi", "even", "odd"};
    int found = 0;
    for (int group = 0; group < 4; group++) {
        for (uint64_t i = 0; strcmp(name, groups[group]) == 0 && i < count / 2; i++) {
            components[found++] = (int)(group == 0   ? i
                                        : group == 1 ? i + count / 2
                                        : group == 2 ? 2 * i
                                                     : 2 * i + 1);
        }
    }
    const bool numbered = (*name == 's' || *name == 'S') && name[1];
    for (const char *at = name + numbered; found == 0 || *at;) {
        const int component = *at && found < 16 ? component_read(&at, numbered) : -1;
        if (component < 0 || (uint64_t)component >= count) {
            return strcmp(name, "lo") == 0 || strcmp(name, "hi") == 0 ||
                           strcmp(name, "even") == 0 || strcmp(name, "odd") == 0
                       ? found
                       : 0;
        }
        components[found++] = component;
    }
    return found;
}

/* Returns a vector's type of some components, in scratch memory. */
static const struct type *vector_type(const struct type *vector, uint64_t count)
{
    const struct type *component = type_target(vector);
    struct type *type = scratch_alloc(sizeof(*type));
    *type = (struct type){
        .kind = TYPE_VECTOR,
        .name = scratch_format("%s%llu", type_text(component), (unsigned long long)count),
        .size = component->size * (count == 3 ? 4 : count),
        .count = count,
        .target = component,
    };
    return type;
}

static bool vector_member(const struct state *state, const struct value *whole, const char *name,
                          struct value *value)
{
    int components[16];
    const int count = components_named(name, whole->type->count, components);
    const uint64_t size = type_target(whole->type)->size;
    struct value loaded = *whole;
    if (count == 0) {
        return error_set("%s has no components .%s", type_text(whole->type), name);
    }
    if (count == 1) {
        return value_index(state, whole, components[0], value);
    }
    if (!value_load(state, &loaded)) {
        return false;
    }
    const struct type *type = vector_type(whole->type, (uint64_t)count);
    uint8_t *bytes = scratch_alloc(type->size + 8);
    uint8_t *missing = loaded.missing ? scratch_alloc(type->size + 8) : NULL;
    for (int i = 0; i < count; i++) {
        const uint64_t from = (uint64_t)components[i] * size;
        if (!fits(whole, from, size)) {
            return false;
        }
        memcpy(bytes + (uint64_t)i * size, loaded.bytes + from, size);
        if (missing) {
            memcpy(missing + (uint64_t)i * size, loaded.missing + from, size);
        }
    }
    *value = (struct value){.type = type, .bytes = bytes, .missing = missing, .reg = -1};
    return true;
}

/* ---- members and elements ---- */

/* Returns a bit field as a value of its own. */
static bool bit_field(const struct state *state, const struct value *piece,
                      const struct type_member *member, struct value *value)
{
    struct value whole = *piece;
    uint64_t bits = 0;
    if (!value_load(state, &whole) || member->type->size > 8 || member->bit_size > 64 ||
        member->bit_offset > 63) {
        return false;
    }
    memcpy(&bits, whole.bytes, member->type->size);
    bits >>= member->bit_offset;
    if (member->bit_size < 64) {
        const unsigned unused = 64 - member->bit_size;
        bits = type_is_signed(member->type) ? (uint64_t)((int64_t)(bits << unused) >> unused)
                                            : bits << unused >> unused;
    }
    *value = value_of_integer(member->type, bits);
    return true;
}

bool value_member(const struct state *state, const struct value *whole, const char *name,
                  struct value *value)
{
    struct type_member member;
    if (whole->type->kind == TYPE_VECTOR) {
        return vector_member(state, whole, name, value);
    }
    if (whole->type->kind != TYPE_STRUCT && whole->type->kind != TYPE_UNION) {
        return error_set("%s has no members: .%s needs a structure or vector",
                         type_text(whole->type), name);
    }
    if (!type_member(whole->type, name, &member)) {
        return error_set("%s has no member %s", type_text(whole->type), name);
    }
    if (!fits(whole, member.offset, member.type->size)) {
        return false;
    }
    *value = part(whole, member.offset, member.type);
    if (member.bit_size) {
        const struct value piece = *value;
        return bit_field(state, &piece, &member, value);
    }
    return true;
}

bool value_index(const struct state *state, const struct value *whole, int64_t index,
                 struct value *value)
{
    const struct type *type = whole->type, *target = type_target(type);
    if (type->kind == TYPE_POINTER) {
        int64_t address;
        if (target->size == 0) {
            return error_set("%s cannot be followed: what it points to has no size",
                             type_text(type));
        }
        if (!value_integer(state, whole, &address)) {
            return false;
        }
        *value = (struct value){
            .type = target,
            .in_memory = true,
            .address = (uint64_t)address + (uint64_t)index * target->size,
            .reg = -1,
        };
        return true;
    }
    if (type->kind != TYPE_ARRAY && type->kind != TYPE_VECTOR) {
        return error_set("%s has no elements", type_text(type));
    }
    if (index < 0 || (uint64_t)index >= type->count) {
        if (whole->in_memory && type->count == 0 && target->size) { /* of an unknown length */
            *value = (struct value){.type = target,
                                    .in_memory = true,
                                    .address = whole->address + (uint64_t)index * target->size,
                                    .reg = -1};
            return true;
        }
        return error_set("index %lld is out of range: %s has %llu elements", (long long)index,
                         type_text(type), (unsigned long long)type->count);
    }
    if (!fits(whole, (uint64_t)index * target->size, target->size)) {
        return false;
    }
    *value = part(whole, (uint64_t)index * target->size, target);
    return true;
}

bool value_target(const struct state *state, const struct value *pointer, struct value *value)
{
    return pointer->type->kind == TYPE_POINTER || pointer->type->kind == TYPE_ARRAY
               ? value_index(state, pointer, 0, value)
               : error_set("%s is not a pointer", type_text(pointer->type));
}

/* ---- numbers ---- */

struct value value_of_integer(const struct type *type, uint64_t number)
{
    uint8_t *bytes = scratch_alloc(sizeof(number));
    memcpy(bytes, &number, sizeof(number));
    return (struct value){.type = type, .bytes = bytes, .reg = -1};
}

struct value value_of_double(double number)
{
    uint8_t *bytes = scratch_alloc(sizeof(number));
    memcpy(bytes, &number, sizeof(number));
    return (struct value){.type = &type_double, .bytes = bytes, .reg = -1};
}

static bool is_known(const struct value *value)
{
    for (uint64_t i = 0; value->missing && i < value->type->size; i++) {
        if (value->missing[i]) {
            return error_set("the value is not known here: the code is optimised");
        }
    }
    return true;
}

bool value_integer(const struct state *state, const struct value *value, int64_t *number)
{
    struct value loaded = *value;
    const struct type *type = value->type;
    double real;
    if (type->kind == TYPE_FLOAT) {
        if (!value_double(state, value, &real)) {
            return false;
        }
        if (!(real >= -0x1p63 && real < 0x1p63)) {
            return error_set("%g is not in the range of an integer", real);
        }
        *number = (int64_t)real;
        return true;
    }
    if (type->kind == TYPE_ARRAY && value->in_memory) { /* decays to a pointer */
        *number = (int64_t)value->address;
        return true;
    }
    if (type->kind != TYPE_POINTER && !type_is_integer(type)) {
        return error_set("%s is not a number", type_text(type));
    }
    if (!value_load(state, &loaded) || !is_known(&loaded)) {
        return false;
    }
    uint64_t bits = 0;
    memcpy(&bits, loaded.bytes, type->size <= 8 ? type->size : 8);
    const unsigned unused = type->size < 8 ? 64 - 8 * (unsigned)type->size : 0;
    *number =
        type_is_signed(type) && type->size ? (int64_t)(bits << unused) >> unused : (int64_t)bits;
    return true;
}

bool value_double(const struct state *state, const struct value *value, double *number)
{
    struct value loaded = *value;
    const struct type *type = value->type;
    int64_t integer;
    if (type->kind != TYPE_FLOAT) {
        if (!value_integer(state, value, &integer)) {
            return false;
        }
        *number = type_is_signed(type) ? (double)integer : (double)(uint64_t)integer;
        return true;
    }
    if (!value_load(state, &loaded) || !is_known(&loaded)) {
        return false;
    }
    if (type->size == 8) {
        memcpy(number, loaded.bytes, 8);
    } else if (type->size == 4) {
        float single;
        memcpy(&single, loaded.bytes, 4);
        *number = (double)single;
    } else if (type->size == 2) {
        uint16_t bits;
        memcpy(&bits, loaded.bytes, 2);
        *number = half_to_double(bits);
    } else {
        return error_set("zedbg knows no float of %llu bytes", (unsigned long long)type->size);
    }
    return true;
}

bool value_convert(const struct state *state, const struct value *value, const struct type *type,
                   uint8_t *bytes)
{
    int64_t integer;
    double real;
    if (type->kind == TYPE_FLOAT) {
        if (!value_double(state, value, &real)) {
            return false;
        }
        const float single = (float)real;
        const uint16_t bits = half_of_double(real);
        if (type->size == 8) {
            memcpy(bytes, &real, 8);
        } else if (type->size == 4) {
            memcpy(bytes, &single, 4);
        } else if (type->size == 2) {
            memcpy(bytes, &bits, 2);
        }
        return type->size == 8 || type->size == 4 || type->size == 2 ||
               error_set("zedbg knows no float of %llu bytes", (unsigned long long)type->size);
    }
    if (!type_is_integer(type) && type->kind != TYPE_POINTER) {
        return error_set("%s cannot be set: set its members or elements", type_text(type));
    }
    if (!value_integer(state, value, &integer)) {
        return false;
    }
    integer = type->kind == TYPE_BOOL ? integer != 0 : integer;
    memcpy(bytes, &integer, type->size <= 8 ? type->size : 8);
    return true;
}
