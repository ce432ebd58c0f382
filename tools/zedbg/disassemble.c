/* Disassembles with capstone. See disassemble.h. */
#include "disassemble.h"

#include "error.h"
#include "line.h"
#include "memory.h"
#include "source.h"

#include <capstone/capstone.h>
#include <stdio.h>
#include <string.h>

#define CODE_LIMIT (UINT64_C(1) << 24)

static void line_print(const struct image *image, uint64_t address, const struct line_row **last)
{
    const struct line_row *row = line_of(image, address);
    if (!row || !row->line || (*last && (*last)->line == row->line && (*last)->file == row->file)) {
        return;
    }
    const char *text = source_line(row->file, row->line);
    printf("%s:%d\t%s\n", source_name(row->file), row->line, text ? text : "");
    *last = row;
}

static void instruction_print(const struct image *image, uint64_t address, uint64_t pc,
                              const char *mnemonic, const char *operands)
{
    uint64_t start = address, size;
    const char *function = image_symbol(image, address, &start, &size);
    printf("%s 0x%llx <%s+%llu>:\t%s%s%s\n", address == pc ? "=>" : "  ",
           (unsigned long long)address, function ? function : "?",
           (unsigned long long)(address - start), mnemonic, *operands ? "\t" : "", operands);
}

bool disassemble(const struct thread *thread, uint64_t begin, uint64_t end, uint64_t count,
                 uint64_t pc, bool lines)
{
    const struct module *module = debuggee_module(begin);
    const struct line_row *last = NULL;
    csh handle;
    if (!module || end < begin || end - begin > CODE_LIMIT) {
        return error_set("no code of a module is at 0x%llx", (unsigned long long)begin);
    }
    uint8_t *bytes = scratch_alloc(end - begin);
    if (!debuggee_read(thread, begin, bytes, end - begin)) {
        return false;
    }
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK) {
        return error_set("capstone cannot be used");
    }
    cs_insn *instruction = cs_malloc(handle);
    const uint8_t *at = bytes;
    uint64_t address = begin;
    size_t left = end - begin;
    while (left > 0 && count-- > 0 && instruction) {
        if (lines) {
            line_print(&module->image, address, &last);
        }
        const uint64_t here = address;
        if (cs_disasm_iter(handle, &at, &left, &address, instruction)) {
            instruction_print(&module->image, here, pc, instruction->mnemonic, instruction->op_str);
        } else { /* not an instruction that capstone knows */
            instruction_print(&module->image, here, pc, ".byte", scratch_format("0x%02x", *at));
            at++;
            address++;
            left--;
        }
    }
    if (instruction) {
        cs_free(instruction, 1);
    }
    cs_close(&handle);
    return instruction || error_set("out of memory");
}
