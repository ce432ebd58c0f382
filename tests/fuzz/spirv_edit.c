/* The index of a SPIR-V module, and changes of its words. See spirv_edit.h. */
#include "spirv_edit.h"

#include <string.h>

#define MAGIC  0x07230203u
#define LETTER 0 /* no operand */

/* ---- index ---- */

/* Result type and result, by the grammar's letters. */
static void results_read(struct spirv_edit *edit, struct spirv_instruction *item)
{
    const struct geo_grammar *grammar = geo_grammar_find(item->op);
    const char *letters = grammar ? grammar->operands : "";
    const uint32_t *words = edit->words + item->at;
    uint32_t at = 1;
    item->type = item->result = 0;
    if (*letters == 't' && at < item->words) {
        item->type = words[at++];
        letters++;
    }
    if (*letters == 'r' && at < item->words) {
        item->result = words[at];
    }
}

static void item_add(struct spirv_edit *edit, uint32_t at, uint32_t *function)
{
    struct spirv_instruction *item = &edit->items[edit->item_count++];
    *item = (struct spirv_instruction){
        .at = at,
        .op = (uint16_t)(edit->words[at] & 0xFFFF),
        .words = (uint16_t)(edit->words[at] >> 16),
    };
    results_read(edit, item);
    if (item->op == SpvOpFunction) {
        *function = ++edit->function_count;
        edit->functions_at = edit->function_count == 1 ? edit->item_count - 1 : edit->functions_at;
    }
    item->function = *function;
    if (item->op == SpvOpFunctionEnd) {
        *function = 0;
    }
    if (item->result && item->result < edit->bound) {
        edit->place[item->result] = edit->item_count;
    }
}

bool spirv_index(struct spirv_edit *edit)
{
    uint32_t function = 0;
    edit->item_count = edit->function_count = 0;
    if (edit->count <= SPIRV_HEADER_WORDS || edit->words[0] != MAGIC) {
        edit->bound = 0;
        return false;
    }
    edit->bound = edit->words[3] < SPIRV_IDS_MAX ? edit->words[3] : SPIRV_IDS_MAX;
    memset(edit->place, 0, edit->bound * sizeof(edit->place[0]));
    for (uint32_t at = SPIRV_HEADER_WORDS;
         at < edit->count && edit->item_count < SPIRV_INSTRUCTIONS_MAX;) {
        uint32_t words = edit->words[at] >> 16;
        if (words == 0 || words > edit->count - at) {
            break;
        }
        item_add(edit, at, &function);
        at += words;
    }
    if (edit->function_count == 0) {
        edit->functions_at = edit->item_count;
    }
    return edit->item_count > 1;
}

/* ---- operands ---- */

static uint32_t string_words(const uint32_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (memchr(&words[i], 0, sizeof(*words))) {
            return i + 1;
        }
    }
    return count;
}

/* What the operands after the first of a letter are; LETTER: it has but one. */
static char rest_of(char letter)
{
    switch (letter) {
    case 'n':
    case 'M':
    case 'L':
        return 'l';
    case 'I':
        return 'i';
    default:
        return LETTER;
    }
}

static char kind_of(char letter, uint32_t index)
{
    switch (letter) {
    case 't':
    case 'r':
    case 'i':
    case 'n':
        return letter;
    case 'P':
        return 'i';
    case 'S':
        return index % 2 ? 'i' : 'l';
    case 'p':
        return index % 2 ? 'l' : 'i';
    default:
        return 'l';
    }
}

/* Words that a letter takes, of those that are left. */
static uint32_t letter_words(char letter, char mark, const uint32_t *words, uint32_t left)
{
    if (letter == 's') {
        return string_words(words, left);
    }
    if (mark == '*' || letter == 'n' || letter == 'L' || letter == 'I' || letter == 'S' ||
        letter == 'p' || letter == 'P') {
        return left;
    }
    /* A mask, and a word for an alignment. */
    return letter == 'M' && left > 1 && words[0] & SpvMemoryAccessAlignedMask ? 2 : 1;
}

uint32_t spirv_operands(const struct spirv_edit *edit, uint32_t number, struct spirv_operand *out)
{
    const struct spirv_instruction *item = &edit->items[number];
    const struct geo_grammar *grammar = geo_grammar_find(item->op);
    uint32_t at = item->at + 1, end = item->at + item->words, count = 0;
    for (const char *letter = grammar ? grammar->operands : ""; *letter && at < end; letter++) {
        char mark = letter[1] == '?' || letter[1] == '*' ? letter[1] : LETTER;
        uint32_t take = letter_words(*letter, mark, edit->words + at, end - at);
        for (uint32_t i = 0; i < take && *letter != 's' && count < SPIRV_OPERANDS_MAX; i++) {
            char kind = i != 0 && rest_of(*letter) ? rest_of(*letter) : kind_of(*letter, i);
            out[count++] = (struct spirv_operand){at + i, kind};
        }
        at += take;
        letter += mark != LETTER;
    }
    return count;
}

/* ---- what ids are ---- */

const struct spirv_instruction *spirv_definition(const struct spirv_edit *edit, uint32_t id)
{
    return id < edit->bound && edit->place[id] ? &edit->items[edit->place[id] - 1] : NULL;
}

static struct spirv_class class_of_item(const struct spirv_edit *edit,
                                        const struct spirv_instruction *item)
{
    const struct geo_grammar *grammar = geo_grammar_find(item->op);
    if (item->op == SpvOpLabel) {
        return (struct spirv_class){SPIRV_LABEL, item->function};
    }
    if (item->op == SpvOpFunction && item->words == 5) {
        return (struct spirv_class){SPIRV_FUNCTION, edit->words[item->at + 4]};
    }
    if (grammar && grammar->traits & GEO_IS_TYPE) {
        return (struct spirv_class){SPIRV_TYPE, 0};
    }
    return item->type ? (struct spirv_class){SPIRV_VALUE, item->type}
                      : (struct spirv_class){SPIRV_OTHER, item->op};
}

struct spirv_class spirv_class_of(const struct spirv_edit *edit, uint32_t id)
{
    const struct spirv_instruction *item = spirv_definition(edit, id);
    return item ? class_of_item(edit, item) : (struct spirv_class){0, 0};
}

uint32_t spirv_pick(const struct spirv_edit *edit, struct spirv_class of, uint32_t user,
                    uint32_t not)
{
    uint32_t found = 0, seen = 0, function = edit->items[user].function;
    bool later = of.what == SPIRV_LABEL || of.what == SPIRV_FUNCTION ||
                 fuzz_one_in(edit->random, 8) || edit->items[user].op == SpvOpPhi;
    uint32_t end = later ? edit->item_count : user;
    for (uint32_t i = 0; i < end; i++) {
        const struct spirv_instruction *item = &edit->items[i];
        if (item->result == 0 || item->result == not ||
            (item->function != 0 && item->function != function && of.what != SPIRV_FUNCTION)) {
            continue;
        }
        struct spirv_class class = class_of_item(edit, item);
        if (class.what == of.what && class.type == of.type && class.what != 0 &&
            fuzz_one_in(edit->random, ++seen)) {
            found = item->result;
        }
    }
    return found;
}

uint32_t spirv_pick_in_function(const struct spirv_edit *edit)
{
    uint32_t bodies = edit->item_count - edit->functions_at;
    return bodies ? edit->functions_at + fuzz_below(edit->random, bodies) : edit->item_count;
}

/* ---- changes ---- */

bool spirv_insert(struct spirv_edit *edit, uint32_t at, const uint32_t *words, uint32_t count)
{
    if (count > edit->room - edit->count) {
        return false;
    }
    memmove(edit->words + at + count, edit->words + at, (edit->count - at) * sizeof(*words));
    memcpy(edit->words + at, words, count * sizeof(*words));
    edit->count += count;
    return true;
}

void spirv_remove(struct spirv_edit *edit, uint32_t at, uint32_t count)
{
    memmove(edit->words + at, edit->words + at + count,
            (edit->count - at - count) * sizeof(*edit->words));
    edit->count -= count;
}

uint32_t spirv_new_id(struct spirv_edit *edit)
{
    return edit->words[3]++;
}

uint32_t spirv_new_constant(struct spirv_edit *edit, uint32_t type, uint64_t value)
{
    const struct spirv_instruction *item = spirv_definition(edit, type);
    if (!item || (item->op != SpvOpTypeInt && item->op != SpvOpTypeFloat)) {
        return 0;
    }
    bool wide = item->words > 2 && edit->words[item->at + 2] > 32;
    uint32_t words = wide ? 5 : 4, id = spirv_new_id(edit);
    uint32_t made[] = {words << 16 | SpvOpConstant, type, id, (uint32_t)value,
                       (uint32_t)(value >> 32)};
    uint32_t at =
        edit->functions_at < edit->item_count ? edit->items[edit->functions_at].at : edit->count;
    return spirv_insert(edit, at, made, words) && spirv_index(edit) ? id : 0;
}

uint32_t spirv_word_type(const struct spirv_edit *edit)
{
    for (uint32_t i = 0; i < edit->functions_at; i++) {
        const struct spirv_instruction *item = &edit->items[i];
        if (item->op == SpvOpTypeInt && item->words == 4 && edit->words[item->at + 2] == 32) {
            return item->result;
        }
    }
    return 0;
}

void spirv_replace_uses(struct spirv_edit *edit, uint32_t item, uint32_t from, uint32_t to)
{
    struct spirv_operand operands[SPIRV_OPERANDS_MAX];
    for (uint32_t i = item; i < edit->item_count; i++) {
        uint32_t count = spirv_operands(edit, i, operands);
        for (uint32_t k = 0; k < count; k++) {
            if (operands[k].kind == 'i' && edit->words[operands[k].at] == from) {
                edit->words[operands[k].at] = to;
            }
        }
    }
}
