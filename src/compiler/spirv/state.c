/* Errors, lengths and strings of the current instruction. See state.h. */
#include "compiler/spirv/state.h"

#include <stdarg.h>
#include <string.h>

bool spirv_error(struct spirv_reader *reader, const char *format, ...)
{
    if (!reader->failed) {
        va_list args;
        va_start(args, format);
        if (reader->length) {
            geo_strbuf_printf(
                reader->log, "error: %s at word %zu: ", geo_op_name((SpvOp)reader->op), reader->at);
        } else {
            geo_strbuf_printf(reader->log, "error: ");
        }
        geo_strbuf_vprintf(reader->log, format, args);
        geo_strbuf_printf(reader->log, "\n");
        va_end(args);
    }
    reader->failed = true;
    return false;
}

bool spirv_out_of_memory(struct spirv_reader *reader)
{
    reader->out_of_memory = true;
    return spirv_error(reader, "out of memory");
}

bool spirv_need(struct spirv_reader *reader, uint32_t count)
{
    if (spirv_operand_count(reader) < count) {
        return spirv_error(reader, "has %u operand words, needs %u", spirv_operand_count(reader),
                           count);
    }
    return true;
}

const char *spirv_string(struct spirv_reader *reader, const uint32_t *words, uint32_t count,
                         uint32_t *used)
{
    return spirv_string_in(reader, &reader->module->arena, words, count, used);
}

const char *spirv_string_in(struct spirv_reader *reader, struct geo_arena *arena,
                            const uint32_t *words, uint32_t count, uint32_t *used)
{
    size_t length = strnlen((const char *)words, (size_t)count * 4);
    if (length == (size_t)count * 4) {
        spirv_error(reader, "a string is not terminated");
        return NULL;
    }
    *used = (uint32_t)(length / 4 + 1);
    const char *copy = geo_arena_string(arena, (const char *)words, length);
    if (!copy) {
        spirv_out_of_memory(reader);
    }
    return copy;
}
