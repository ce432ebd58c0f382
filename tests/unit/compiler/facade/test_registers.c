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

/* The registers that one function names, and whether it calls others. */
struct naming {
    uint64_t registers;
    bool calls;
};

static struct naming function_read(const uint8_t *code, size_t size)
{
    struct naming naming = {0};
    char text[256];
    LLVMDisasmContextRef context = LLVMCreateDisasm("x86_64-linux", NULL, 0, NULL, NULL);
    assert_non_null(context);
    for (size_t at = 0; at < size;) {
        size_t length = LLVMDisasmInstruction(context, (uint8_t *)(uintptr_t)code + at, size - at,
                                              at, text, sizeof(text));
        assert_true(length > 0);
        naming.registers |= registers_named(text);
        naming.calls |= strstr(text, "call") != NULL;
        at += length;
    }
    LLVMDisasmDispose(context);
    return naming;
}

/* Reads the functions of an object with a name, or all others. */
static struct naming functions_read(const struct geo_native_view *view, const char *name,
                                    bool others)
{
    const Elf64_Ehdr *header = (const void *)view->file;
    const Elf64_Shdr *sections = (const void *)(view->file + header->e_shoff);
    struct naming all = {0};
    for (uint32_t i = 0; i < header->e_shnum; i++) {
        const Elf64_Sym *symbols = (const void *)(view->file + sections[i].sh_offset);
        for (size_t k = 0;
             sections[i].sh_type == SHT_SYMTAB && k < sections[i].sh_size / sizeof(*symbols); k++) {
            const char *names = (const char *)view->file + sections[sections[i].sh_link].sh_offset;
            const char *symbol = names + symbols[k].st_name;
            if (ELF64_ST_TYPE(symbols[k].st_info) == STT_FUNC &&
                (strcmp(symbol, name) == 0) != others &&
                (!others || strncmp(symbol, "kernel.", 7))) {
                const uint8_t *code = view->file + sections[symbols[k].st_shndx].sh_offset;
                struct naming one = function_read(code + symbols[k].st_value, symbols[k].st_size);
                all.registers |= one.registers;
                all.calls |= one.calls;
            }
        }
    }
    return all;
}

/* What the kernels of a build have free. */
struct sum {
    uint32_t kernels;
    uint64_t any, every;
};

static void binary_check(const struct geo_compiler_output *output, struct sum *sum)
{
    struct geo_native_view view;
    const char *reason;
    assert_int_equal(geo_native_parse(output->binary, output->binary_bytes, &view, &reason),
                     ZE_RESULT_SUCCESS);
    for (uint32_t i = 0; i < view.header->kernel_count; i++) {
        const struct geo_native_cpu_kernel *record =
            (const void *)geo_native_payload_entry(&view, view.payloads, i);
        const char *symbol = geo_native_string(&view, record->symbol);
        struct naming naming = functions_read(&view, symbol, false);
        assert_int_not_equal(naming.registers, 0);
        if (naming.calls) { /* it may reach all functions that are no kernels */
            naming.registers |= functions_read(&view, symbol, true).registers;
        }
        if (record->free_registers & naming.registers) {
            fail_msg("%s uses registers 0x%llx that are called free", symbol,
                     (unsigned long long)(record->free_registers & naming.registers));
        }
        assert_int_equal(
            record->free_registers &
                ~geo_native_registers_scratch(view.payloads[0].target, view.payloads[0].features),
            0);
        assert_int_equal(record->profile_flags, GEO_NATIVE_PROFILE_FLAGS);
        sum->kernels++;
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
    static const char *const fixtures[] = {"control_O2", "groups_O2", "builtins_O2"};
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
        print_message("%s: %u kernels, free in any 0x%014llx, in every 0x%014llx\n", cpus[c],
                      sum.kernels, (unsigned long long)sum.any, (unsigned long long)sum.every);
        assert_int_equal(sum.every & R10_R11, R10_R11);
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
