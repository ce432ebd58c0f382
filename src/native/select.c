/* Selects the part of a SPIR-V module that some kernels need. See select.h.
 *
 *     functions  list the functions of the module, and find the kernels'
 *     reach      keep the kernels' functions, exported ones if wanted, and every function whose id
 *                occurs in a kept one
 *     mention    mark all ids that occur in what is kept
 *     copy       copy it, with the names and decorations of marked ids
 *
 * This needs no table of all instructions: a number that is a literal may be taken for an id, which
 * only keeps more than necessary. */
#include "native/select.h"

#include "native/specialize.h"
#include "native/words.h"

#include <stdlib.h>
#include <string.h>

/* The compiler inlines smaller functions, of about 100 instructions (transform/calls/inline.c). */
#define LARGE_WORDS 600u

/* A function: the words from OpFunction to OpFunctionEnd. */
struct function {
    size_t first, end;
    bool kept;
};

struct selection {
    uint32_t *words;
    size_t count; /* of words */
    uint32_t bound;
    size_t code; /* the first word of functions */
    struct function *functions;
    size_t function_count;
    uint32_t *numbers; /* [bound] 1 + the number of the function with the id; 0: another id */
    size_t *stack;     /* kept functions whose words have not been searched yet */
    size_t depth;
    uint8_t *mentioned; /* [bound] */
    uint8_t *wanted;    /* [bound] by id of the function: it is a kernel that is kept */
    uint32_t found;     /* how many of the named kernels there are */
    size_t called;      /* words of functions that are kept and probably not inlined */
    /* a kernel that requires a sub-group size, which matrices follow; 0: none */
    uint32_t model;
    bool exports; /* exported functions are kept */
};

static uint32_t op_of(const struct selection *selection, size_t at)
{
    return selection->words[at] & 0xFFFFu;
}

/* Returns the length of an instruction, or 0 if it is malformed. */
static uint32_t length_of(const struct selection *selection, size_t at)
{
    uint32_t length = selection->words[at] >> 16;
    return length <= selection->count - at ? length : 0;
}

/* Returns whether the operands from `first` on begin with this string. */
static bool string_is(const struct selection *selection, size_t at, uint32_t first,
                      const char *text)
{
    uint32_t length = length_of(selection, at);
    size_t bytes = strlen(text) + 1;
    return length > first && bytes <= (size_t)(length - first) * 4 &&
           memcmp(selection->words + at + first, text, bytes) == 0;
}

/* Returns whether an OpExtInstImport names a set of debug information, which refers to functions
 * and to everything in them. */
static bool imports_debug(const struct selection *selection, size_t at)
{
    const char *text = (const char *)(selection->words + at + 2);
    size_t bytes = (size_t)(length_of(selection, at) - 2) * 4;
    return memmem(text, bytes, "Debug", 5) != NULL || memmem(text, bytes, "debug", 5) != NULL;
}

/* Returns whether an instruction prevents a selection. A group of decorations may export functions,
 * and the address of a function is a constant, which stays. */
static bool prevents(const struct selection *selection, size_t at)
{
    uint32_t length = length_of(selection, at), op = op_of(selection, at);
    return length == 0 || op == SpvOpConstantFunctionPointerINTEL ||
           (op == SpvOpGroupDecorate && selection->exports) ||
           (op == SpvOpExtInstImport && (length < 3 || imports_debug(selection, at)));
}

/* Marks an entry point if it is one of the named kernels. */
static void entry_read(struct selection *selection, size_t at, uint32_t count,
                       const char *const *kernels)
{
    uint32_t id = length_of(selection, at) > 2 ? selection->words[at + 2] : 0;
    for (uint32_t i = 0; i < count && id && id < selection->bound; i++) {
        if (!selection->wanted[id] && string_is(selection, at, 3, kernels[i])) {
            selection->wanted[id] = 1;
            selection->found++;
        }
    }
}

/* Reads what precedes the functions. Returns false if nothing can be selected. */
static bool head_read(struct selection *selection, uint32_t count, const char *const *kernels)
{
    size_t at = GEO_SPIRV_HEADER_WORDS;
    bool matrices = false;
    while (at < selection->count && op_of(selection, at) != SpvOpFunction) {
        uint32_t length = length_of(selection, at), op = op_of(selection, at);
        if (prevents(selection, at)) {
            return false;
        }
        matrices |= op == GEO_SPIRV_OP_TYPE_MATRIX;
        if (op == SpvOpEntryPoint) {
            entry_read(selection, at, count, kernels);
        }
        if (op == SpvOpExecutionMode && length > 2 && !selection->model &&
            selection->words[at + 2] == SpvExecutionModeSubgroupSize) {
            selection->model = selection->words[at + 1];
        }
        at += length;
    }
    selection->code = at;
    if (matrices && selection->model && selection->model < selection->bound) {
        selection->wanted[selection->model] = 1;
    }
    return selection->found == count || selection->exports;
}

/* Lists the functions. Returns false if the words are not a sequence of functions. */
static bool functions_list(struct selection *selection)
{
    struct function *open = NULL;
    for (size_t at = selection->code; at < selection->count;) {
        uint32_t length = length_of(selection, at), op = op_of(selection, at);
        if (length == 0 || (op == SpvOpFunction) == (open != NULL)) {
            return false;
        }
        if (op == SpvOpFunction) {
            uint32_t id = length > 2 ? selection->words[at + 2] : 0;
            if (id == 0 || id >= selection->bound || selection->numbers[id]) {
                return false;
            }
            open = &selection->functions[selection->function_count];
            open->first = at;
            selection->numbers[id] = (uint32_t)++selection->function_count;
        }
        at += length;
        if (op == SpvOpFunctionEnd) {
            open->end = at;
            open = NULL;
        }
    }
    return !open;
}

static void function_keep(struct selection *selection, uint32_t id)
{
    uint32_t number = id < selection->bound ? selection->numbers[id] : 0;
    if (number && !selection->functions[number - 1].kept) {
        selection->functions[number - 1].kept = true;
        selection->stack[selection->depth++] = number - 1;
    }
}

/* Returns how many operands of an instruction may define an id or name a function. For frequent
 * instructions with literals these are at most the first two, type and result. */
static uint32_t operands_of(uint32_t op)
{
    switch (op) {
    case SpvOpCapability:
    case SpvOpMemoryModel:
        return 0;
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
    case SpvOpTypePointer:
        return 1;
    case SpvOpConstant:
    case SpvOpLine:
    case SpvOpVariable:
    case SpvOpLoad:
    case SpvOpStore:
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized:
    case SpvOpExtInst:
    case SpvOpFunction:
    case SpvOpVectorShuffle:
    case SpvOpCompositeExtract:
    case SpvOpCompositeInsert:
    case SpvOpLoopMerge:
    case SpvOpSelectionMerge:
    case SpvOpBranchConditional:
    case SpvOpSwitch:
        return 2;
    default:
        return UINT32_MAX;
    }
}

/* Calls `visit` with each operand of an instruction that may be an id of interest. */
static void operands_visit(struct selection *selection, size_t at,
                           void (*visit)(struct selection *selection, uint32_t word))
{
    uint32_t length = selection->words[at] >> 16, count = operands_of(op_of(selection, at));
    for (uint32_t i = 1; i < length && i - 1 < count; i++) {
        visit(selection, selection->words[at + i]);
    }
}

static void mention(struct selection *selection, uint32_t id)
{
    if (id < selection->bound) {
        selection->mentioned[id] = 1;
    }
}

static void keep_and_mention(struct selection *selection, uint32_t id)
{
    mention(selection, id);
    function_keep(selection, id);
}

/* Returns whether an instruction exports what its first operand names, also weakly. */
static bool is_export(const struct selection *selection, size_t at)
{
    uint32_t length = selection->words[at] >> 16;
    return op_of(selection, at) == SpvOpDecorate && length > 4 &&
           selection->words[at + 2] == SpvDecorationLinkageAttributes &&
           selection->words[at + length - 1] != SpvLinkageTypeImport;
}

static void exports_keep(struct selection *selection)
{
    for (size_t at = GEO_SPIRV_HEADER_WORDS; at < selection->code;
         at += selection->words[at] >> 16) {
        if (is_export(selection, at)) {
            function_keep(selection, selection->words[at + 1]);
        }
    }
}

static void functions_reach(struct selection *selection)
{
    for (uint32_t id = 0; id < selection->bound; id++) {
        if (selection->wanted[id]) {
            function_keep(selection, id);
        }
    }
    if (selection->exports) {
        exports_keep(selection);
    }
    while (selection->depth) {
        const struct function *function =
            &selection->functions[selection->stack[--selection->depth]];
        for (size_t at = function->first; at < function->end; at += selection->words[at] >> 16) {
            operands_visit(selection, at, keep_and_mention);
        }
    }
}

/* Returns whether an instruction describes only its first operand. */
static bool describes(uint32_t op)
{
    switch (op) {
    case SpvOpName:
    case SpvOpMemberName:
    case SpvOpDecorate:
    case SpvOpDecorateId:
    case SpvOpDecorateString:
    case SpvOpMemberDecorate:
    case SpvOpMemberDecorateString:
        return true;
    default:
        return false;
    }
}

static bool is_other_kernel(const struct selection *selection, uint32_t function)
{
    return function >= selection->bound || !selection->wanted[function];
}

/* Returns whether an instruction before the functions belongs to other kernels. */
static bool is_foreign(const struct selection *selection, size_t at)
{
    uint32_t op = op_of(selection, at), length = selection->words[at] >> 16;
    if (op == SpvOpEntryPoint) {
        return length > 2 && is_other_kernel(selection, selection->words[at + 2]);
    }
    if (op == SpvOpExecutionMode || op == SpvOpExecutionModeId) {
        return length > 1 && is_other_kernel(selection, selection->words[at + 1]);
    }
    return describes(op) && length > 1 && selection->words[at + 1] < selection->bound &&
           !selection->mentioned[selection->words[at + 1]];
}

/* Marks the ids of types, constants and variables. A decoration may refer to further ids. */
static void head_mention(struct selection *selection)
{
    for (size_t at = GEO_SPIRV_HEADER_WORDS; at < selection->code;
         at += selection->words[at] >> 16) {
        uint32_t op = op_of(selection, at);
        if (!describes(op) && op != SpvOpEntryPoint && op != SpvOpExecutionMode &&
            op != SpvOpExecutionModeId) {
            operands_visit(selection, at, mention);
        }
    }
}

/* Moves what is kept to the front. Returns the number of its words. */
static size_t words_pack(struct selection *selection)
{
    size_t to = GEO_SPIRV_HEADER_WORDS;
    for (size_t at = GEO_SPIRV_HEADER_WORDS, length; at < selection->code; at += length) {
        length = selection->words[at] >> 16;
        if (!is_foreign(selection, at)) {
            memmove(selection->words + to, selection->words + at, length * sizeof(uint32_t));
            to += length;
        }
    }
    for (size_t i = 0; i < selection->function_count; i++) {
        const struct function *function = &selection->functions[i];
        size_t length = function->kept ? function->end - function->first : 0;
        memmove(selection->words + to, selection->words + function->first,
                length * sizeof(uint32_t));
        to += length;
    }
    return to;
}

/* Counts the words of functions that stay functions: those that must not be inlined, and large
 * ones, unless they are to be inlined. */
static void called_count(struct selection *selection)
{
    for (size_t i = 0; i < selection->function_count; i++) {
        const struct function *function = &selection->functions[i];
        uint32_t length = selection->words[function->first] >> 16;
        uint32_t id = selection->words[function->first + 2];
        uint32_t control = length > 3 ? selection->words[function->first + 3] : 0;
        size_t words = function->end - function->first;
        bool stays = (control & SpvFunctionControlDontInlineMask) ||
                     (words > LARGE_WORDS && !(control & SpvFunctionControlInlineMask));
        if (function->kept && stays && !selection->wanted[id]) {
            selection->called += words;
        }
    }
}

static size_t functions_count(const struct selection *selection)
{
    size_t count = 0;
    for (size_t at = selection->code, length; at < selection->count; at += length) {
        length = selection->words[at] >> 16;
        count += op_of(selection, at) == SpvOpFunction;
        if (length == 0) {
            break;
        }
    }
    return count;
}

static bool selection_alloc(struct selection *selection)
{
    size_t most = functions_count(selection);
    selection->functions = calloc(most + 1, sizeof(*selection->functions));
    selection->stack = calloc(most + 1, sizeof(*selection->stack));
    selection->numbers = calloc(selection->bound, sizeof(*selection->numbers));
    selection->mentioned = calloc(selection->bound, 1);
    return selection->functions && selection->stack && selection->numbers && selection->mentioned;
}

static bool kernels_are_functions(const struct selection *selection)
{
    for (uint32_t id = 0; id < selection->bound; id++) {
        if (selection->wanted[id] && !selection->numbers[id]) {
            return false;
        }
    }
    return true;
}

/* Reduces the words to those that the kernels need. Returns false when memory runs out. */
static bool words_select(struct selection *selection, uint32_t count, const char *const *kernels)
{
    selection->bound = selection->count < GEO_SPIRV_HEADER_WORDS ? 0 : selection->words[3];
    if (selection->bound == 0 || selection->words[0] != SpvMagicNumber ||
        selection->bound > GEO_SPIRV_MAX_ID_BOUND) {
        return true;
    }
    selection->wanted = calloc(selection->bound, 1);
    if (!selection->wanted) {
        return false;
    }
    if (!head_read(selection, count, kernels)) {
        return true;
    }
    if (!selection_alloc(selection)) {
        return false;
    }
    if (functions_list(selection) && kernels_are_functions(selection)) {
        functions_reach(selection);
        head_mention(selection);
        called_count(selection);
        selection->count = words_pack(selection);
    }
    return true;
}

bool geo_spirv_select(const void *bytes, size_t size, uint32_t count, const char *const *kernels,
                      bool exports, uint32_t **out, size_t *out_bytes, size_t *called_bytes)
{
    struct selection selection = {.words = malloc(size + 1), .count = size / 4, .exports = exports};
    if (!selection.words) {
        return false;
    }
    memcpy(selection.words, bytes, size);
    geo_spirv_words_to_host(selection.words, selection.count);
    bool good = words_select(&selection, count, kernels);
    free(selection.functions);
    free(selection.stack);
    free(selection.numbers);
    free(selection.mentioned);
    free(selection.wanted);
    if (!good) {
        free(selection.words);
        return false;
    }
    if (called_bytes) {
        *called_bytes = selection.called * sizeof(uint32_t);
    }
    *out = selection.words;
    *out_bytes = selection.count == size / 4 ? size : selection.count * sizeof(uint32_t);
    return true;
}
