/* The argument checks of a call, driven by the registry's data. Used by the entries of a driver's
 * functions and by layers.
 *
 * Checks are made in this order: handles, pointers, values, chains, the rest. Data behind a null
 * pointer is not read; a pointer that must not be null has a check of its own. A structure's chain
 * is followed only if its stype is valid, as GEO_CHAIN_OF does. Structures that are not allowed in
 * a chain are skipped, unless a check reports them. */
#include <stdio.h>
#include <string.h>

#include "ddi/geo_ddi_chain.h"
#include "ddi/geo_ddi_internal.h"

const struct geo_ddi_check *geo_ddi_function_checks(const struct geo_ddi_function *function)
{
    return &geo_ddi_checks[function->check_first];
}

/* The object of a check: the arguments of a call, or one structure in a chain. */
struct subject {
    enum geo_ddi_function_id function;
    void *const *arguments;
    const struct geo_ddi_struct *link; /* NULL: the arguments themselves */
    const char *object;                /* address of the structure `link` */
};

static uint64_t number_at(const void *address, size_t size)
{
    uint64_t number = 0; /* little-endian, as all supported machines are */
    memcpy(&number, address, size);
    return number;
}

static const void *pointer_at(const void *address)
{
    const void *pointer;
    memcpy(&pointer, address, sizeof(pointer));
    return pointer;
}

/* Returns the address of the value a of a check, or NULL if it is behind a null pointer. */
static const void *value_address(const struct subject *subject, const struct geo_ddi_check *check)
{
    if (subject->link) {
        return subject->object + check->offset;
    }
    const void *argument = subject->arguments[check->a.param];
    if (check->a.member < 0) {
        return argument;
    }
    const char *object = pointer_at(argument);
    return object ? object + check->offset : NULL;
}

static uint64_t other_value(const struct subject *subject, const struct geo_ddi_check *check)
{
    const struct geo_ddi_function *function = &geo_ddi_functions[subject->function];
    const struct geo_ddi_param *param = &geo_ddi_function_params(function)[check->b.param];
    return number_at(subject->arguments[check->b.param], param->size);
}

static bool enum_has(const struct geo_ddi_enum *e, uint32_t value)
{
    if (e->open && value < INT32_MAX) { /* its enumerators are the least and the largest value */
        return true;
    }
    for (size_t i = 0; i < e->value_count; i++) {
        const uint32_t known = (uint32_t)geo_ddi_values[e->value_first + i].value;
        if (known == value &&
            known != INT32_MAX) { /* the value 0x7fffffff only makes the type 32 bits wide */
            return true;
        }
    }
    return false;
}

static bool flags_have(const struct geo_ddi_enum *e, uint64_t bits)
{
    return (bits & ~(uint64_t)e->mask) == 0 || (e->all && bits == UINT32_MAX);
}

/* --- chains --- */

/* Returns the API whose structure types a function uses. The runtime API uses those of the core
 * API. */
static enum geo_ddi_api chain_api(enum geo_ddi_function_id function)
{
    const enum geo_ddi_api api = geo_ddi_function_api(&geo_ddi_functions[function]);
    return api == GEO_DDI_ZER ? GEO_DDI_ZE : api;
}

/* Returns whether a structure may be in the chain of a structure or function, given as in
 * geo_ddi_extends. */
static bool may_stand(const struct geo_ddi_struct *link, size_t place)
{
    return place < GEO_DDI_STRUCT_COUNT
               ? geo_ddi_struct_extends(link, &geo_ddi_structs[place])
               : geo_ddi_struct_extends_call(
                     link, (enum geo_ddi_function_id)(place - GEO_DDI_STRUCT_COUNT));
}

/* Returns the first structure in the chain of `object`, or NULL when its stype is not that of
 * `s`. */
static const void *struct_chain(const struct geo_ddi_struct *s, const void *object)
{
    const ze_base_properties_t *base = object;
    const bool valid = geo_ddi_stype_struct((enum geo_ddi_api)s->api, (uint32_t)base->stype) == s;
    return valid ? base->pNext : NULL;
}

/* Returns the first structure of the chain that a check examines, and stores the API of its
 * structure types in *api. */
static const void *checked_chain(const struct subject *subject, const struct geo_ddi_check *check,
                                 const void *address, enum geo_ddi_api *api)
{
    *api = chain_api(subject->function);
    if (check->index >= GEO_DDI_STRUCT_COUNT) {
        return pointer_at(address);
    }
    const struct geo_ddi_struct *s = &geo_ddi_structs[check->index];
    *api = (enum geo_ddi_api)s->api;
    return struct_chain(s, (const char *)address - check->offset);
}

/* Returns whether the chain has a structure that is not allowed there, and stores its type in
 * *value. */
static bool has_unknown_link(const struct subject *subject, const struct geo_ddi_check *check,
                             const void *address, uint64_t *value)
{
    enum geo_ddi_api api;
    const void *first = checked_chain(subject, check, address, &api);
    for (struct geo_chain walk = geo_chain_begin(first); walk.link; geo_chain_step(&walk)) {
        const struct geo_ddi_struct *link = geo_ddi_stype_struct(api, (uint32_t)walk.link->stype);
        if (!link || !may_stand(link, (size_t)check->index)) {
            *value = (uint32_t)walk.link->stype;
            return true;
        }
    }
    return false;
}

/* Returns whether any chain of the call contains the structure `wanted`. */
static bool call_has_link(const struct subject *subject, const struct geo_ddi_struct *wanted)
{
    const struct geo_ddi_function *function = &geo_ddi_functions[subject->function];
    const struct geo_ddi_param *params = geo_ddi_function_params(function);
    for (size_t i = 0; i < function->param_count; i++) {
        if (params[i].kind != GEO_DDI_STRUCT || params[i].depth != 1 || params[i].index < 0) {
            continue;
        }
        const struct geo_ddi_struct *s = &geo_ddi_structs[params[i].index];
        const void *object = pointer_at(subject->arguments[i]);
        if (!object || !geo_ddi_struct_extends(wanted, s)) {
            continue;
        }
        struct geo_chain walk = geo_chain_begin(struct_chain(s, object));
        for (; walk.link; geo_chain_step(&walk)) {
            if (geo_ddi_stype_struct((enum geo_ddi_api)s->api, (uint32_t)walk.link->stype) ==
                wanted) {
                return true;
            }
        }
    }
    return false;
}

/* --- evaluation --- */

/* Evaluates a check that depends only on its values. Returns true when it fails. */
static bool value_fails(const struct subject *subject, const struct geo_ddi_check *check,
                        uint64_t value)
{
    uint64_t other;
    switch ((enum geo_ddi_check_kind)check->kind) {
    case GEO_DDI_CHECK_NULL:
    case GEO_DDI_CHECK_ZERO:
        return value == 0;
    case GEO_DDI_CHECK_FLAGS:
        return !flags_have(&geo_ddi_enums[check->index], value);
    case GEO_DDI_CHECK_ENUM:
        return !enum_has(&geo_ddi_enums[check->index], (uint32_t)value);
    case GEO_DDI_CHECK_NULL_ARRAY:
        return value == 0 && other_value(subject, check) != 0;
    case GEO_DDI_CHECK_NO_MULTIPLE:
        other = other_value(subject, check);
        return other != 0 && value % other != 0;
    case GEO_DDI_CHECK_NO_POWER_OF_TWO:
        return (value & (value - 1)) != 0;
    case GEO_DDI_CHECK_UNKNOWN_LINK:
    case GEO_DDI_CHECK_LINKS:
        break;
    }
    return false;
}

/* Makes the checks of one structure in a chain. They depend only on the structure's values. */
static bool link_fails(const struct subject *subject, struct geo_ddi_breach *breach)
{
    const struct geo_ddi_check *checks = &geo_ddi_checks[subject->link->check_first];
    for (size_t i = 0; i < subject->link->check_count; i++) {
        const uint64_t value = number_at(value_address(subject, &checks[i]), checks[i].size);
        if (value_fails(subject, &checks[i], value)) {
            *breach = (struct geo_ddi_breach){.function = subject->function,
                                              .check = &checks[i],
                                              .link = subject->link,
                                              .value = value};
            return true;
        }
    }
    return false;
}

static bool links_fail(const struct subject *subject, const struct geo_ddi_check *check,
                       const void *address, struct geo_ddi_breach *breach)
{
    enum geo_ddi_api api;
    const void *first = checked_chain(subject, check, address, &api);
    for (struct geo_chain walk = geo_chain_begin(first); walk.link; geo_chain_step(&walk)) {
        const struct geo_ddi_struct *s = geo_ddi_stype_struct(api, (uint32_t)walk.link->stype);
        const struct subject link = {subject->function, subject->arguments, s,
                                     (const char *)walk.link};
        if (s && may_stand(s, (size_t)check->index) && link_fails(&link, breach)) {
            return true;
        }
    }
    return false;
}

static bool check_fails(const struct subject *subject, const struct geo_ddi_check *check,
                        struct geo_ddi_breach *breach)
{
    const void *address = value_address(subject, check);
    if (!address) {
        return false;
    }
    if (check->kind == GEO_DDI_CHECK_LINKS) {
        return links_fail(subject, check, address, breach);
    }
    uint64_t value = number_at(address, check->size);
    const bool fails = check->kind == GEO_DDI_CHECK_UNKNOWN_LINK
                           ? has_unknown_link(subject, check, address, &value)
                           : value_fails(subject, check, value);
    if (!fails || (check->unless >= 0 && call_has_link(subject, &geo_ddi_structs[check->unless]))) {
        return false;
    }
    *breach =
        (struct geo_ddi_breach){.function = subject->function, .check = check, .value = value};
    return true;
}

ze_result_t geo_ddi_call_check(enum geo_ddi_function_id function, void *const *arguments,
                               size_t first, struct geo_ddi_breach *breach)
{
    const struct geo_ddi_function *f = &geo_ddi_functions[function];
    const struct geo_ddi_check *checks = geo_ddi_function_checks(f);
    const struct subject subject = {function, arguments, NULL, NULL};
    for (size_t i = first; i < f->check_count; i++) {
        if (check_fails(&subject, &checks[i], breach)) {
            breach->number = i;
            return breach->check->result;
        }
    }
    return ZE_RESULT_SUCCESS;
}

/* --- description --- */

/* Writes the name of a checked value: "desc->flags", "size" or
 * "ze_external_memory_import_fd_t::flags". */
static void place_name(const struct geo_ddi_breach *breach, struct geo_ddi_place place, char *out,
                       size_t size)
{
    const struct geo_ddi_function *function = &geo_ddi_functions[breach->function];
    if (breach->link) {
        snprintf(out, size, "%s::%s", breach->link->name,
                 geo_ddi_struct_members(breach->link)[place.member].name);
        return;
    }
    const struct geo_ddi_param *param = &geo_ddi_function_params(function)[place.param];
    if (place.member < 0) {
        snprintf(out, size, "%s", param->name);
        return;
    }
    const struct geo_ddi_struct *s = &geo_ddi_structs[param->index];
    snprintf(out, size, "%s->%s", param->name, geo_ddi_struct_members(s)[place.member].name);
}

int geo_ddi_breach_format(const struct geo_ddi_breach *breach, char *buffer, size_t size)
{
    char a[96], b[96] = "";
    const unsigned long long value = breach->value;
    place_name(breach, breach->check->a, a, sizeof(a));
    if (breach->check->b.param >= 0) {
        place_name(breach, breach->check->b, b, sizeof(b));
    }
    switch ((enum geo_ddi_check_kind)breach->check->kind) {
    case GEO_DDI_CHECK_NULL:
        return snprintf(buffer, size, "%s is null", a);
    case GEO_DDI_CHECK_ZERO:
        return snprintf(buffer, size, "%s is 0", a);
    case GEO_DDI_CHECK_FLAGS:
    case GEO_DDI_CHECK_ENUM:
        return snprintf(buffer, size, "%s has the unknown value 0x%llx", a, value);
    case GEO_DDI_CHECK_NULL_ARRAY:
        return snprintf(buffer, size, "%s is null but %s is not 0", a, b);
    case GEO_DDI_CHECK_NO_MULTIPLE:
        return snprintf(buffer, size, "%s, %llu, is not a multiple of %s", a, value, b);
    case GEO_DDI_CHECK_NO_POWER_OF_TWO:
        return snprintf(buffer, size, "%s, %llu, is not a power of two", a, value);
    case GEO_DDI_CHECK_UNKNOWN_LINK:
        return snprintf(buffer, size, "%s has a structure of type 0x%llx, which is not supported",
                        a, value);
    case GEO_DDI_CHECK_LINKS: /* the breach reports the structure's own check instead */
        break;
    }
    return snprintf(buffer, size, "%s is wrong", a);
}
