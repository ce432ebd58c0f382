/* Unit test of the free registers in profiles, for every level: LLVM's disassembler reads the code,
 * and names no register that the profile calls free. The code itself does not run. */
#include "compiler/compiler.h"
#include "native/abi.h"
#include "native/native.h"
#include "native/registers.h"

#include "support.h"

#include <elf.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define R10_R11 (UINT64_C(3) << 10)
#define Z30_Z31 (UINT64_C(3) << 46)
#define K7      (UINT64_C(1) << 55)

/* All names of the parts of general registers, by number. */
static const char *const general[16] = {
    " rax eax ax al ah ",   " rcx ecx cx cl ch ",   " rdx edx dx dl dh ",   " rbx ebx bx bl bh ",
    " rsp esp sp spl ",     " rbp ebp bp bpl ",     " rsi esi si sil ",     " rdi edi di dil ",
    " r8 r8d r8w r8b ",     " r9 r9d r9w r9b ",     " r10 r10d r10w r10b ", " r11 r11d r11w r11b ",
    " r12 r12d r12w r12b ", " r13 r13d r13w r13b ", " r14 r14d r14w r14b ", " r15 r15d r15w r15b ",
};

/* Returns the bit of a register that an instruction's text names, or 0 for others. */
static uint64_t register_bit(const char *name, size_t length)
{
    char word[16];
    unsigned number;
    char letter, rest;
    if (length + 3 > sizeof(word)) {
        return 0;
    }
    snprintf(word, sizeof(word), " %.*s ", (int)length, name);
    for (unsigned i = 0; i < 16; i++) {
        if (strstr(general[i], word)) {
            return UINT64_C(1) << i;
        }
    }
    if (sscanf(word, " %cmm%u%c", &letter, &number, &rest) == 3 && strchr("xyz", letter)) {
        return UINT64_C(1) << (16 + number);
    }
    return sscanf(word, " k%u%c", &number, &rest) == 2 ? UINT64_C(1) << (48 + number) : 0;
}

static uint64_t registers_named(const char *text)
{
    uint64_t found = 0;
    for (const char *at = strchr(text, '%'); at; at = strchr(at + 1, '%')) {
        found |= register_bit(at + 1, strspn(at + 1, "abcdefghijklmnopqrstuvwxyz0123456789"));
    }
    return found;
}

/* The code of an object: its functions, and relocations of calls. */
struct object {
    const uint8_t *text;
    size_t text_bytes;
    const Elf64_Sym *symbols;
    size_t symbol_count;
    const char *names;
    const Elf64_Rela *relocations;
    size_t relocation_count;
    bool read[1 << 17]; /* functions that were read, by offset */
    uint64_t registers; /* that they name */
    uint32_t calls;
};

static void object_open(const struct geo_native_view *view, struct object *object)
{
    const Elf64_Ehdr *header = (const void *)view->file;
    const Elf64_Shdr *sections = (const void *)(view->file + header->e_shoff);
    memset(object, 0, sizeof(*object));
    for (uint32_t i = 0; i < header->e_shnum; i++) {
        const Elf64_Shdr *section = &sections[i];
        const uint8_t *bytes = view->file + section->sh_offset;
        if (section->sh_flags & SHF_EXECINSTR) {
            assert_null(object->text);
            object->text = bytes;
            object->text_bytes = section->sh_size;
        } else if (section->sh_type == SHT_SYMTAB) {
            object->symbols = (const void *)bytes;
            object->symbol_count = section->sh_size / sizeof(Elf64_Sym);
            object->names = (const char *)view->file + sections[section->sh_link].sh_offset;
        } else if (section->sh_type == SHT_RELA &&
                   sections[section->sh_info].sh_flags & SHF_EXECINSTR) {
            object->relocations = (const void *)bytes;
            object->relocation_count = section->sh_size / sizeof(Elf64_Rela);
        }
    }
    assert_true(object->text && object->symbols &&
                object->text_bytes < sizeof(object->read) / sizeof(object->read[0]));
}

static const Elf64_Rela *relocation_at(const struct object *object, size_t offset)
{
    for (size_t i = 0; i < object->relocation_count; i++) {
        if (object->relocations[i].r_offset == offset) {
            return &object->relocations[i];
        }
    }
    return NULL;
}

static void function_read(struct object *object, LLVMDisasmContextRef context, size_t start);

/* Reads the function that a direct call reaches. Functions outside of the object may overwrite
 * everything that they need not save. */
static void target_read(struct object *object, LLVMDisasmContextRef context, size_t at)
{
    const Elf64_Rela *relocation = relocation_at(object, at + 1);
    int32_t distance;
    memcpy(&distance, object->text + at + 1, sizeof(distance));
    size_t target = at + 5 + (size_t)(ptrdiff_t)distance;
    if (relocation) {
        const Elf64_Sym *symbol = &object->symbols[ELF64_R_SYM(relocation->r_info)];
        if (symbol->st_shndx == SHN_UNDEF) {
            object->registers = UINT64_MAX;
            return;
        }
        target = symbol->st_value + (size_t)relocation->r_addend + 4;
    }
    function_read(object, context, target);
}

/* Reads a function and those that it calls. */
static void function_read(struct object *object, LLVMDisasmContextRef context, size_t start)
{
    char text[256];
    const Elf64_Sym *symbol = object->symbols;
    while (symbol < object->symbols + object->symbol_count &&
           (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_value != start)) {
        symbol++;
    }
    assert_true(symbol < object->symbols + object->symbol_count);
    if (object->read[start]) {
        return;
    }
    object->read[start] = true;
    for (size_t at = start; at < start + symbol->st_size;) {
        size_t length = LLVMDisasmInstruction(context, (uint8_t *)(uintptr_t)object->text + at,
                                              object->text_bytes - at, at, text, sizeof(text));
        assert_true(length > 0);
        object->registers |= registers_named(text);
        if (object->text[at] == 0xe8 && length == 5) {
            object->calls++;
            target_read(object, context, at);
        } else if (strstr(text, "call")) {
            object->registers = UINT64_MAX;
        }
        at += length;
    }
}

/* Reads a kernel with all that it reaches. */
static void kernel_read(struct object *object, const char *name)
{
    LLVMDisasmContextRef context = LLVMCreateDisasm("x86_64-linux", NULL, 0, NULL, NULL);
    assert_non_null(context);
    for (size_t i = 0; i < object->symbol_count; i++) {
        if (strcmp(object->names + object->symbols[i].st_name, name) == 0) {
            function_read(object, context, object->symbols[i].st_value);
        }
    }
    LLVMDisasmDispose(context);
    assert_int_not_equal(object->registers, 0);
}

/* The free registers of all kernels of a build. */
struct sum {
    uint32_t kernels, calls;
    uint64_t any, every;
};

static void binary_check(const struct geo_compiler_output *output, struct sum *sum)
{
    static struct object one, *object = &one;
    struct geo_native_view view;
    const char *reason;
    assert_int_equal(geo_native_parse(output->binary, output->binary_bytes, &view, &reason),
                     ZE_RESULT_SUCCESS);
    for (uint32_t i = 0; i < view.header->kernel_count; i++) {
        const struct geo_native_cpu_kernel *record =
            (const void *)geo_native_payload_entry(&view, view.payloads, i);
        const char *symbol = geo_native_string(&view, record->symbol);
        object_open(&view, object);
        kernel_read(object, symbol);
        if (record->free_registers & object->registers) {
            fail_msg("%s uses registers 0x%llx that are called free", symbol,
                     (unsigned long long)(record->free_registers & object->registers));
        }
        assert_int_equal(
            record->free_registers &
                ~geo_native_registers_scratch(view.payloads[0].target, view.payloads[0].features),
            0);
        assert_int_equal(record->profile_flags, GEO_NATIVE_PROFILE_FLAGS);
        sum->kernels++;
        sum->calls += object->calls;
        sum->any |= record->free_registers;
        sum->every &= record->free_registers;
    }
}

static void build_check(const char *fixture, const char *cpu, uint32_t lanes, struct sum *sum)
{
    struct geo_compiler_output output;
    size_t bytes;
    void *spirv = support_fixture_bytes(fixture, &bytes);
    const struct geo_compiler_source source = {
        .spirv = spirv, .bytes = bytes, .options = "-zet-profile-flags 3"};
    const struct geo_compiler_request request = {.source_count = 1,
                                                 .sources = &source,
                                                 .target_cpu = cpu,
                                                 .lanes = lanes,
                                                 .instrumented = true};
    assert_int_equal(geo_compiler_open(GEO_COMPILER_INTERFACE)->build(&request, &output),
                     ZE_RESULT_SUCCESS);
    binary_check(&output, sum);
    geo_compiler_open(GEO_COMPILER_INTERFACE)->release(&output);
    free(spirv);
}

/* PIN-2, PIN-4 */
static void no_free_register_is_in_the_code(void **state)
{
    (void)state;
    static const char *const fixtures[] = {"control_O0", "groups_O2", "builtins_O2"};
    static const char *const cpus[] = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4",
                                       "x86-64-v4-fp16"};
    static const uint32_t lanes[] = {1, 8, 16};
    for (size_t c = 0; c < sizeof(cpus) / sizeof(cpus[0]); c++) {
        struct sum sum = {.every = UINT64_MAX};
        for (size_t f = 0; f < sizeof(fixtures) / sizeof(fixtures[0]); f++) {
            for (size_t w = 0; w < sizeof(lanes) / sizeof(lanes[0]); w++) {
                build_check(fixtures[f], cpus[c], lanes[w], &sum);
            }
        }
        print_message("%s: %u kernels, %u calls, free in any 0x%014llx, in every 0x%014llx\n",
                      cpus[c], sum.kernels, sum.calls, (unsigned long long)sum.any,
                      (unsigned long long)sum.every);
        assert_int_equal(sum.every & R10_R11, R10_R11);
        assert_int_not_equal(sum.calls, 0);
        if (strstr(cpus[c], "v4")) {
            assert_int_equal(sum.any & (Z30_Z31 | K7), Z30_Z31 | K7);
        }
    }
}

int main(void)
{
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86Disassembler();
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_free_register_is_in_the_code)};
    return cmocka_run_group_tests_name("registers", tests, NULL, NULL);
}
