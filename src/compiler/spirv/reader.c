/* Reads the word stream of a SPIR-V module: header, byte order, and one pass over the instructions.
 * Each is handed to the file that reads its kind. See reader.h, state.h. */
#include "compiler/spirv/reader.h"

#include "compiler/ir/grammar.h"
#include "compiler/spirv/annotation.h"
#include "compiler/spirv/capability.h"
#include "compiler/spirv/constant.h"
#include "compiler/spirv/debug.h"
#include "compiler/spirv/entry_point.h"
#include "compiler/spirv/function.h"
#include "compiler/spirv/id.h"
#include "compiler/spirv/reference.h"
#include "compiler/spirv/type.h"
#include "compiler/spirv/variable.h"
#include "native/specialize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_WORDS 5u
#define MAX_BYTES    (UINT64_C(256) << 20)
#define MAX_VERSION  0x00010600u

/* Bound on a module's memory. It is linear in the input size, so that a small hostile input stays
 * small. */
#define ARENA_BASE     (UINT64_C(16) << 20)
#define ARENA_PER_BYTE 512u

/* ---- one instruction ---- */

static bool read_ext_import(struct spirv_reader *reader)
{
    uint32_t used;
    if (!spirv_need(reader, 2)) {
        return false;
    }
    const char *name = spirv_string(reader, reader->operands + 1, reader->length - 2, &used);
    struct spirv_id *entry = name ? spirv_define(reader, reader->operands[0]) : NULL;
    if (!entry) {
        return false;
    }
    if (strcmp(name, "OpenCL.std") == 0) {
        entry->kind = ID_EXT_OPENCL;
    } else if (spirv_debug_import(entry, name)) {
        return true;
    } else if (strncmp(name, "NonSemantic.", 12) == 0 || strstr(name, "DebugInfo") ||
               strcmp(name, "SPIRV.debug") == 0) {
        entry->kind = ID_EXT_IGNORED;
    } else {
        return spirv_error(reader, "instruction set \"%s\" is not supported", name);
    }
    return true;
}

static bool read_memory_model(struct spirv_reader *reader)
{
    if (!spirv_need(reader, 2)) {
        return false;
    }
    if (reader->operands[0] != SpvAddressingModelPhysical64) {
        return spirv_error(reader, "addressing model %u: only Physical64 is supported",
                           reader->operands[0]);
    }
    if (reader->operands[1] != SpvMemoryModelOpenCL) {
        return spirv_error(reader, "memory model %u: only OpenCL is supported",
                           reader->operands[1]);
    }
    reader->has_memory_model = true;
    return true;
}

static bool read_string(struct spirv_reader *reader)
{
    uint32_t used;
    if (!spirv_need(reader, 2)) {
        return false;
    }
    struct spirv_id *entry = spirv_define(reader, reader->operands[0]);
    if (!entry) {
        return false;
    }
    /* only debug information refers to strings, so they live as long as it */
    struct geo_ir_debug *debug = geo_ir_debug_get(reader->module);
    if (!debug) {
        return spirv_out_of_memory(reader);
    }
    entry->kind = ID_STRING;
    entry->string = spirv_string_in(reader, &debug->store->arena, reader->operands + 1,
                                    reader->length - 2, &used);
    return entry->string != NULL;
}

/* Reads an instruction that means the same inside and outside of functions. *handled: whether it
 * was one. */
static bool read_anywhere(struct spirv_reader *reader, bool *handled)
{
    *handled = true;
    switch (reader->op) {
    case SpvOpNop:
    case SpvOpSource:
    case SpvOpSourceContinued:
    case SpvOpSourceExtension:
    case SpvOpModuleProcessed:
    case SpvOpExtension:
        return true;
    case SpvOpNoLine:
        spirv_debug_no_line(reader);
        return true;
    case SpvOpLine:
        return spirv_debug_line(reader);
    case GEO_SPV_EXT_INST_WITH_FORWARD_REFS_KHR:
    case SpvOpExtInst: { /* debug information occurs on both levels */
        if (!spirv_need(reader, 4)) {
            return false;
        }
        struct spirv_id *set = spirv_id(reader, reader->operands[2]);
        if (!set) {
            return false;
        }
        if (set->kind == ID_EXT_DEBUG) {
            return spirv_debug_instruction(reader, set);
        }
        if (set->kind != ID_EXT_IGNORED) {
            *handled = false;
            return true;
        }
        struct spirv_id *result = spirv_define(reader, reader->operands[1]);
        if (result) {
            result->kind = ID_EXT_IGNORED;
        }
        return result != NULL;
    }
    default:
        *handled = false;
        return true;
    }
}

static bool read_module_level(struct spirv_reader *reader)
{
    const struct geo_grammar *grammar = geo_grammar_find(reader->op);
    uint32_t traits = grammar ? grammar->traits : 0;
    switch (reader->op) {
    case SpvOpCapability:
        return spirv_read_capability(reader);
    case SpvOpExtInstImport:
        return read_ext_import(reader);
    case SpvOpMemoryModel:
        return read_memory_model(reader);
    case SpvOpString:
        return read_string(reader);
    case SpvOpVariable:
        return spirv_read_variable(reader);
    case SpvOpFunction:
        return spirv_read_function(reader);
    case SpvOpAsmTargetINTEL: /* its target says "spir64" for every machine */
    case SpvOpAsmINTEL:
        return spirv_error(reader, "inline assembly is not supported");
    default:
        break;
    }
    if (traits & GEO_IS_ANNOTATION) {
        return spirv_read_annotation(reader);
    }
    if (traits & GEO_IS_TYPE) {
        return spirv_read_type(reader);
    }
    if (traits & GEO_IS_CONSTANT) {
        return spirv_read_constant(reader);
    }
    return spirv_error(reader, grammar ? "is not allowed outside of functions, or not supported"
                                       : "unknown opcode");
}

static bool read_instruction(struct spirv_reader *reader)
{
    bool handled;
    if (!read_anywhere(reader, &handled)) {
        return false;
    }
    if (handled) {
        return true;
    }
    return reader->function ? spirv_read_function(reader) : read_module_level(reader);
}

/* Returns the opcode that continues a long instruction (SPV_INTEL_long_composites), or 0 if it
 * cannot be continued. */
static uint32_t continuation(uint32_t op)
{
    switch (op) {
    case SpvOpTypeStruct:
        return SpvOpTypeStructContinuedINTEL;
    case SpvOpConstantComposite:
        return SpvOpConstantCompositeContinuedINTEL;
    case SpvOpSpecConstantComposite:
        return SpvOpSpecConstantCompositeContinuedINTEL;
    case SpvOpCompositeConstruct:
        return GEO_SPV_COMPOSITE_CONSTRUCT_CONTINUED_INTEL;
    default:
        return 0;
    }
}

/* Counts the words of the continuations from `at` on, without their first words. *next: the word
 * behind them. `kind` is the opcode of the continuation. */
static uint32_t continued_words(const struct spirv_reader *reader, uint32_t kind, size_t at,
                                size_t *next)
{
    uint32_t count = 0;
    for (; at < reader->word_count && (reader->words[at] & 0xFFFFu) == kind; at = *next) {
        uint32_t length = reader->words[at] >> 16;
        if (length == 0 || length > reader->word_count - at) {
            break; /* reading that instruction reports the error */
        }
        count += length - 1;
        *next = at + length;
    }
    return count;
}

/* Joins the current instruction with its continuations. *next: the word behind them. */
static bool instruction_join(struct spirv_reader *reader, size_t *next)
{
    uint32_t kind = continuation(reader->op);
    size_t first = *next;
    uint32_t more = kind ? continued_words(reader, kind, first, next) : 0;
    if (more == 0) {
        return true;
    }
    uint32_t own = reader->length - 1;
    uint32_t *joined = geo_arena_new_array(&reader->module->arena, uint32_t, (size_t)own + more);
    if (!joined) {
        return spirv_out_of_memory(reader);
    }
    memcpy(joined, reader->operands, own * sizeof(*joined));
    for (size_t at = first, to = own; at < *next; at += reader->words[at] >> 16) {
        uint32_t words = (reader->words[at] >> 16) - 1;
        memcpy(joined + to, reader->words + at + 1, words * sizeof(*joined));
        to += words;
    }
    reader->operands = joined;
    reader->length += more;
    return true;
}

static bool read_all(struct spirv_reader *reader)
{
    size_t at = HEADER_WORDS;
    while (at < reader->word_count) {
        uint32_t first = reader->words[at];
        reader->at = at;
        reader->op = first & 0xFFFFu;
        reader->length = first >> 16;
        reader->operands = reader->words + at + 1;
        if (reader->length == 0) {
            reader->length = 1; /* so that the message has the word offset */
            return spirv_error(reader, "has a word count of 0");
        }
        if (reader->length > reader->word_count - at) {
            return spirv_error(reader, "has %u words, but the module ends after %zu",
                               reader->length, reader->word_count - at);
        }
        at += reader->length;
        if (!instruction_join(reader, &at) || !read_instruction(reader)) {
            return false;
        }
    }
    reader->length = 0;
    spirv_debug_fill(reader);
    if (reader->function) {
        return spirv_error(reader, "the module ends inside of a function");
    }
    if (!reader->has_memory_model) {
        return spirv_error(reader, "the module has no OpMemoryModel");
    }
    return spirv_types_finish(reader) && spirv_functions_resolve(reader) &&
           spirv_entry_points_finish(reader);
}

/* ---- the module ---- */

static bool header_read(struct spirv_reader *reader)
{
    const uint32_t *header = reader->words;
    uint32_t version = header[1];
    if ((version & 0xFF0000FFu) || version < 0x00010000u || version > MAX_VERSION) {
        return spirv_error(reader, "SPIR-V version 0x%08x is not supported (1.0 to %u.%u)", version,
                           MAX_VERSION >> 16, (MAX_VERSION >> 8) & 0xFF);
    }
    if (header[3] == 0 || header[3] > GEO_SPIRV_MAX_ID_BOUND) {
        return spirv_error(reader, "id bound %u is not within 1 to %u", header[3],
                           GEO_SPIRV_MAX_ID_BOUND);
    }
    reader->id_bound = header[3];
    reader->module->version = version;
    reader->module->generator = header[2];
    reader->module->id_bound = header[3];
    return true;
}

/* Copies the module's words, which may have any alignment, in host byte order. Returns NULL with an
 * error. The caller frees the copy. */
static uint32_t *words_copy(struct spirv_reader *reader, const void *bytes, size_t size)
{
    if (size < HEADER_WORDS * 4 || size % 4 != 0 || size > MAX_BYTES) {
        spirv_error(reader, "%zu bytes are not a SPIR-V module", size);
        return NULL;
    }
    uint32_t *words = malloc(size);
    if (!words) {
        spirv_out_of_memory(reader);
        return NULL;
    }
    memcpy(words, bytes, size);
    if (words[0] == __builtin_bswap32(SpvMagicNumber)) {
        for (size_t i = 0; i < size / 4; i++) {
            words[i] = __builtin_bswap32(words[i]);
        }
    }
    if (words[0] != SpvMagicNumber) {
        spirv_error(reader, "not a SPIR-V module: it starts with 0x%08x", words[0]);
        free(words);
        return NULL;
    }
    return words;
}

static bool module_read(struct spirv_reader *reader, const void *bytes, size_t size)
{
    reader->module = geo_ir_module_create(ARENA_BASE + size * ARENA_PER_BYTE);
    if (!reader->module) {
        return spirv_out_of_memory(reader);
    }
    reader->words = words_copy(reader, bytes, size);
    reader->word_count = size / 4;
    if (!reader->words || !header_read(reader)) {
        return false;
    }
    reader->ids = calloc(reader->id_bound, sizeof(*reader->ids));
    return reader->ids ? read_all(reader) : spirv_out_of_memory(reader);
}

ze_result_t geo_spirv_read(const void *words, size_t bytes, struct geo_ir_module **out,
                           struct geo_strbuf *log)
{
    struct spirv_reader reader = {.log = log};
    *out = NULL;
    bool good = module_read(&reader, words, bytes);
    spirv_debug_finish(&reader);
    free((void *)reader.words);
    free(reader.ids);
    if (!good) {
        geo_ir_module_destroy(reader.module);
        return reader.out_of_memory ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY
                                    : ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    *out = reader.module;
    return ZE_RESULT_SUCCESS;
}
