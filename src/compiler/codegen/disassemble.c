/* Disassembles native binaries: the executable sections of an ELF object, with the names of its
 * functions and of what they refer to. Every byte of the object is untrusted; the note's checksum
 * has been verified, but anybody can compute it. */
#include "compiler/codegen/internal.h"
#include "native/native.h"

#include <elf.h>
#include <llvm-c/Disassembler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Most bytes of one instruction, with room for its text. */
#define LONGEST 16u
#define TEXT    256u

/* A view of the object. */
struct object {
    const uint8_t *bytes;
    size_t size;
    const Elf64_Shdr *sections;
    uint32_t section_count;
};

/* A section while it is disassembled. */
struct walk {
    const struct object *object;
    uint32_t index; /* of the section */
    const uint8_t *code;
    size_t size;
    const Elf64_Sym *symbols;
    size_t symbol_count;
    const char *names; /* terminated: `names_size` includes a last zero byte */
    size_t names_size;
    const Elf64_Rela *relocations;
    size_t relocation_count;
    uint8_t *targets; /* by offset: a branch leads here */
    char name[TEXT];  /* of the last reference */
};

/* ---- the object ---- */

/* Returns the content of a section as an array of items; NULL if it is not inside of the file. */
static const void *section_items(const struct object *object, const Elf64_Shdr *section,
                                 size_t item, size_t *count)
{
    *count = 0;
    if (section->sh_type == SHT_NOBITS || section->sh_offset > object->size ||
        section->sh_size > object->size - section->sh_offset || section->sh_offset % 8) {
        return NULL;
    }
    *count = section->sh_size / item;
    return object->bytes + section->sh_offset;
}

static bool object_open(const void *bytes, size_t size, struct object *object)
{
    const Elf64_Ehdr *header = bytes;
    *object = (struct object){.bytes = bytes, .size = size};
    if (size < sizeof(*header) || header->e_shentsize != sizeof(Elf64_Shdr) ||
        header->e_shoff > size || header->e_shoff % 8 ||
        header->e_shnum > (size - header->e_shoff) / sizeof(Elf64_Shdr)) {
        return false;
    }
    object->sections = (const void *)(object->bytes + header->e_shoff);
    object->section_count = header->e_shnum;
    return true;
}

/* Finds the symbols of the object and their names. */
static void symbols_find(struct walk *walk)
{
    const struct object *object = walk->object;
    for (uint32_t i = 0; i < object->section_count; i++) {
        const Elf64_Shdr *section = &object->sections[i];
        if (section->sh_type != SHT_SYMTAB || section->sh_link >= object->section_count) {
            continue;
        }
        const Elf64_Shdr *strings = &object->sections[section->sh_link];
        walk->symbols = section_items(object, section, sizeof(Elf64_Sym), &walk->symbol_count);
        if (strings->sh_offset < object->size && strings->sh_type == SHT_STRTAB &&
            strings->sh_size <= object->size - strings->sh_offset && strings->sh_size &&
            object->bytes[strings->sh_offset + strings->sh_size - 1] == 0) {
            walk->names = (const char *)object->bytes + strings->sh_offset;
            walk->names_size = strings->sh_size;
        }
        return;
    }
}

/* Finds the relocations of the section. */
static void relocations_find(struct walk *walk)
{
    const struct object *object = walk->object;
    for (uint32_t i = 0; i < object->section_count && !walk->relocations; i++) {
        const Elf64_Shdr *section = &object->sections[i];
        if (section->sh_type == SHT_RELA && section->sh_info == walk->index) {
            walk->relocations =
                section_items(object, section, sizeof(Elf64_Rela), &walk->relocation_count);
        }
    }
}

/* Returns the name of a symbol, or that of its section. */
static const char *symbol_name(const struct walk *walk, const Elf64_Sym *symbol)
{
    const struct object *object = walk->object;
    const char *names = walk->names;
    uint64_t at = symbol->st_name;
    if (names && at && at < walk->names_size) {
        return names + at;
    }
    if (!names || symbol->st_shndx >= object->section_count) {
        return "?";
    }
    const Elf64_Ehdr *header = (const void *)object->bytes;
    if (header->e_shstrndx >= object->section_count) {
        return "?";
    }
    const Elf64_Shdr *strings = &object->sections[header->e_shstrndx];
    at = object->sections[symbol->st_shndx].sh_name;
    bool inside = strings->sh_offset < object->size && strings->sh_size &&
                  strings->sh_size <= object->size - strings->sh_offset &&
                  object->bytes[strings->sh_offset + strings->sh_size - 1] == 0;
    return inside && at < strings->sh_size ? (const char *)object->bytes + strings->sh_offset + at
                                           : "?";
}

/* Returns the function that starts at an offset of the section, or NULL. */
static const char *function_at(const struct walk *walk, uint64_t offset)
{
    for (size_t i = 0; i < walk->symbol_count; i++) {
        const Elf64_Sym *symbol = &walk->symbols[i];
        if (symbol->st_shndx == walk->index && symbol->st_value == offset &&
            ELF64_ST_TYPE(symbol->st_info) == STT_FUNC) {
            return symbol_name(walk, symbol);
        }
    }
    return NULL;
}

/* ---- names in instructions ---- */

/* Gives LLVM the symbol behind a relocated operand. */
static int operand_describe(void *data, uint64_t address, uint64_t offset, uint64_t operand_bytes,
                            uint64_t instruction_bytes, int tag, void *out)
{
    struct walk *walk = data;
    struct LLVMOpInfo1 *info = out;
    if (tag != 1) {
        return 0;
    }
    for (size_t i = 0; i < walk->relocation_count; i++) {
        const Elf64_Rela *relocation = &walk->relocations[i];
        uint64_t symbol = ELF64_R_SYM(relocation->r_info);
        if (relocation->r_offset != address + offset || symbol >= walk->symbol_count) {
            continue;
        }
        snprintf(walk->name, sizeof(walk->name), "%s", symbol_name(walk, &walk->symbols[symbol]));
        memset(info, 0, sizeof(*info));
        info->AddSymbol.Present = 1;
        info->AddSymbol.Name = walk->name;
        /* relocations relative to the next instruction have its distance in the addend */
        uint64_t rest = operand_bytes <= 4 ? instruction_bytes - offset : 0;
        info->Value = (uint64_t)relocation->r_addend + rest;
        return 1;
    }
    return 0;
}

/* Names the target of a branch in the section, and remembers it. */
static const char *target_name(void *data, uint64_t value, uint64_t *type, uint64_t address,
                               const char **name)
{
    struct walk *walk = data;
    bool branch = *type == LLVMDisassembler_ReferenceType_In_Branch && value < walk->size;
    (void)address;
    *type = LLVMDisassembler_ReferenceType_InOut_None;
    *name = NULL;
    if (!branch) {
        return NULL;
    }
    const char *function = function_at(walk, value);
    if (!function) {
        walk->targets[value] = 1;
        snprintf(walk->name, sizeof(walk->name), ".L%llx", (unsigned long long)value);
    }
    return function ? function : walk->name;
}

/* ---- sections ---- */

static void section_print(LLVMDisasmContextRef context, struct walk *walk, struct geo_strbuf *text)
{
    char line[TEXT];
    for (size_t at = 0; at < walk->size;) {
        const char *function = text ? function_at(walk, at) : NULL;
        if (function) {
            geo_strbuf_printf(text, "\n");
            geo_strbuf_add_shown(text, function, strlen(function));
            geo_strbuf_printf(text, ":\n");
        }
        if (text && walk->targets[at]) {
            geo_strbuf_printf(text, ".L%zx:\n", at);
        }
        size_t left = walk->size - at < LONGEST ? walk->size - at : LONGEST;
        size_t length = LLVMDisasmInstruction(context, (uint8_t *)(uintptr_t)walk->code + at, left,
                                              at, line, sizeof(line));
        if (text && length) {
            geo_strbuf_printf(text, "%8zx:  ", at);
            const char *start = line + strspn(line, " \t");
            geo_strbuf_add_shown(text, start, strcspn(start, "\t"));
            start += strcspn(start, "\t");
            if (*start) {
                geo_strbuf_printf(text, " ");
                geo_strbuf_add_shown(text, start + 1, strlen(start + 1));
            }
            geo_strbuf_printf(text, "\n");
        } else if (text) {
            geo_strbuf_printf(text, "%8zx:  .byte 0x%02x\n", at, walk->code[at]);
        }
        at += length ? length : 1;
    }
}

/* Disassembles one section twice: the first time finds the targets of branches. */
static ze_result_t section_disassemble(const struct object *object, uint32_t index,
                                       const char *triple, const char *cpu, const char *features,
                                       struct geo_strbuf *text, struct geo_strbuf *log)
{
    struct walk walk = {.object = object, .index = index};
    const Elf64_Shdr *section = &object->sections[index];
    walk.code = section_items(object, section, 1, &walk.size);
    walk.targets = walk.code && walk.size ? calloc(walk.size, 1) : NULL;
    if (!walk.targets) {
        return walk.code && walk.size ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY : ZE_RESULT_SUCCESS;
    }
    symbols_find(&walk);
    relocations_find(&walk);
    LLVMDisasmContextRef context =
        LLVMCreateDisasmCPUFeatures(triple, cpu, features, &walk, 1, operand_describe, target_name);
    if (!context) {
        free(walk.targets);
        geo_strbuf_printf(log, "error: this compiler's LLVM cannot disassemble %s\n", triple);
        return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
    }
    section_print(context, &walk, NULL);
    section_print(context, &walk, text);
    LLVMDisasmDispose(context);
    free(walk.targets);
    return text->truncated ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY : ZE_RESULT_SUCCESS;
}

/* Returns the level of a payload by its features; NULL: none that this compiler has. */
static struct geo_codegen_target *target_of(const struct geo_native_payload *payload,
                                            struct geo_strbuf *log)
{
    const struct geo_native_level *level =
        geo_native_target_level_best(payload->target, payload->features);
    struct geo_codegen_target *target = NULL;
    const char *name = geo_native_target_name(payload->target);
    if (!level || geo_codegen_target_create(level->name, &target, log) != ZE_RESULT_SUCCESS) {
        geo_strbuf_printf(log,
                          "error: the code is for %s, which this compiler cannot disassemble\n",
                          name ? name : "an unknown machine");
        return NULL;
    }
    return target;
}

/* Appends PTX, which is a text already. Its characters are untrusted. */
static ze_result_t ptx_print(const struct geo_native_view *view,
                             const struct geo_native_payload *payload, struct geo_strbuf *text)
{
    size_t bytes;
    const char *code = (const char *)geo_native_payload_code(view, payload, &bytes);
    while (*code) {
        size_t plain = strcspn(code, "\n\t");
        geo_strbuf_add_shown(text, code, plain);
        geo_strbuf_add(text, code + plain, code[plain] ? 1 : 0);
        code += plain + (code[plain] ? 1 : 0);
    }
    return text->truncated ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY : ZE_RESULT_SUCCESS;
}

ze_result_t geo_codegen_disassemble(const void *binary, size_t bytes, struct geo_strbuf *text,
                                    struct geo_strbuf *log)
{
    struct geo_native_view view;
    struct object object;
    const char *reason = "it is truncated";
    if (geo_native_parse(binary, bytes, &view, &reason) != ZE_RESULT_SUCCESS ||
        !object_open(binary, bytes, &object)) {
        geo_strbuf_printf(log, "error: it does not have the form of a native binary: %s\n", reason);
        return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
    }
    if (!view.header->payload_count) {
        geo_strbuf_printf(log, "error: the native binary has no code\n");
        return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
    }
    const struct geo_native_payload *payload = &view.payloads[0];
    if (payload->kind == GEO_PAYLOAD_PTX) {
        return ptx_print(&view, payload, text);
    }
    struct geo_codegen_target *target = target_of(payload, log);
    if (!target) {
        return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
    }
    geo_strbuf_printf(text, "# %s, %s\n", geo_native_target_name(payload->target),
                      target->level->name);
    target->arch->init_disassembler();
    ze_result_t result = ZE_RESULT_SUCCESS;
    for (uint32_t i = 0; i < object.section_count && result == ZE_RESULT_SUCCESS; i++) {
        if (object.sections[i].sh_flags & SHF_EXECINSTR) {
            result = section_disassemble(&object, i, target->arch->triple, target->level->cpu,
                                         target->level->more ? target->level->more : "", text, log);
        }
    }
    geo_codegen_target_destroy(target);
    return result;
}
