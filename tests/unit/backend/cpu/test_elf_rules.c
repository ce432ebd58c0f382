/* Relocations and stubs of every architecture, on whatever machine this runs: what the changed
 * instructions mean is read back as their manual says. */
#include "backend/cpu/elf_rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static uint32_t word_at(const uint8_t *place)
{
    uint32_t word;
    memcpy(&word, place, sizeof(word));
    return word;
}

static int64_t sign_extend(uint64_t value, uint32_t bits)
{
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

/* What an arm64 instruction adds to its own page, or to itself. */
static int64_t adr_of(uint32_t word)
{
    return sign_extend((uint64_t)((word >> 5) & 0x7ffff) << 2 | ((word >> 29) & 3), 21);
}

static int64_t branch_of(uint32_t word)
{
    return sign_extend(word & 0x3ffffff, 26) * 4;
}

static bool apply(uint16_t machine, uint32_t type, uint32_t before, uint64_t value, uint32_t *after)
{
    const struct geo_elf_rules *rules = geo_elf_rules_of(machine);
    const struct geo_elf_rule *rule = geo_elf_rule_find(rules, type);
    uint8_t place[8] = {0};
    memcpy(place, &before, sizeof(before));
    assert_non_null(rule);
    bool fits = geo_elf_rule_apply(rule, place, value);
    *after = word_at(place);
    return fits;
}

static void arm64_pages_are_reached_within_four_gigabytes(void **state)
{
    static const int64_t pages[] = {0, 1, -1, 2, 3, 0x12345, -0x54321, 0xfffff, -0x100000};
    uint32_t word;
    (void)state;
    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        assert_true(apply(EM_AARCH64, R_AARCH64_ADR_PREL_PG_HI21, 0x90000013u,
                          (uint64_t)pages[i] * 4096, &word));
        assert_int_equal(adr_of(word), pages[i]);
        assert_int_equal(word & 0x9f00001fu, 0x90000013u); /* adrp x19 */
    }
    assert_false(apply(EM_AARCH64, R_AARCH64_ADR_PREL_PG_HI21, 0, UINT64_C(1) << 32, &word));
    assert_false(apply(EM_AARCH64, R_AARCH64_ADR_GOT_PAGE, 0, ~(UINT64_C(1) << 33), &word));
    assert_true(apply(EM_AARCH64, R_AARCH64_ADR_PREL_LO21, 0x10000000u, (uint64_t)-5, &word));
    assert_int_equal(adr_of(word), -5);
}

static void arm64_offsets_count_in_what_is_accessed(void **state)
{
    static const struct {
        uint32_t type, log2;
    } accesses[] = {
        {R_AARCH64_ADD_ABS_LO12_NC, 0},    {R_AARCH64_LDST8_ABS_LO12_NC, 0},
        {R_AARCH64_LDST16_ABS_LO12_NC, 1}, {R_AARCH64_LDST32_ABS_LO12_NC, 2},
        {R_AARCH64_LDST64_ABS_LO12_NC, 3}, {R_AARCH64_LDST128_ABS_LO12_NC, 4},
        {R_AARCH64_LD64_GOT_LO12_NC, 3},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(accesses) / sizeof(accesses[0]); i++) {
        uint32_t word, log2 = accesses[i].log2;
        uint64_t address = UINT64_C(0x7f0012345fc0);
        assert_true(apply(EM_AARCH64, accesses[i].type, 0xf9400261u, address, &word));
        assert_int_equal(((word >> 10) & 0xfff) << log2, 0xfc0);
        assert_int_equal(word & ~(0xfffu << 10), 0xf9400261u & ~(0xfffu << 10));
        assert_int_equal(apply(EM_AARCH64, accesses[i].type, 0, address + 1, &word), log2 == 0);
    }
}

static void arm64_branches_end_at_128_megabytes(void **state)
{
    static const int64_t near[] = {0, 4, -4, 0x7fffffc, -0x8000000};
    uint32_t word;
    (void)state;
    for (size_t i = 0; i < sizeof(near) / sizeof(near[0]); i++) {
        assert_true(apply(EM_AARCH64, R_AARCH64_CALL26, 0x94000000u, (uint64_t)near[i], &word));
        assert_int_equal(branch_of(word), near[i]);
        assert_int_equal(word >> 26, 0x94000000u >> 26);
    }
    assert_false(apply(EM_AARCH64, R_AARCH64_CALL26, 0, 0x8000000, &word));
    assert_false(apply(EM_AARCH64, R_AARCH64_JUMP26, 0, (uint64_t)-0x8000004, &word));
    assert_false(apply(EM_AARCH64, R_AARCH64_JUMP26, 0, 2, &word));
}

static void x86_64_distances_end_at_two_gigabytes(void **state)
{
    uint32_t word;
    (void)state;
    assert_true(apply(EM_X86_64, R_X86_64_PLT32, 0, (uint64_t)INT32_MIN, &word));
    assert_int_equal(word, 0x80000000u);
    assert_true(apply(EM_X86_64, R_X86_64_PC32, 0xffffffffu, 3, &word));
    assert_int_equal(word, 3);
    assert_false(apply(EM_X86_64, R_X86_64_PC32, 0, (uint64_t)INT32_MAX + 1, &word));
}

/* A stub jumps to what the entry of the offset table holds. */
static void stubs_load_their_entry(void **state)
{
    const uint64_t at = UINT64_C(0x7f0011112220), entries[] = {at + 0x12348, at - 0x7654320};
    uint8_t stub[GEO_ELF_STUB_BYTES];
    int32_t distance;
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        geo_elf_rules_of(EM_AARCH64)->stub_write(stub, at, entries[i]);
        uint32_t page = word_at(stub), load = word_at(stub + 4);
        uint64_t base = (at & ~UINT64_C(4095)) + (uint64_t)adr_of(page) * 4096;
        assert_int_equal(base + ((load >> 10) & 0xfff) * 8, entries[i]);
        assert_int_equal(page & 0x9f00001fu, 0x90000010u);           /* adrp x16 */
        assert_int_equal(load & ~(0xfffu << 10), 0xf9400210u);       /* ldr x16, [x16, #] */
        assert_int_equal(word_at(stub + 8), 0xd61f0000u | 16u << 5); /* br x16 */
        geo_elf_rules_of(EM_X86_64)->stub_write(stub, at, entries[i]);
        memcpy(&distance, stub + 2, sizeof(distance));
        assert_int_equal(stub[0] << 8 | stub[1], 0xff25); /* jmp *distance(%rip) */
        assert_int_equal(at + 6 + (uint64_t)distance, entries[i]);
    }
}

static void nothing_is_known_of_others(void **state)
{
    (void)state;
    assert_null(geo_elf_rules_of(EM_RISCV));
    assert_null(geo_elf_rule_find(geo_elf_rules_of(EM_AARCH64), R_AARCH64_TLSDESC));
    assert_null(geo_elf_rule_find(geo_elf_rules_of(EM_X86_64), R_X86_64_TPOFF64));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arm64_pages_are_reached_within_four_gigabytes),
        cmocka_unit_test(arm64_offsets_count_in_what_is_accessed),
        cmocka_unit_test(arm64_branches_end_at_128_megabytes),
        cmocka_unit_test(x86_64_distances_end_at_two_gigabytes),
        cmocka_unit_test(stubs_load_their_entry),
        cmocka_unit_test(nothing_is_known_of_others),
    };
    return cmocka_run_group_tests_name("elf_rules", tests, NULL, NULL);
}
