/* Reads kernels and their arguments from SPIR-V. The module is not trusted: it is read from its
 * beginning to its end, and every index is checked. */
#include "opencl/spirv.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC       0x07230203u
#define HEADER      5u
#define BOUND_LIMIT (1u << 24)
#define BYTES_LIMIT ((size_t)1 << 30)

enum {
    OP_NAME = 5,
    OP_STRING = 7,
    OP_ENTRY_POINT = 15,
    OP_EXECUTION_MODE = 16,
    OP_TYPE_BOOL = 20,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_TYPE_VECTOR = 23,
    OP_TYPE_IMAGE = 25,
    OP_TYPE_SAMPLER = 26,
    OP_TYPE_ARRAY = 28,
    OP_TYPE_STRUCT = 30,
    OP_TYPE_POINTER = 32,
    OP_CONSTANT = 43,
    OP_SPEC_CONSTANT_TRUE = 48,
    OP_SPEC_CONSTANT_FALSE = 49,
    OP_SPEC_CONSTANT = 50,
    OP_FUNCTION = 54,
    OP_FUNCTION_PARAMETER = 55,
    OP_DECORATE = 71,

    MODE_LOCAL_SIZE = 17,
    MODE_LOCAL_SIZE_HINT = 18,
    MODE_VECTOR_HINT = 30,
    MODE_SUBGROUP_SIZE = 35,

    DECORATION_SPEC_ID = 1,
    DECORATION_PACKED = 10,
    DECORATION_VOLATILE = 21,
    DECORATION_ATTRIBUTE = 38,

    ATTRIBUTE_NO_ALIAS = 4,
    ATTRIBUTE_NO_WRITE = 6,

    MODEL_KERNEL = 6,

    STORAGE_CONSTANT = 0,
    STORAGE_WORKGROUP = 4,
    STORAGE_FUNCTION = 7,
};

/* Facts about an id that decorations give. */
enum {
    IS_PACKED = 1,
    IS_RESTRICT = 2,
    IS_CONST = 4,
    IS_VOLATILE = 8,
};

struct layout {
    size_t bytes, alignment;
};

struct reader {
    const uint32_t *words;
    uint32_t count, bound;
    uint32_t *places;       /* by id: the instruction that defines a type or constant; 0: none */
    uint32_t *names;        /* by id: OpName; 0: none */
    uint8_t *facts;         /* by id */
    struct layout *layouts; /* by id, of types */
    struct geo_ocl_functions *functions;
    size_t first;                  /* of this module's functions */
    struct geo_ocl_function *open; /* the kernel whose parameters follow */
    uint32_t parameter;
};

static uint32_t opcode(uint32_t word)
{
    return word & 0xffffu;
}

static uint32_t length(uint32_t word)
{
    return word >> 16;
}

/* Returns the text that begins at word `at` of an instruction of `count` words, or NULL if it does
 * not end there. The caller frees it. */
static char *text_read(const uint32_t *instruction, uint32_t at, uint32_t count)
{
    if (at >= count) {
        return NULL;
    }
    const char *text = (const char *)(instruction + at);
    size_t most = (count - at) * sizeof(uint32_t);
    size_t bytes = strnlen(text, most);
    return bytes < most ? strndup(text, bytes) : NULL;
}

/* Returns the instruction that defines a type or constant, or NULL. */
static const uint32_t *definition(const struct reader *reader, uint32_t id)
{
    return id < reader->bound && reader->places[id] ? reader->words + reader->places[id] : NULL;
}

/* Returns the size and alignment of a type in memory; size 0: unknown. Types precede their uses, so
 * each is computed once, when it is read. */
static struct layout type_layout(const struct reader *reader, uint32_t id)
{
    return id < reader->bound && reader->layouts[id].bytes ? reader->layouts[id]
                                                           : (struct layout){0, 1};
}

static struct layout struct_layout(const struct reader *reader, const uint32_t *type)
{
    struct layout all = {0, 1};
    bool is_packed = reader->facts[type[1]] & IS_PACKED;
    for (uint32_t i = 2; i < length(type[0]); i++) {
        struct layout member = type_layout(reader, type[i]);
        size_t alignment = is_packed ? 1 : member.alignment;
        all.bytes = (all.bytes + alignment - 1) / alignment * alignment + member.bytes;
        all.alignment = alignment > all.alignment ? alignment : all.alignment;
        if (member.bytes == 0 || all.bytes > BYTES_LIMIT) {
            return (struct layout){0, 1};
        }
    }
    all.bytes = (all.bytes + all.alignment - 1) / all.alignment * all.alignment;
    return all;
}

static struct layout array_layout(const struct reader *reader, const uint32_t *type)
{
    const uint32_t *count = definition(reader, type[3]);
    struct layout part = type_layout(reader, type[2]);
    if (count && opcode(count[0]) == OP_CONSTANT && length(count[0]) >= 4 &&
        count[3] <= BYTES_LIMIT / (part.bytes ? part.bytes : 1)) {
        return (struct layout){part.bytes * count[3], part.alignment};
    }
    return (struct layout){0, 1};
}

/* Computes the layout of a type, whose instruction has at least 2 words. */
static struct layout layout_compute(const struct reader *reader, const uint32_t *type)
{
    uint32_t words = length(type[0]);
    switch (opcode(type[0])) {
    case OP_TYPE_BOOL:
        return (struct layout){1, 1};
    case OP_TYPE_INT:
    case OP_TYPE_FLOAT:
        if (words >= 3 && type[2] >= 8 && type[2] <= 64) {
            return (struct layout){type[2] / 8, type[2] / 8};
        }
        break;
    case OP_TYPE_VECTOR:
        if (words >= 4 && type[3] <= 16) {
            struct layout part = type_layout(reader, type[2]);
            size_t bytes = part.bytes * (type[3] == 3 ? 4 : type[3]);
            return (struct layout){bytes, bytes ? bytes : 1};
        }
        break;
    case OP_TYPE_ARRAY:
        return words >= 4 ? array_layout(reader, type) : (struct layout){0, 1};
    case OP_TYPE_STRUCT:
        return struct_layout(reader, type);
    case OP_TYPE_POINTER:
        return (struct layout){8, 8};
    default:
        break;
    }
    return (struct layout){0, 1};
}

static struct geo_ocl_function *function_of(struct reader *reader, uint32_t id)
{
    for (size_t i = reader->first; i < reader->functions->count; i++) {
        if (reader->functions->items[i].id == id) {
            return &reader->functions->items[i];
        }
    }
    return NULL;
}

/* Describes a parameter by its type. */
static void argument_describe(const struct reader *reader, uint32_t type_id, uint32_t id,
                              struct geo_ocl_argument *argument)
{
    static const enum geo_ocl_access accesses[] = {GEO_OCL_READ_ONLY, GEO_OCL_WRITE_ONLY,
                                                   GEO_OCL_READ_WRITE};
    const uint32_t *type = definition(reader, type_id);
    uint8_t facts = id < reader->bound ? reader->facts[id] : 0;
    *argument = (struct geo_ocl_argument){.kind = GEO_OCL_VALUE, .access = GEO_OCL_NO_ACCESS};
    if (id < reader->bound && reader->names[id]) {
        const uint32_t *name = reader->words + reader->names[id];
        argument->name = text_read(name, 2, length(name[0]));
    }
    if (!type) {
        return;
    }
    if (opcode(type[0]) == OP_TYPE_IMAGE) {
        bool has_access = length(type[0]) >= 10 && type[9] < 3;
        argument->kind = GEO_OCL_IMAGE;
        argument->access = has_access ? accesses[type[9]] : GEO_OCL_READ_ONLY;
        argument->bytes = sizeof(void *);
    } else if (opcode(type[0]) == OP_TYPE_SAMPLER) {
        argument->kind = GEO_OCL_SAMPLED;
        argument->bytes = sizeof(void *);
    } else if (opcode(type[0]) == OP_TYPE_POINTER && length(type[0]) >= 4 &&
               type[2] != STORAGE_FUNCTION) {
        argument->kind = type[2] == STORAGE_WORKGROUP  ? GEO_OCL_LOCAL
                         : type[2] == STORAGE_CONSTANT ? GEO_OCL_CONSTANT
                                                       : GEO_OCL_GLOBAL;
        argument->bytes = sizeof(void *);
        argument->is_restrict = facts & IS_RESTRICT;
        argument->is_volatile = facts & IS_VOLATILE;
        argument->is_const = (facts & IS_CONST) || argument->kind == GEO_OCL_CONSTANT;
    } else if (opcode(type[0]) == OP_TYPE_POINTER && length(type[0]) >= 4) {
        argument->bytes = type_layout(reader, type[3]).bytes; /* by value */
    } else {
        argument->bytes = type_layout(reader, type_id).bytes;
    }
}

static bool entry_point(struct reader *reader, const uint32_t *instruction, uint32_t words)
{
    if (words < 4 || instruction[1] != MODEL_KERNEL) {
        return true;
    }
    if (!geo_array_reserve(reader->functions, 1)) {
        return false;
    }
    char *name = text_read(instruction, 3, words);
    if (!name) {
        return false;
    }
    reader->functions->items[reader->functions->count++] =
        (struct geo_ocl_function){.name = name, .id = instruction[2]};
    return true;
}

static void execution_mode(struct reader *reader, const uint32_t *instruction, uint32_t words)
{
    struct geo_ocl_function *function = words >= 4 ? function_of(reader, instruction[1]) : NULL;
    if (!function) {
        return;
    }
    bool is_hint = instruction[2] == MODE_LOCAL_SIZE_HINT;
    if ((is_hint || instruction[2] == MODE_LOCAL_SIZE) && words >= 6) {
        memcpy(is_hint ? function->local_hint : function->local_size, instruction + 3,
               sizeof(function->local_size));
    } else if (instruction[2] == MODE_VECTOR_HINT) {
        function->vector_hint = instruction[3];
    } else if (instruction[2] == MODE_SUBGROUP_SIZE) {
        function->subgroup_size = instruction[3];
    }
}

static void decorate(struct reader *reader, const uint32_t *instruction, uint32_t words)
{
    if (words < 3 || instruction[1] >= reader->bound) {
        return;
    }
    uint8_t *facts = &reader->facts[instruction[1]];
    if (instruction[2] == DECORATION_PACKED) {
        *facts |= IS_PACKED;
    } else if (instruction[2] == DECORATION_VOLATILE) {
        *facts |= IS_VOLATILE;
    } else if (instruction[2] == DECORATION_ATTRIBUTE && words >= 4) {
        *facts |= instruction[3] == ATTRIBUTE_NO_ALIAS   ? IS_RESTRICT
                  : instruction[3] == ATTRIBUTE_NO_WRITE ? IS_CONST
                                                         : 0;
    }
}

static bool parameter(struct reader *reader, const uint32_t *instruction, uint32_t words)
{
    struct geo_ocl_function *function = reader->open;
    if (!function || words < 3) {
        return true;
    }
    struct geo_ocl_argument *grown =
        realloc(function->arguments, (function->argument_count + 1) * sizeof(*grown));
    if (!grown) {
        return false;
    }
    function->arguments = grown;
    argument_describe(reader, instruction[1], instruction[2], &grown[function->argument_count++]);
    return true;
}

/* Reads "kernel_arg_type.NAME.int*,float," which llvm-spirv writes. It precedes the parameters, so
 * it is kept as the name of the first one until all have been read. */
static void type_names(struct reader *reader, const uint32_t *instruction, uint32_t words)
{
    static const char prefix[] = "kernel_arg_type.";
    char *text = text_read(instruction, 2, words);
    for (size_t i = reader->first; text && i < reader->functions->count; i++) {
        struct geo_ocl_function *function = &reader->functions->items[i];
        size_t named = strlen(function->name);
        if (strncmp(text, prefix, sizeof(prefix) - 1) != 0 ||
            strncmp(text + sizeof(prefix) - 1, function->name, named) != 0 ||
            text[sizeof(prefix) - 1 + named] != '.') {
            continue;
        }
        char *at = text + sizeof(prefix) + named;
        for (uint32_t k = 0; k < function->argument_count && *at; k++) {
            size_t bytes = strcspn(at, ",");
            free(function->arguments[k].type_name);
            function->arguments[k].type_name = strndup(at, bytes);
            at += bytes + (at[bytes] == ',');
        }
    }
    free(text);
}

static bool instruction_read(struct reader *reader, uint32_t at)
{
    const uint32_t *instruction = reader->words + at;
    uint32_t words = length(instruction[0]);
    uint32_t kind = opcode(instruction[0]);
    switch (kind) {
    case OP_ENTRY_POINT:
        return entry_point(reader, instruction, words);
    case OP_EXECUTION_MODE:
        execution_mode(reader, instruction, words);
        return true;
    case OP_NAME:
        if (words >= 3 && instruction[1] < reader->bound) {
            reader->names[instruction[1]] = at;
        }
        return true;
    case OP_DECORATE:
        decorate(reader, instruction, words);
        return true;
    case OP_CONSTANT:
        if (words >= 4 && instruction[2] < reader->bound) {
            reader->places[instruction[2]] = at;
        }
        return true;
    case OP_FUNCTION:
        reader->open = words >= 5 ? function_of(reader, instruction[2]) : NULL;
        return true;
    case OP_FUNCTION_PARAMETER:
        return parameter(reader, instruction, words);
    default:
        if (kind >= OP_TYPE_BOOL && kind <= OP_TYPE_POINTER && words >= 2 &&
            instruction[1] < reader->bound) {
            reader->places[instruction[1]] = at;
            reader->layouts[instruction[1]] = layout_compute(reader, instruction);
        }
        return true;
    }
}

/* Calls instruction_read for each instruction, or looks for type names alone. */
static bool instructions_read(struct reader *reader, bool names_alone)
{
    for (uint32_t at = HEADER; at < reader->count;) {
        uint32_t words = length(reader->words[at]);
        if (words == 0 || words > reader->count - at) {
            return false;
        }
        if (!names_alone && !instruction_read(reader, at)) {
            return false;
        }
        if (names_alone && opcode(reader->words[at]) == OP_STRING) {
            type_names(reader, reader->words + at, words);
        }
        at += words;
    }
    return true;
}

bool geo_ocl_spirv_read(const void *bytes, size_t count, struct geo_ocl_functions *functions)
{
    struct reader reader = {.words = bytes,
                            .count = (uint32_t)(count / sizeof(uint32_t)),
                            .functions = functions,
                            .first = functions->count};
    if (count / sizeof(uint32_t) < HEADER || count / sizeof(uint32_t) > UINT32_MAX ||
        reader.words[0] != MAGIC || reader.words[3] > BOUND_LIMIT) {
        return false;
    }
    reader.bound = reader.words[3];
    reader.places = calloc(reader.bound + 1u, sizeof(*reader.places));
    reader.names = calloc(reader.bound + 1u, sizeof(*reader.names));
    reader.facts = calloc(reader.bound + 1u, sizeof(*reader.facts));
    reader.layouts = calloc(reader.bound + 1u, sizeof(*reader.layouts));
    bool good = reader.places && reader.names && reader.facts && reader.layouts &&
                instructions_read(&reader, false) && instructions_read(&reader, true);
    free(reader.places);
    free(reader.names);
    free(reader.facts);
    free(reader.layouts);
    return good;
}

void geo_ocl_spirv_finish(struct geo_ocl_functions *functions)
{
    for (size_t i = 0; i < functions->count; i++) {
        struct geo_ocl_function *function = &functions->items[i];
        for (uint32_t k = 0; k < function->argument_count; k++) {
            free(function->arguments[k].name);
            free(function->arguments[k].type_name);
        }
        free(function->arguments);
        free(function->name);
    }
    geo_array_finish(functions);
}

uint32_t geo_ocl_spirv_constant(const void *bytes, size_t count, uint32_t id)
{
    const uint32_t *words = bytes;
    size_t total = count / sizeof(uint32_t);
    uint32_t target = 0, type = 0;
    if (total < HEADER || words[0] != MAGIC) {
        return 0;
    }
    for (size_t at = HEADER, next; at < total; at = next) {
        uint32_t size = length(words[at]), kind = opcode(words[at]);
        next = at + size;
        if (size == 0 || next > total) {
            return 0;
        }
        if (kind == OP_DECORATE && size >= 4 && words[at + 2] == DECORATION_SPEC_ID &&
            words[at + 3] == id) {
            target = words[at + 1];
        } else if (target && size >= 3 && words[at + 2] == target &&
                   (kind == OP_SPEC_CONSTANT_TRUE || kind == OP_SPEC_CONSTANT_FALSE)) {
            return 8;
        } else if (target && size >= 4 && words[at + 2] == target && kind == OP_SPEC_CONSTANT) {
            type = words[at + 1];
        }
    }
    for (size_t at = HEADER; type && at < total && length(words[at]); at += length(words[at])) {
        uint32_t kind = opcode(words[at]);
        if ((kind == OP_TYPE_INT || kind == OP_TYPE_FLOAT) && length(words[at]) >= 3 &&
            words[at + 1] == type) {
            return words[at + 2];
        }
    }
    return 0;
}
