/* Evaluates expressions: a parser by recursive descent that computes as it reads. See
 * expression.h. */
#include "expression.h"

#include "error.h"
#include "memory.h"
#include "operate.h"
#include "scope.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_LIMIT 100

struct parser {
    const struct place *place;
    const struct state *state;
    const char *at;
    int depth;
    bool skips; /* the value is not needed: the right side of && and || */
};

static bool binary(struct parser *parser, int least, struct value *value);
static bool unary(struct parser *parser, struct value *value);

/* ---- the state ---- */

static bool no_memory(void *context, uint64_t address, void *bytes, size_t size)
{
    (void)context, (void)bytes, (void)size;
    return error_set("memory at 0x%llx cannot be read: no thread is stopped",
                     (unsigned long long)address);
}

static bool no_register(void *context, unsigned number, void *bytes, size_t size)
{
    (void)context, (void)number, (void)bytes, (void)size;
    return error_set("registers are not known: no thread is stopped");
}

const struct state *expression_state(const struct place *place)
{
    static const struct state nothing = {.read_memory = no_memory, .read_register = no_register};
    return place->frame ? &place->frame->state : &nothing;
}

/* ---- text ---- */

static void blanks_skip(struct parser *parser)
{
    while (isspace((unsigned char)*parser->at)) {
        parser->at++;
    }
}

static bool take(struct parser *parser, const char *token)
{
    blanks_skip(parser);
    const size_t length = strlen(token);
    if (strncmp(parser->at, token, length) != 0) {
        return false;
    }
    parser->at += length;
    return true;
}

static bool expect(struct parser *parser, const char *token)
{
    if (take(parser, token)) {
        return true;
    }
    return *parser->at ? error_set("'%s' is expected before \"%s\"", token, parser->at)
                       : error_set("'%s' is expected at the end", token);
}

/* Reads a name. NULL: none is here. */
static const char *name_take(struct parser *parser)
{
    blanks_skip(parser);
    const char *start = parser->at;
    if (!isalpha((unsigned char)*start) && *start != '_' && *start != '$') {
        return NULL;
    }
    do {
        parser->at++;
    } while (isalnum((unsigned char)*parser->at) || *parser->at == '_');
    return scratch_format("%.*s", (int)(parser->at - start), start);
}

static bool number_take(struct parser *parser, struct value *value)
{
    const char *start = parser->at;
    char *end, *end_of_float;
    errno = 0;
    const unsigned long long whole = strtoull(start, &end, 0);
    const bool fits = errno == 0;
    const double real = strtod(start, &end_of_float);
    const bool is_float = end_of_float > end;
    parser->at = is_float ? end_of_float : end;
    if (is_float) {
        const bool single = *parser->at == 'f' || *parser->at == 'F';
        parser->at += single;
        *value = single ? operate_float(real) : value_of_double(real);
    } else {
        bool is_unsigned = whole > INT64_MAX;
        while (*parser->at && strchr("uUlL", *parser->at)) {
            is_unsigned |= *parser->at == 'u' || *parser->at == 'U';
            parser->at++;
        }
        *value = value_of_integer(is_unsigned           ? &type_ulong
                                  : whole > 0x7fffffffu ? &type_long
                                                        : &type_int,
                                  whole);
    }
    if (isalnum((unsigned char)*parser->at) || *parser->at == '_' || (!is_float && !fits)) {
        return error_set("\"%s\" is not a number", start);
    }
    return true;
}

/* Reads a character such as 'a' or '\n'. */
static bool character_take(struct parser *parser, struct value *value)
{
    static const char escapes[] = "n\nt\tr\r0\0\\\\''";
    char code = *++parser->at;
    if (code == '\\') {
        const char *found = NULL;
        code = *++parser->at;
        for (size_t i = 0; i + 1 < sizeof(escapes); i += 2) {
            found = escapes[i] == code ? &escapes[i + 1] : found;
        }
        if (!found) {
            return error_set("the character \\%c is not known", code);
        }
        code = *found;
    } else if (!code || code == '\'') {
        return error_set("a character is expected behind '");
    }
    parser->at++;
    *value = value_of_integer(&type_int, (uint64_t)code);
    return expect(parser, "'");
}

/* ---- names ---- */

/* Calls such as get_global_id(0). */
static bool item_function(struct parser *parser, const char *name, struct value *value)
{
    static const char *const names[] = {"get_global_id", "get_local_id", "get_group_id",
                                        "get_local_size", "get_global_offset"};
    size_t which = 0;
    struct value axis;
    int64_t number;
    while (which < sizeof(names) / sizeof(names[0]) && strcmp(names[which], name) != 0) {
        which++;
    }
    if (which == sizeof(names) / sizeof(names[0])) {
        return error_set("zedbg calls no functions, only get_global_id and the like: %s", name);
    }
    if (!binary(parser, 0, &axis) || !value_integer(parser->state, &axis, &number) ||
        !expect(parser, ")")) {
        return false;
    }
    const struct chunk *chunk = parser->place->chunk;
    if (!chunk) {
        return error_set("%s: the work-items are not known here", name);
    }
    const struct item_id ids[] = {chunk_global(chunk, parser->place->lane),
                                  chunk_local(chunk, parser->place->lane), chunk->group,
                                  chunk->local_size, chunk->global_offset};
    if (number < 0 || number > 2) {
        *value = value_of_integer(&type_ulong, which == 3);
        return true;
    }
    *value = value_of_integer(&type_ulong, (uint64_t)ids[which].axis[number]);
    return ids[which].known[number] ||
           error_set("%s(%lld) is not known here: the code is optimised", name, (long long)number);
}

/* Reads a vector or mask register, such as $zmm0, $ymm3, $xmm1 and $k2. */
static bool wide_register(struct parser *parser, const char *name, struct value *value)
{
    static const struct {
        const char *prefix;
        uint64_t bytes;
        unsigned first, next, count;
    } sets[] = {{"xmm", 16, 17, 67, 32},
                {"ymm", 32, 17, 67, 32},
                {"zmm", 64, 17, 67, 32},
                {"k", 8, 118, 118, 8}};
    static const struct type lane = {.kind = TYPE_UNSIGNED, .name = "uint", .size = 4};
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
        const size_t length = strlen(sets[i].prefix);
        char *end;
        if (strncmp(name, sets[i].prefix, length) != 0 || !isdigit((unsigned char)name[length])) {
            continue;
        }
        const unsigned long number = strtoul(name + length, &end, 10);
        if (*end || number >= sets[i].count) {
            continue;
        }
        struct type *array = scratch_alloc(sizeof(*array));
        *array = (struct type){.kind = TYPE_ARRAY,
                               .name = "",
                               .size = sets[i].bytes,
                               .count = sets[i].bytes / 4,
                               .target = &lane};
        uint8_t *bytes = scratch_alloc(sets[i].bytes);
        *value = (struct value){
            .type = sets[i].bytes == 8 ? &type_ulong : array, .bytes = bytes, .reg = -1};
        return parser->state->read_register(
            parser->state->context,
            (unsigned)(number < 16 ? sets[i].first + number : sets[i].next + number - 16), bytes,
            sets[i].bytes);
    }
    return error_set("register $%s does not exist", name);
}

static bool register_take(struct parser *parser, const char *name, struct value *value)
{
    const int number = machine_find(name);
    uint64_t bits;
    if (number < 0) {
        return wide_register(parser, name, value);
    }
    if (!parser->state->read_register(parser->state->context, (unsigned)number, &bits,
                                      sizeof(bits))) {
        return false;
    }
    *value = value_of_integer(&type_ulong, bits);
    value->reg = number;
    return true;
}

static bool variable_take(struct parser *parser, const char *name, struct value *value)
{
    const struct frame *frame = parser->place->frame;
    Dwarf_Die variable;
    struct value all;
    if (!frame) {
        return error_set("%s is not known: no thread is stopped", name);
    }
    if (!frame->scope) {
        return error_set("%s is not known: %s has no debug information", name, frame->name);
    }
    if (!scope_variable(frame->scope, name, &variable)) {
        return error_set("variable %s does not exist in %s", name, frame->name);
    }
    if (parser->skips) { /* its value may not exist */
        *value = value_of_integer(&type_int, 0);
        return true;
    }
    return value_variable(parser->state, &variable, &all) &&
           value_lane(parser->state, &all, parser->place->lane, value);
}

static bool name_value(struct parser *parser, const char *name, struct value *value)
{
    if (*name == '$') {
        return register_take(parser, name + 1, value);
    }
    if (take(parser, "(")) {
        return item_function(parser, name, value);
    }
    if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0) {
        *value = value_of_integer(&type_bool, *name == 't');
        return true;
    }
    return variable_take(parser, name, value);
}

/* ---- types ---- */

/* Reads "(TYPE)", "(TYPE *)". Leaves the parser where it is if no type is here. */
static const struct type *cast_take(struct parser *parser)
{
    const char *start = parser->at;
    const struct frame *frame = parser->place->frame;
    const char *name = take(parser, "(") ? name_take(parser) : NULL;
    Dwarf_Die variable;
    const struct type *type = NULL;
    if (name && !(frame && frame->scope && scope_variable(frame->scope, name, &variable))) {
        type = operate_type(frame ? frame->state.image : NULL, name);
    }
    while (type && take(parser, "*")) {
        type = type_pointer(type);
    }
    if (type && take(parser, ")")) {
        return type;
    }
    parser->at = start;
    return NULL;
}

/* ---- the grammar ---- */

static bool primary(struct parser *parser, struct value *value)
{
    blanks_skip(parser);
    if (take(parser, "(")) {
        return binary(parser, 0, value) && expect(parser, ")");
    }
    if (isdigit((unsigned char)*parser->at) ||
        (*parser->at == '.' && isdigit((unsigned char)parser->at[1]))) {
        return number_take(parser, value);
    }
    if (*parser->at == '\'') {
        return character_take(parser, value);
    }
    const char *name = name_take(parser);
    if (name) {
        return name_value(parser, name, value);
    }
    return *parser->at ? error_set("a value is expected before \"%s\"", parser->at)
                       : error_set("a value is expected at the end");
}

static bool member_take(struct parser *parser, bool follows, struct value *value)
{
    struct value whole = *value;
    const char *name = name_take(parser);
    if (!name) {
        return error_set("the name of a member is expected");
    }
    if (parser->skips) {
        return true;
    }
    if (follows && !value_target(parser->state, &whole, &whole)) {
        return false;
    }
    const struct value outer = whole;
    return value_member(parser->state, &outer, name, value);
}

static bool postfix(struct parser *parser, struct value *value)
{
    if (!primary(parser, value)) {
        return false;
    }
    for (;;) {
        if (take(parser, "[")) {
            const struct value whole = *value;
            struct value index;
            int64_t number;
            if (!binary(parser, 0, &index) || !expect(parser, "]") ||
                !value_integer(parser->state, &index, &number)) {
                return false;
            }
            if (!parser->skips && !value_index(parser->state, &whole, number, value)) {
                return false;
            }
        } else if (take(parser, "->")) {
            if (!member_take(parser, true, value)) {
                return false;
            }
        } else if (take(parser, ".")) {
            if (!member_take(parser, false, value)) {
                return false;
            }
        } else {
            return true;
        }
    }
}

static bool unary_inner(struct parser *parser, struct value *value)
{
    blanks_skip(parser);
    const char operation = *parser->at;
    const struct type *type = operation == '(' ? cast_take(parser) : NULL;
    if (!type && (!operation || !strchr("*&-+!~", operation))) {
        return postfix(parser, value);
    }
    parser->at += !type;
    struct value operand;
    if (!unary(parser, &operand)) {
        return false;
    }
    if (parser->skips) {
        *value = operand;
        return true;
    }
    if (type) {
        return operate_cast(parser->state, &operand, type, value);
    }
    if (operation == '*') {
        return value_target(parser->state, &operand, value);
    }
    if (operation == '&') {
        if (!operand.in_memory) {
            return error_set("the value has no address: it is not in memory");
        }
        *value = value_of_integer(type_pointer(operand.type), operand.address);
        return true;
    }
    return operate_unary(parser->state, operation, &operand, value);
}

static bool unary(struct parser *parser, struct value *value)
{
    if (++parser->depth > DEPTH_LIMIT) {
        return error_set("the expression is too deep");
    }
    const bool good = unary_inner(parser, value);
    parser->depth--;
    return good;
}

/* Reads an operator that binds at least as strongly as `least`. */
static const char *operator_take(struct parser *parser, int least, int *strength)
{
    static const struct {
        const char *text;
        int strength;
    } operators[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7},
                     {"<<", 8}, {">>", 8}, {"|", 3},  {"^", 4},  {"&", 5},  {"<", 7},
                     {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};
    blanks_skip(parser);
    for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
        const size_t length = strlen(operators[i].text);
        if (strncmp(parser->at, operators[i].text, length) == 0) {
            if (operators[i].strength < least) {
                return NULL;
            }
            parser->at += length;
            *strength = operators[i].strength;
            return operators[i].text;
        }
    }
    return NULL;
}

/* Computes && and ||, which do not need their right side always. */
static bool logical(struct parser *parser, bool is_and, int strength, struct value *value)
{
    struct value right;
    bool left_holds = false, right_holds = false;
    const bool skipped = parser->skips;
    if (!skipped && !operate_truth(parser->state, value, &left_holds)) {
        return false;
    }
    parser->skips = skipped || left_holds != is_and;
    const bool good = binary(parser, strength + 1, &right) &&
                      (parser->skips || operate_truth(parser->state, &right, &right_holds));
    const bool result = left_holds == is_and ? right_holds : left_holds;
    parser->skips = skipped;
    *value = value_of_integer(&type_int, result);
    return good;
}

static bool binary(struct parser *parser, int least, struct value *value)
{
    const char *operation;
    int strength;
    if (!unary(parser, value)) {
        return false;
    }
    while ((operation = operator_take(parser, least, &strength))) {
        struct value left = *value, right;
        if (strength <= 2) {
            if (!logical(parser, *operation == '&', strength, value)) {
                return false;
            }
            continue;
        }
        if (!binary(parser, strength + 1, &right)) {
            return false;
        }
        if (!parser->skips && !operate_binary(parser->state, operation, &left, &right, value)) {
            return false;
        }
    }
    return true;
}

bool expression_evaluate(const struct place *place, const char *text, struct value *value)
{
    struct parser parser = {.place = place, .state = expression_state(place), .at = text};
    if (!binary(&parser, 0, value)) {
        return false;
    }
    blanks_skip(&parser);
    return !*parser.at || error_set("\"%s\" does not belong to the expression", parser.at);
}

bool expression_integer(const struct place *place, const char *text, int64_t *number)
{
    struct value value;
    return expression_evaluate(place, text, &value) &&
           value_integer(expression_state(place), &value, number);
}

bool expression_condition(const struct place *place, const char *text, bool *holds)
{
    struct value value;
    return expression_evaluate(place, text, &value) &&
           operate_truth(expression_state(place), &value, holds);
}
