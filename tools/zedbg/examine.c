/* Prints memory. See examine.h. */
#include "examine.h"

#include "command.h"
#include "disassemble.h"
#include "error.h"
#include "memory.h"
#include "print.h"
#include "view.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_LIMIT       100000
#define INSTRUCTION_BYTES 15

struct request {
    uint64_t count;
    char format;
    uint64_t size; /* of an element */
    bool local;    /* local memory of the work-group */
    uint64_t address;
};

static bool format_read(const char *text, struct request *request)
{
    static const char sizes[] = "bhwg";
    char *end = (char *)text;
    if (isdigit((unsigned char)*text)) {
        request->count = strtoull(text, &end, 10);
    }
    if (request->count < 1 || request->count > COUNT_LIMIT) {
        return error_set("the count must be from 1 to %d", COUNT_LIMIT);
    }
    for (; *end; end++) {
        const char *size = strchr(sizes, *end);
        if (size) {
            request->size = UINT64_C(1) << (size - sizes);
        } else if (strchr("xdutcfi", *end)) {
            request->format = *end;
        } else {
            return error_set("x has no format or size %c", *end);
        }
    }
    if (!request->size) {
        request->size = request->format == 'c' ? 1 : 4;
    }
    return request->format != 'f' || request->size > 1 ||
           error_set("floats have 2, 4 or 8 bytes: h, w or g");
}

static bool address_read(const struct place *place, const char *text, struct request *request)
{
    static const char local[] = "local:";
    int64_t address;
    request->local = strncmp(text, local, strlen(local)) == 0;
    if (!*text) {
        return error_set("an address is expected");
    }
    if (!expression_integer(place, text + (request->local ? strlen(local) : 0), &address)) {
        return false;
    }
    request->address = (uint64_t)address;
    return true;
}

static const struct type *type_for(const struct request *request)
{
    static const struct type integers[] = {{.kind = TYPE_UNSIGNED, .name = "", .size = 1},
                                           {.kind = TYPE_UNSIGNED, .name = "", .size = 2},
                                           {.kind = TYPE_UNSIGNED, .name = "", .size = 4},
                                           {.kind = TYPE_UNSIGNED, .name = "", .size = 8}};
    static const struct type floats[] = {{.kind = TYPE_FLOAT, .name = "", .size = 2},
                                         {.kind = TYPE_FLOAT, .name = "", .size = 4},
                                         {.kind = TYPE_FLOAT, .name = "", .size = 8}};
    const int power = request->size == 8 ? 3 : request->size == 4 ? 2 : request->size == 2 ? 1 : 0;
    return request->format == 'f' ? &floats[power - 1] : &integers[power];
}

static enum style style_for(char format)
{
    switch (format) {
    case 'd':
        return STYLE_SIGNED;
    case 'u':
        return STYLE_UNSIGNED;
    case 't':
        return STYLE_BINARY;
    case 'c':
        return STYLE_CHARACTER;
    case 'f':
        return STYLE_USUAL;
    default:
        return STYLE_HEX;
    }
}

static bool elements_print(const struct place *place, const struct request *request)
{
    const struct type *type = type_for(request);
    const uint64_t bytes = request->count * request->size;
    uint8_t *memory = scratch_alloc(bytes + 8);
    struct thread *thread = focus.thread;
    if (request->local && !thread) {
        return error_set("local memory needs a thread that is stopped in a kernel");
    }
    const bool good = request->local
                          ? session_read(thread->session, thread, ZET_DEBUG_MEMORY_SPACE_TYPE_SLM,
                                         request->address, memory, bytes)
                          : debuggee_read(thread, request->address, memory, bytes);
    if (!good) {
        return false;
    }
    const uint64_t row = request->size == 1 ? 8 : request->size == 8 ? 2 : 4;
    for (uint64_t i = 0; i < request->count; i++) {
        const struct value value = {.type = type, .bytes = memory + i * request->size, .reg = -1};
        if (i % row == 0) {
            printf("%s%s0x%llx:", i ? "\n" : "", request->local ? "local:" : "",
                   (unsigned long long)(request->address + i * request->size));
        }
        printf("\t%s", print_value(expression_state(place), &value, style_for(request->format)));
    }
    putchar('\n');
    return true;
}

static bool instructions_print(const struct request *request)
{
    const struct module *module = debuggee_module(request->address);
    uint64_t end = request->address + request->count * INSTRUCTION_BYTES;
    if (request->local || !module) {
        return error_set("no code of a module is at 0x%llx", (unsigned long long)request->address);
    }
    end = end < module->image.end ? end : module->image.end;
    const uint64_t pc =
        focus.thread && thread_general(focus.thread) ? focus.thread->general[MACHINE_PC] : 0;
    return disassemble(focus.thread, request->address, end, request->count, pc, false);
}

bool examine(const struct place *place, const char *arguments)
{
    struct request request = {.count = 1, .format = 'x'};
    if (*arguments == '/') {
        const char *format = word_take(&arguments);
        if (!format_read(format + 1, &request)) {
            return false;
        }
    }
    request.size = request.size ? request.size : 4;
    return address_read(place, arguments, &request) &&
           (request.format == 'i' ? instructions_print(&request) : elements_print(place, &request));
}
