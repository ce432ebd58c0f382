/* Rewrites ELF files of modules. See rewrite.h. */
#include "rewrite.h"

#include "counter.h"

#include <stdlib.h>
#include <string.h>

#define NOTE_NAME "GeoidNative" /* of the note with the checksum */

/* ---- reading ---- */

static bool in_file(const struct rewrite *rewrite, uint64_t offset, uint64_t bytes)
{
    return offset <= rewrite->size && bytes <= rewrite->size - offset;
}

static const char *sections_read(struct rewrite *rewrite)
{
    Elf64_Ehdr header;
    if (rewrite->size < sizeof(header)) {
        return "it is shorter than an ELF file";
    }
    memcpy(&header, rewrite->bytes, sizeof(header));
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_type != ET_REL ||
        header.e_machine != EM_X86_64 || header.e_shentsize != sizeof(Elf64_Shdr) ||
        header.e_shoff % 8 != 0 ||
        !in_file(rewrite, header.e_shoff, (uint64_t)header.e_shnum * sizeof(Elf64_Shdr))) {
        return "it is not a relocatable ELF file for x86-64";
    }
    rewrite->sections = (Elf64_Shdr *)(rewrite->bytes + header.e_shoff);
    rewrite->section_count = header.e_shnum;
    for (uint32_t i = 0; i < rewrite->section_count; i++) {
        const Elf64_Shdr *section = &rewrite->sections[i];
        if (section->sh_type != SHT_NOBITS &&
            !in_file(rewrite, section->sh_offset, section->sh_size)) {
            return "a section lies outside of it";
        }
        if (section->sh_flags & SHF_EXECINSTR && section->sh_size) {
            if (rewrite->text) {
                return "it has several sections with code";
            }
            rewrite->text = i;
        }
    }
    return rewrite->text ? NULL : "it has no code";
}

static const char *symbols_read(struct rewrite *rewrite)
{
    for (uint32_t i = 0; i < rewrite->section_count; i++) {
        const Elf64_Shdr *section = &rewrite->sections[i];
        if (section->sh_type != SHT_SYMTAB) {
            continue;
        }
        if (section->sh_offset % 8 != 0 || section->sh_link >= rewrite->section_count) {
            return "its symbols have an unknown form";
        }
        const Elf64_Shdr *names = &rewrite->sections[section->sh_link];
        rewrite->symbols = (Elf64_Sym *)(rewrite->bytes + section->sh_offset);
        rewrite->symbol_count = section->sh_size / sizeof(Elf64_Sym);
        rewrite->names = (const char *)rewrite->bytes + names->sh_offset;
        rewrite->names_bytes = names->sh_size;
        return names->sh_size && !rewrite->names[names->sh_size - 1] ? NULL : "it has no names";
    }
    return "it has no symbols";
}

/* Returns whether a section only describes the code, for debuggers and unwinders. */
static bool describes_code(const Elf64_Shdr *section)
{
    return section->sh_type == SHT_X86_64_UNWIND ||
           (section->sh_type == SHT_PROGBITS && !(section->sh_flags & SHF_ALLOC));
}

/* Calls a function for each relocation of the sections that the code needs. */
typedef const char *relocation_fn(struct rewrite *rewrite, const Elf64_Shdr *target,
                                  Elf64_Rela *relocation);

static const char *relocations_walk(struct rewrite *rewrite, relocation_fn *function)
{
    for (uint32_t i = 0; i < rewrite->section_count; i++) {
        const Elf64_Shdr *section = &rewrite->sections[i];
        if (section->sh_type != SHT_RELA || section->sh_info >= rewrite->section_count) {
            continue;
        }
        if (section->sh_offset % 8 != 0) {
            return "its relocations have an unknown form";
        }
        const Elf64_Shdr *target = &rewrite->sections[section->sh_info];
        if (describes_code(target)) {
            continue;
        }
        Elf64_Rela *relocations = (Elf64_Rela *)(rewrite->bytes + section->sh_offset);
        for (size_t k = 0; k < section->sh_size / sizeof(*relocations); k++) {
            if (ELF64_R_SYM(relocations[k].r_info) >= rewrite->symbol_count) {
                return "a relocation has no symbol";
            }
            const char *problem = function(rewrite, target, &relocations[k]);
            if (problem) {
                return problem;
            }
        }
    }
    return NULL;
}

static const char *cover(struct rewrite *rewrite, const Elf64_Shdr *target, Elf64_Rela *relocation)
{
    const uint32_t type = (uint32_t)ELF64_R_TYPE(relocation->r_info);
    const uint64_t bytes = type == R_X86_64_64 || type == R_X86_64_PC64 ? 8 : 4;
    if (target != &rewrite->sections[rewrite->text]) {
        return NULL;
    }
    if (relocation->r_offset > target->sh_size || bytes > target->sh_size - relocation->r_offset) {
        return "a relocation lies outside of the code";
    }
    for (uint64_t i = relocation->r_offset; i < relocation->r_offset + bytes; i++) {
        rewrite->covered[i / 8] |= (uint8_t)(1u << i % 8);
    }
    return NULL;
}

/* ---- references to code ---- */

/* Returns the offset of the table that has an entry at this place of a section: the last place
 * before it that code refers to. Entries of a jump table are distances from its start. */
static bool table_find(const struct rewrite *rewrite, const Elf64_Shdr *section, uint64_t place,
                       uint64_t *start)
{
    bool found = false;
    for (uint32_t i = 0; i < rewrite->section_count; i++) {
        const Elf64_Shdr *rela = &rewrite->sections[i];
        if (rela->sh_type != SHT_RELA || rela->sh_info != rewrite->text) {
            continue;
        }
        const Elf64_Rela *relocations = (const Elf64_Rela *)(rewrite->bytes + rela->sh_offset);
        for (size_t k = 0; k < rela->sh_size / sizeof(*relocations); k++) {
            const Elf64_Sym *symbol = &rewrite->symbols[ELF64_R_SYM(relocations[k].r_info)];
            const uint64_t at = symbol->st_value + (uint64_t)relocations[k].r_addend + 4;
            if (symbol->st_shndx < rewrite->section_count &&
                &rewrite->sections[symbol->st_shndx] == section &&
                ELF64_R_TYPE(relocations[k].r_info) == R_X86_64_PC32 && at <= place &&
                (!found || at > *start)) {
                *start = at;
                found = true;
            }
        }
    }
    return found;
}

/* Returns the index of the instruction that contains an offset of the code. */
static size_t inst_around(const struct rewrite *rewrite, uint64_t offset)
{
    while (!rewrite->code.at[offset]) {
        offset--; /* the first instruction starts at 0 */
    }
    return rewrite->code.at[offset] - 1;
}

static uint64_t inst_end(const struct rewrite *rewrite, size_t index)
{
    const struct code_inst *inst = &rewrite->code.insts[index];
    return (uint64_t)inst->offset + inst->length;
}

/* Computes which offset of the code a relocation refers to, and what to subtract from it to get the
 * addend. Returns false for relocations that refer to something else. */
static bool reference_read(const struct rewrite *rewrite, const Elf64_Shdr *target,
                           const Elf64_Rela *relocation, uint64_t *offset, uint64_t *bias,
                           const char **problem)
{
    const Elf64_Sym *symbol = &rewrite->symbols[ELF64_R_SYM(relocation->r_info)];
    const uint32_t type = (uint32_t)ELF64_R_TYPE(relocation->r_info);
    const uint64_t addend = (uint64_t)relocation->r_addend;
    uint64_t start = 0;
    *problem = NULL;
    *bias = 0;
    if (symbol->st_shndx != rewrite->text || type == R_X86_64_NONE) {
        return false;
    }
    if (ELF64_ST_TYPE(symbol->st_info) != STT_SECTION) {
        if (type != R_X86_64_64 && (type != R_X86_64_PC32 && type != R_X86_64_PLT32)) {
            *problem = "a relocation of a function has an unknown form";
        }
        return false; /* the symbol is moved */
    }
    if (type == R_X86_64_PC32 && target != &rewrite->sections[rewrite->text]) {
        if (!table_find(rewrite, target, relocation->r_offset, &start)) {
            *problem = "a jump table has an unknown form";
        }
        *bias = relocation->r_offset - start;
    } else if (type == R_X86_64_PC32 || type == R_X86_64_PLT32) {
        const size_t inst = inst_around(rewrite, relocation->r_offset);
        *bias = relocation->r_offset - inst_end(rewrite, inst);
    } else if (type != R_X86_64_64) {
        *problem = "a relocation of code has an unknown form";
    }
    *offset = addend - *bias;
    return *problem == NULL;
}

static const char *reference_mark(struct rewrite *rewrite, const Elf64_Shdr *target,
                                  Elf64_Rela *relocation)
{
    uint64_t offset, bias;
    const char *problem;
    if (reference_read(rewrite, target, relocation, &offset, &bias, &problem) &&
        !code_mark(&rewrite->code, offset)) {
        return "a relocation refers to the middle of an instruction";
    }
    return problem;
}

/* ---- functions and blocks ---- */

static const char *functions_read(struct rewrite *rewrite)
{
    rewrite->functions = calloc(rewrite->symbol_count + 1, sizeof(*rewrite->functions));
    for (size_t i = 0; rewrite->functions && i < rewrite->symbol_count; i++) {
        const Elf64_Sym *symbol = &rewrite->symbols[i];
        if (symbol->st_shndx != rewrite->text || ELF64_ST_TYPE(symbol->st_info) == STT_SECTION) {
            continue;
        }
        const uint64_t end = symbol->st_value + symbol->st_size;
        if (symbol->st_name >= rewrite->names_bytes || end < symbol->st_value ||
            end > rewrite->code.size || (end < rewrite->code.size && !rewrite->code.at[end]) ||
            !code_mark(&rewrite->code, symbol->st_value)) {
            return "a symbol is not a function of whole instructions";
        }
        rewrite->functions[rewrite->function_count++] =
            (struct rewrite_function){.name = rewrite->names + symbol->st_name,
                                      .offset = (uint32_t)symbol->st_value,
                                      .size = (uint32_t)symbol->st_size};
    }
    return rewrite->functions ? NULL : "memory is short";
}

static uint32_t function_of(const struct rewrite *rewrite, uint32_t offset)
{
    for (size_t i = 0; i < rewrite->function_count; i++) {
        const struct rewrite_function *function = &rewrite->functions[i];
        if (offset >= function->offset && offset - function->offset < function->size) {
            return (uint32_t)i;
        }
    }
    return UINT32_MAX;
}

static const char *blocks_read(struct rewrite *rewrite)
{
    const struct code *code = &rewrite->code;
    rewrite->blocks = calloc(code->count, sizeof(*rewrite->blocks));
    for (size_t i = 0; rewrite->blocks && i < code->count; i++) {
        if (code->insts[i].leader) {
            rewrite->blocks[rewrite->block_count++] = (struct rewrite_block){
                .offset = code->insts[i].offset,
                .function = function_of(rewrite, code->insts[i].offset),
                .inst = i,
            };
        }
    }
    return rewrite->blocks ? NULL : "memory is short";
}

const char *rewrite_begin(struct rewrite *rewrite, const uint8_t *bytes, size_t size)
{
    *rewrite = (struct rewrite){.size = size, .bytes = malloc(size)};
    if (!rewrite->bytes) {
        return "memory is short";
    }
    memcpy(rewrite->bytes, bytes, size);
    const char *problem = sections_read(rewrite);
    problem = problem ? problem : symbols_read(rewrite);
    if (problem) {
        return problem;
    }
    const Elf64_Shdr *text = &rewrite->sections[rewrite->text];
    rewrite->covered = calloc(text->sh_size / 8 + 1, 1);
    problem = rewrite->covered ? relocations_walk(rewrite, cover) : "memory is short";
    if (!problem) {
        problem = code_decode(&rewrite->code, rewrite->bytes + text->sh_offset, text->sh_size,
                              rewrite->covered);
    }
    problem = problem ? problem : relocations_walk(rewrite, reference_mark);
    problem = problem ? problem : functions_read(rewrite);
    if (!problem) {
        code_divide(&rewrite->code);
        problem = blocks_read(rewrite);
    }
    return problem;
}

/* ---- the new code ---- */

/* Returns the place of an offset of the old code in the new code. The end of the old code is the
 * end of the new code. */
static uint64_t moved(const struct rewrite *rewrite, uint64_t offset)
{
    const struct code *code = &rewrite->code;
    return offset >= code->size ? rewrite->moved[code->count]
                                : rewrite->moved[code->at[offset] - 1];
}

static size_t inst_bytes(const struct code_inst *inst)
{
    return inst->kind == CODE_BRANCH                            ? 6
           : inst->kind == CODE_JUMP || inst->kind == CODE_CALL ? 5
                                                                : inst->length;
}

static uint32_t free_at(const struct rewrite *rewrite, const struct rewrite_block *block)
{
    return block->function == UINT32_MAX ? 0 : rewrite->functions[block->function].free_registers;
}

/* Places the instructions, each block's behind its counter. */
static const char *insts_place(struct rewrite *rewrite)
{
    const struct code *code = &rewrite->code;
    uint8_t counter[COUNTER_BYTES];
    uint64_t at = 0;
    size_t block = 0;
    rewrite->moved = calloc(code->count + 1, sizeof(*rewrite->moved));
    if (!rewrite->moved) {
        return "memory is short";
    }
    for (size_t i = 0; i < code->count; i++) {
        rewrite->moved[i] = (uint32_t)at;
        if (code->insts[i].leader) {
            const struct rewrite_block *row = &rewrite->blocks[block++];
            at += counter_write(counter, NULL, free_at(rewrite, row), code->insts[i].flags_live);
        }
        at += inst_bytes(&code->insts[i]);
    }
    rewrite->moved[code->count] = (uint32_t)at;
    return at < INT32_MAX ? NULL : "the code becomes too large";
}

static uint8_t *distance_write(uint8_t *to, uint64_t target, uint64_t end)
{
    const int32_t distance = (int32_t)(target - end);
    memcpy(to, &distance, sizeof(distance));
    return to + sizeof(distance);
}

/* Writes an instruction that starts at `at`. Jumps get distances of 32 bits. */
static uint8_t *inst_write(const struct rewrite *rewrite, const struct code_inst *inst, uint8_t *to,
                           uint64_t at)
{
    const uint8_t *bytes = rewrite->code.bytes + inst->offset;
    const uint64_t end = at + inst_bytes(inst);
    switch (inst->kind) {
    case CODE_BRANCH:
        *to++ = 0x0f;
        *to++ = (uint8_t)(0x80 | ((inst->length == 2 ? bytes[0] : bytes[1]) & 15));
        return distance_write(to, moved(rewrite, inst->target), end);
    case CODE_JUMP:
    case CODE_CALL:
        *to++ = inst->kind == CODE_JUMP ? 0xe9 : 0xe8;
        return distance_write(to, moved(rewrite, inst->target), end);
    default:
        memcpy(to, bytes, inst->length);
        if (inst->near) {
            distance_write(to + inst->near, moved(rewrite, inst->target), end);
        }
        return to + inst->length;
    }
}

static void code_write(const struct rewrite *rewrite, const uint64_t *counters, uint8_t *to)
{
    const struct code *code = &rewrite->code;
    uint8_t *start = to;
    size_t block = 0;
    for (size_t i = 0; i < code->count; i++) {
        if (code->insts[i].leader) {
            const struct rewrite_block *row = &rewrite->blocks[block];
            to += counter_write(to, &counters[block++], free_at(rewrite, row),
                                code->insts[i].flags_live);
        }
        to = inst_write(rewrite, &code->insts[i], to, (uint64_t)(to - start));
    }
}

/* ---- moving references ---- */

static const char *relocation_move(struct rewrite *rewrite, const Elf64_Shdr *target,
                                   Elf64_Rela *relocation)
{
    uint64_t offset, bias;
    const char *problem;
    if (reference_read(rewrite, target, relocation, &offset, &bias, &problem)) {
        relocation->r_addend = (int64_t)(moved(rewrite, offset) + bias);
    }
    if (target == &rewrite->sections[rewrite->text]) {
        /* the instruction keeps its length, and ends where the next one is placed */
        const size_t inst = inst_around(rewrite, relocation->r_offset);
        relocation->r_offset =
            rewrite->moved[inst + 1] - (inst_end(rewrite, inst) - relocation->r_offset);
    }
    return problem;
}

static void symbols_move(struct rewrite *rewrite)
{
    for (size_t i = 0; i < rewrite->symbol_count; i++) {
        Elf64_Sym *symbol = &rewrite->symbols[i];
        if (symbol->st_shndx == rewrite->text && ELF64_ST_TYPE(symbol->st_info) != STT_SECTION) {
            const uint64_t end = moved(rewrite, symbol->st_value + symbol->st_size);
            symbol->st_value = moved(rewrite, symbol->st_value);
            symbol->st_size = end - symbol->st_value;
        }
    }
}

/* Empties the sections that describe the code as it was, and their relocations. */
static void debug_remove(struct rewrite *rewrite)
{
    for (uint32_t i = 0; i < rewrite->section_count; i++) {
        Elf64_Shdr *section = &rewrite->sections[i];
        const bool relocates = section->sh_type == SHT_RELA &&
                               section->sh_info < rewrite->section_count &&
                               describes_code(&rewrite->sections[section->sh_info]);
        if (relocates || describes_code(section)) {
            section->sh_size = 0;
        }
    }
}

/* Sets the checksum to 0. It follows the first word of the note's contents. */
static const char *checksum_clear(struct rewrite *rewrite)
{
    for (uint32_t i = 0; i < rewrite->section_count; i++) {
        const Elf64_Shdr *section = &rewrite->sections[i];
        const size_t place = sizeof(Elf64_Nhdr) + sizeof(NOTE_NAME) + sizeof(uint64_t);
        uint8_t *bytes = rewrite->bytes + section->sh_offset;
        if (section->sh_type == SHT_NOTE && section->sh_size >= place + sizeof(uint64_t) &&
            memcmp(bytes + sizeof(Elf64_Nhdr), NOTE_NAME, sizeof(NOTE_NAME)) == 0) {
            memset(bytes + place, 0, sizeof(uint64_t));
            return NULL;
        }
    }
    return "it has no note of Geoid";
}

const char *rewrite_make(struct rewrite *rewrite, const uint64_t *counters)
{
    const char *problem = insts_place(rewrite);
    problem = problem ? problem : relocations_walk(rewrite, relocation_move);
    problem = problem ? problem : checksum_clear(rewrite);
    if (problem) {
        return problem;
    }
    symbols_move(rewrite);
    debug_remove(rewrite);
    const uint64_t place = (rewrite->size + 63) & ~UINT64_C(63);
    const uint64_t bytes = rewrite->moved[rewrite->code.count];
    uint8_t *file = calloc(1, place + bytes);
    if (!file) {
        return "memory is short";
    }
    memcpy(file, rewrite->bytes, rewrite->size);
    Elf64_Shdr *text =
        (Elf64_Shdr *)(file + ((uint8_t *)rewrite->sections - rewrite->bytes)) + rewrite->text;
    code_write(rewrite, counters, file + place);
    text->sh_offset = place;
    text->sh_size = bytes;
    rewrite->made = file;
    rewrite->made_size = place + bytes;
    return NULL;
}

void rewrite_finish(struct rewrite *rewrite)
{
    code_finish(&rewrite->code);
    free(rewrite->moved);
    free(rewrite->blocks);
    free(rewrite->functions);
    free(rewrite->covered);
    free(rewrite->bytes);
    free(rewrite->made);
    *rewrite = (struct rewrite){0};
}
