/* SPIR-V written by tests. See words.h. */
#include "words.h"

#include "compiler/spirv/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void put(struct words_part *part, uint32_t word)
{
    assert_true(part->count < WORDS_LIMIT);
    part->words[part->count++] = word;
}

static void put_all(struct words_part *part, uint32_t op, uint32_t count, const uint32_t *operands)
{
    put(part, (count + 1) << 16 | op);
    for (uint32_t i = 0; i < count; i++) {
        put(part, operands[i]);
    }
}

uint32_t words_id(struct words *w)
{
    return w->bound++;
}

void words_capability(struct words *w, uint32_t capability)
{
    put_all(&w->head, SpvOpCapability, 1, &capability);
}

void words_begin(struct words *w)
{
    static const uint32_t capabilities[] = {
        SpvCapabilityAddresses, SpvCapabilityKernel,  SpvCapabilityInt64,   SpvCapabilityInt16,
        SpvCapabilityInt8,      SpvCapabilityFloat16, SpvCapabilityFloat64, SpvCapabilityVector16};
    memset(w, 0, sizeof(*w));
    w->bound = 1;
    for (size_t i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]); i++) {
        words_capability(w, capabilities[i]);
    }
}

/* ---- types and constants ---- */

/* The id of what begins at a word of `types`; `typed`: a type stands before it. */
static uint32_t known_id(const struct words *w, uint32_t at, bool typed)
{
    return w->types.words[at + 1 + typed];
}

/* operands: those behind the result. */
static uint32_t known_find(struct words *w, uint32_t op, uint32_t type, uint32_t count,
                           const uint32_t *operands)
{
    uint32_t head = 2u + (type != 0);
    for (uint32_t i = 0; i < w->known_count; i++) {
        const uint32_t *words = w->types.words + w->known[i];
        if (words[0] == ((count + head) << 16 | op) && (!type || words[1] == type) &&
            memcmp(words + head, operands, count * sizeof(*operands)) == 0) {
            return known_id(w, w->known[i], type != 0);
        }
    }
    assert_true(w->known_count < WORDS_KNOWN);
    w->known[w->known_count++] = w->types.count;
    uint32_t id = words_id(w);
    put(&w->types, (count + head) << 16 | op);
    if (type) {
        put(&w->types, type);
    }
    put(&w->types, id);
    for (uint32_t i = 0; i < count; i++) {
        put(&w->types, operands[i]);
    }
    return id;
}

uint32_t words_type(struct words *w, uint32_t op, uint32_t count, const uint32_t *operands)
{
    return known_find(w, op, 0, count, operands);
}

uint32_t words_int(struct words *w, uint32_t width)
{
    return words_type(w, SpvOpTypeInt, 2, (const uint32_t[]){width, 0});
}

uint32_t words_float(struct words *w, uint32_t width)
{
    return words_type(w, SpvOpTypeFloat, 1, &width);
}

uint32_t words_vector(struct words *w, uint32_t element, uint32_t count)
{
    return words_type(w, SpvOpTypeVector, 2, (const uint32_t[]){element, count});
}

uint32_t words_pointer(struct words *w, uint32_t storage, uint32_t element)
{
    return words_type(w, SpvOpTypePointer, 2, (const uint32_t[]){storage, element});
}

uint32_t words_constant(struct words *w, uint32_t type, uint64_t bits, uint32_t width)
{
    const uint32_t words[] = {(uint32_t)bits, (uint32_t)(bits >> 32)};
    return known_find(w, SpvOpConstant, type, width > 32 ? 2 : 1, words);
}

uint32_t words_i32(struct words *w, uint32_t value)
{
    return words_constant(w, words_int(w, 32), value, 32);
}

/* ---- kernels ---- */

static uint32_t string_words(const char *text, uint32_t *words, uint32_t limit)
{
    size_t bytes = strlen(text) + 1;
    uint32_t count = (uint32_t)(bytes + 3) / 4;
    assert_true(count <= limit);
    memset(words, 0, count * sizeof(*words));
    memcpy(words, text, bytes);
    return count;
}

static uint32_t function_begin(struct words *w, const uint32_t *parameters, uint32_t count)
{
    uint32_t types[16], nothing = words_type(w, SpvOpTypeVoid, 0, NULL);
    assert_true(count < 16 && !w->in_kernel);
    types[0] = nothing;
    if (count) {
        memcpy(types + 1, parameters, count * sizeof(*types));
    }
    uint32_t type = words_type(w, SpvOpTypeFunction, count + 1, types), id = words_id(w);
    put_all(&w->code, SpvOpFunction, 4,
            (const uint32_t[]){nothing, id, SpvFunctionControlMaskNone, type});
    w->in_kernel = true;
    return id;
}

/* The interface of the entry point is empty: before SPIR-V 1.4 built-ins of OpenCL need not be
 * named. */
uint32_t words_kernel(struct words *w, const char *name, const uint32_t *parameters, uint32_t count)
{
    uint32_t words[32] = {SpvExecutionModelKernel};
    uint32_t id = words[1] = function_begin(w, parameters, count), first = w->bound;
    put_all(&w->head, SpvOpEntryPoint, 2 + string_words(name, words + 2, 30), words);
    for (uint32_t i = 0; i < count; i++) {
        put_all(&w->code, SpvOpFunctionParameter, 2,
                (const uint32_t[]){parameters[i], words_id(w)});
    }
    put_all(&w->code, SpvOpLabel, 1, (const uint32_t[]){words_id(w)});
    w->kernel = id;
    return first;
}

void words_mode(struct words *w, uint32_t mode, uint32_t count, const uint32_t *literals)
{
    uint32_t words[8] = {w->kernel, mode};
    memcpy(words + 2, literals, count * sizeof(*literals));
    put_all(&w->modes, SpvOpExecutionMode, count + 2, words);
}

uint32_t words_op(struct words *w, uint32_t op, uint32_t type, uint32_t count,
                  const uint32_t *operands)
{
    uint32_t id = words_id(w);
    put(&w->code, (count + 3) << 16 | op);
    put(&w->code, type);
    put(&w->code, id);
    for (uint32_t i = 0; i < count; i++) {
        put(&w->code, operands[i]);
    }
    return id;
}

void words_do(struct words *w, uint32_t op, uint32_t count, const uint32_t *operands)
{
    put_all(&w->code, op, count, operands);
}

void words_decorate(struct words *w, uint32_t id, uint32_t decoration, uint32_t literal)
{
    put_all(&w->modes, SpvOpDecorate, 3, (const uint32_t[]){id, decoration, literal});
}

uint32_t words_builtin(struct words *w, uint32_t builtin, uint32_t type)
{
    uint32_t pointer = words_pointer(w, SpvStorageClassInput, type), variable = words_id(w);
    words_decorate(w, variable, SpvDecorationBuiltIn, builtin);
    put_all(&w->types, SpvOpVariable, 3,
            (const uint32_t[]){pointer, variable, SpvStorageClassInput});
    return words_op(w, SpvOpLoad, type, 1, &variable);
}

void words_end(struct words *w)
{
    put_all(&w->code, SpvOpReturn, 0, NULL);
    put_all(&w->code, SpvOpFunctionEnd, 0, NULL);
    w->in_kernel = false;
}

/* ---- the module ---- */

static void append(struct words_part *out, const struct words_part *part)
{
    for (uint32_t i = 0; i < part->count; i++) {
        put(out, part->words[i]);
    }
}

/* Entry points stand among the capabilities: they are put behind the memory model. */
static void append_head(struct words_part *out, const struct words_part *head, bool entries)
{
    for (uint32_t at = 0; at < head->count; at += head->words[at] >> 16) {
        bool entry = (head->words[at] & 0xffff) == SpvOpEntryPoint;
        for (uint32_t i = 0; entry == entries && i < head->words[at] >> 16; i++) {
            put(out, head->words[at + i]);
        }
    }
}

/* Modes before decorations. */
static void append_modes(struct words_part *out, const struct words_part *modes, uint32_t op)
{
    for (uint32_t at = 0; at < modes->count; at += modes->words[at] >> 16) {
        for (uint32_t i = 0; (modes->words[at] & 0xffff) == op && i < modes->words[at] >> 16; i++) {
            put(out, modes->words[at + i]);
        }
    }
}

void words_finish(struct words *w, struct words_part *out)
{
    const uint32_t head[] = {SpvMagicNumber, 0x00010300, 0, w->bound, 0};
    out->count = 0;
    for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++) {
        put(out, head[i]);
    }
    append_head(out, &w->head, false);
    put_all(out, SpvOpMemoryModel, 2,
            (const uint32_t[]){SpvAddressingModelPhysical64, SpvMemoryModelOpenCL});
    append_head(out, &w->head, true);
    append_modes(out, &w->modes, SpvOpExecutionMode);
    append_modes(out, &w->modes, SpvOpDecorate);
    append(out, &w->types);
    append(out, &w->code);
}

struct geo_ir_module *words_model(struct words *w)
{
    struct words_part *all = malloc(sizeof(*all));
    struct geo_ir_module *module = NULL;
    struct geo_strbuf log;
    assert_non_null(all);
    words_finish(w, all);
    geo_strbuf_init(&log, 0);
    if (geo_spirv_read(all->words, all->count * sizeof(all->words[0]), &module, &log) !=
        ZE_RESULT_SUCCESS) {
        fail_msg("%s", geo_strbuf_text(&log));
    }
    geo_strbuf_finish(&log);
    free(all);
    return module;
}
