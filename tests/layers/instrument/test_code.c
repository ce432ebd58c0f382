/* Test of how geoid-blocks reads machine code, with code by hand, and of its counters, which run
 * here. */
#include "tools/geoid-blocks/code.h"
#include "tools/geoid-blocks/counter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#define FLAGS 0x8d5 /* carry, parity, adjust, zero, sign, overflow */

static const uint8_t uncovered[8]; /* no relocation */

static void decode(struct code *code, const uint8_t *bytes, size_t size)
{
    assert_null(code_decode(code, bytes, size, uncovered));
    code_divide(code);
}

static const struct code_inst *inst_at(const struct code *code, uint32_t offset)
{
    assert_int_not_equal(code->at[offset], 0);
    return &code->insts[code->at[offset] - 1];
}

static void flags_that_the_next_block_reads_are_live(void **state)
{
    static const uint8_t bytes[] = {
        0x39, 0xf7, /*  0: cmp %esi, %edi */
        0x77, 0x03, /*  2: ja 7 */
        0x74, 0x02, /*  4: je 8 */
        0x90,       /*  6: nop */
        0xc3,       /*  7: ret */
        0xeb, 0xfa, /*  8: jmp 4 */
    };
    struct code code;
    (void)state;
    decode(&code, bytes, sizeof(bytes));
    assert_true(inst_at(&code, 4)->leader && inst_at(&code, 4)->flags_live);
    assert_true(inst_at(&code, 8)->leader && inst_at(&code, 8)->flags_live);
    assert_true(inst_at(&code, 0)->leader && !inst_at(&code, 0)->flags_live);
    assert_true(inst_at(&code, 7)->leader && !inst_at(&code, 7)->flags_live);
    assert_true(inst_at(&code, 6)->leader);
    assert_false(inst_at(&code, 2)->leader);
    code_finish(&code);
}

static void flags_that_are_written_first_are_dead(void **state)
{
    static const uint8_t bytes[] = {
        0x83, 0xff, 0x05,             /*  0: cmp $5, %edi */
        0x7c, 0xfb,                   /*  3: jl 0 */
        0x11, 0xf7,                   /*  5: adc %esi, %edi */
        0xc4, 0xe2, 0x7d, 0x17, 0xc0, /*  7: vptest %ymm0, %ymm0 */
        0x75, 0xf2,                   /* 12: jne 0 */
        0xc3,                         /* 14: ret */
    };
    struct code code;
    (void)state;
    decode(&code, bytes, sizeof(bytes));
    assert_false(inst_at(&code, 0)->flags_live);
    assert_true(inst_at(&code, 5)->leader && inst_at(&code, 5)->flags_live);
    assert_false(inst_at(&code, 7)->flags_live);
    code_finish(&code);
}

static void addresses_in_the_code_are_found(void **state)
{
    static const uint8_t bytes[] = {
        0x48, 0x8d, 0x05, 0x01, 0, 0, 0, /* 0: lea 1(%rip), %rax */
        0x90,                            /* 7: nop */
        0xff, 0xe0,                      /* 8: jmp *%rax */
        0x0f, 0x1f, 0x00,                /* 10: nop, which nothing reaches */
    };
    static const uint8_t covered[8] = {0x78}; /* bytes 3 to 6 */
    struct code code;
    (void)state;
    decode(&code, bytes, sizeof(bytes));
    assert_int_equal(inst_at(&code, 0)->near, 3);
    assert_int_equal(inst_at(&code, 0)->target, 8);
    assert_true(inst_at(&code, 8)->leader);
    assert_false(inst_at(&code, 10)->leader);
    code_finish(&code);
    assert_null(code_decode(&code, bytes, sizeof(bytes), covered));
    assert_int_equal(inst_at(&code, 0)->near, 0);
    assert_false(inst_at(&code, 8)->is_target);
    code_finish(&code);
}

static void code_that_is_not_understood_is_refused(void **state)
{
    static const struct {
        uint8_t bytes[4];
        uint8_t size;
        const char *problem;
    } rows[] = {
        {{0xeb, 0x01, 0xb0, 0xc3}, 4, "into an instruction"}, /* jmp 3; mov $0xc3, %al */
        {{0xeb, 0x10}, 2, "out of it"},
        {{0x06}, 1, "unknown instruction"},      /* none in 64-bit mode */
        {{0xe3, 0x00, 0xc3}, 3, "unknown form"}, /* jrcxz */
        {{0xc3}, 0, "empty"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct code code;
        const char *problem = code_decode(&code, rows[i].bytes, rows[i].size, uncovered);
        assert_non_null(problem);
        assert_non_null(strstr(problem, rows[i].problem));
        code_finish(&code);
    }
}

/* Registers and flags before and after a counter. Keeps a value below the stack pointer, as
 * functions that call nothing do. */
struct state {
    uint64_t rax, rcx, r10, r11, flags, below;
};

/* Runs code with a state. The code ends with a return. */
void state_run(struct state *state, const void *code);
__asm__("state_run:\n"
        "    push %rbx\n"
        "    mov %rdi, %rbx\n"
        "    mov (%rbx), %rax\n"
        "    mov 8(%rbx), %rcx\n"
        "    mov 16(%rbx), %r10\n"
        "    mov 24(%rbx), %r11\n"
        "    pushq 32(%rbx)\n"
        "    popfq\n"
        "    call *%rsi\n"
        "    pushfq\n"
        "    popq 32(%rbx)\n"
        "    mov %rax, (%rbx)\n"
        "    mov %rcx, 8(%rbx)\n"
        "    mov %r10, 16(%rbx)\n"
        "    mov %r11, 24(%rbx)\n"
        "    mov %rdx, 40(%rbx)\n"
        "    pop %rbx\n"
        "    ret\n");

static void counter_check(uint8_t *code, uint32_t free_registers, bool flags_live)
{
    static const uint8_t before[] = {0x48, 0xc7, 0x44, 0x24, 0xf8,
                                     0x2a, 0,    0,    0}; /* movq $42, -8(%rsp) */
    static const uint8_t after[] = {0x48, 0x8b, 0x54,
                                    0x24, 0xf8, 0xc3}; /* mov -8(%rsp), %rdx; ret */
    uint64_t counter = 41;
    uint8_t *to = code;
    memcpy(to, before, sizeof(before));
    to += sizeof(before);
    const size_t size = counter_write(to, &counter, free_registers, flags_live);
    assert_true(size <= COUNTER_BYTES);
    assert_int_equal(counter_write(to, NULL, free_registers, flags_live), size);
    counter_write(to, &counter, free_registers, flags_live);
    memcpy(to + size, after, sizeof(after));
    for (uint64_t flags = 0; flags <= FLAGS; flags = ((flags | ~(uint64_t)FLAGS) + 1) & FLAGS) {
        struct state state = {1, 2, 10, 11, flags | 2, 0};
        counter = 41;
        state_run(&state, code);
        assert_int_equal(counter, 42);
        assert_int_equal(state.below, 42);
        assert_int_equal(state.rax, 1);
        assert_int_equal(state.rcx, 2);
        assert_true(state.r10 == 10 || free_registers >> 10 & 1);
        assert_true(state.r11 == 11 || free_registers >> 11 & 1);
        assert_true(!flags_live || (state.flags & FLAGS) == flags);
        if (flags == FLAGS) {
            break;
        }
    }
}

static void counters_change_nothing_else(void **state)
{
    static const uint32_t registers[] = {0, 1u << 10, 1u << 11, 1u << 12 | 1u << 13 | 1u << 4};
    uint8_t *code =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)state;
    assert_ptr_not_equal(code, MAP_FAILED);
    for (size_t i = 0; i < sizeof(registers) / sizeof(registers[0]); i++) {
        counter_check(code, registers[i], false);
        counter_check(code, registers[i], true);
    }
    munmap(code, 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_that_the_next_block_reads_are_live),
        cmocka_unit_test(flags_that_are_written_first_are_dead),
        cmocka_unit_test(addresses_in_the_code_are_found),
        cmocka_unit_test(code_that_is_not_understood_is_refused),
        cmocka_unit_test(counters_change_nothing_else),
    };
    return cmocka_run_group_tests_name("code", tests, NULL, NULL);
}
