/* One module for each kernel of another: small ones are built many times a second, and changes hit
 * what is built. See spirv_edit.h. */
#include "spirv_edit.h"

#include <stdlib.h>
#include <string.h>

/* What is kept of a module. */
struct slice {
    const struct spirv_edit *edit;
    bool *functions; /* by number, reached */
    uint32_t *out, count;
};

static uint32_t function_of(const struct spirv_edit *edit, uint32_t id)
{
    const struct spirv_instruction *item = spirv_definition(edit, id);
    return item && item->op == SpvOpFunction ? item->function : 0;
}

/* Functions whose ids are among the operands of reached ones, until there are no more. */
static void reach(struct slice *slice)
{
    const struct spirv_edit *edit = slice->edit;
    struct spirv_operand operands[SPIRV_OPERANDS_MAX];
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = edit->functions_at; i < edit->item_count; i++) {
            uint32_t count =
                slice->functions[edit->items[i].function] ? spirv_operands(edit, i, operands) : 0;
            for (uint32_t k = 0; k < count; k++) {
                uint32_t callee = function_of(edit, edit->words[operands[k].at]);
                more |= callee && !slice->functions[callee];
                slice->functions[callee] |= callee != 0;
            }
        }
    }
}

/* Entry points and what is said of ids go with what they are of. */
static bool is_kept(const struct slice *slice, const struct spirv_instruction *item,
                    uint32_t kernel)
{
    const struct spirv_edit *edit = slice->edit;
    const struct geo_grammar *grammar = geo_grammar_find(item->op);
    if (item->function) {
        return slice->functions[item->function];
    }
    bool entry = item->op == SpvOpEntryPoint;
    if (!entry && !(grammar && grammar->traits & GEO_IS_ANNOTATION)) {
        return true;
    }
    uint32_t id = item->words > (entry ? 2 : 1) ? edit->words[item->at + (entry ? 2 : 1)] : 0;
    const struct spirv_instruction *target = spirv_definition(edit, id);
    if (entry || item->op == SpvOpExecutionMode) {
        return id == kernel;
    }
    return !target || target->function == 0 || slice->functions[target->function];
}

static void slice_write(struct slice *slice, uint32_t kernel)
{
    const struct spirv_edit *edit = slice->edit;
    memset(slice->functions, 0, (edit->function_count + 1) * sizeof(bool));
    slice->functions[function_of(edit, kernel)] = true;
    reach(slice);
    memcpy(slice->out, edit->words, SPIRV_HEADER_WORDS * sizeof(*slice->out));
    slice->count = SPIRV_HEADER_WORDS;
    for (uint32_t i = 0; i < edit->item_count; i++) {
        const struct spirv_instruction *item = &edit->items[i];
        if (is_kept(slice, item, kernel)) {
            memcpy(slice->out + slice->count, edit->words + item->at,
                   item->words * sizeof(*slice->out));
            slice->count += item->words;
        }
    }
}

static bool kernels_slice(const struct spirv_edit *edit,
                          bool (*give)(const uint8_t *bytes, size_t size))
{
    struct slice slice = {
        .edit = edit,
        .functions = calloc(edit->function_count + 1, sizeof(bool)),
        .out = malloc(edit->count * sizeof(uint32_t)),
    };
    bool good = slice.functions && slice.out;
    for (uint32_t i = 0; good && i < edit->functions_at; i++) {
        const struct spirv_instruction *item = &edit->items[i];
        if (item->op == SpvOpEntryPoint && item->words > 3 &&
            function_of(edit, edit->words[item->at + 2])) {
            slice_write(&slice, edit->words[item->at + 2]);
            good = give((const uint8_t *)slice.out, slice.count * sizeof(uint32_t));
        }
    }
    free(slice.functions);
    free(slice.out);
    return good;
}

bool spirv_slice(const uint8_t *bytes, size_t size, bool (*give)(const uint8_t *bytes, size_t size))
{
    static struct spirv_edit edit;
    uint32_t *copy = malloc(size + sizeof(*copy));
    if (!copy) {
        return false;
    }
    memcpy(copy, bytes, size);
    edit.words = copy;
    edit.count = edit.room = (uint32_t)(size / sizeof(uint32_t));
    bool good = !spirv_index(&edit) || kernels_slice(&edit, give);
    free(copy);
    return good;
}
