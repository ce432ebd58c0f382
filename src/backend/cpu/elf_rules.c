/* Relocations and stubs of each architecture. See elf_rules.h. */
#include "backend/cpu/elf_rules.h"

#include <stddef.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define PAGE_MASK (~(uint64_t)(GEO_ELF_PAGES_BYTES - 1))

/* ---- x86-64 ---- */

#define NEAR(type, use) {type, 4, GEO_ELF_DISTANCE, use, .bits = 32, .checked = true}

static const struct geo_elf_rule x86_64_rules[] = {
    {R_X86_64_NONE},
    NEAR(R_X86_64_PC32, GEO_ELF_DIRECT),
    NEAR(R_X86_64_PLT32, GEO_ELF_CALL),
    NEAR(R_X86_64_GOTPCREL, GEO_ELF_TABLE),
    NEAR(R_X86_64_GOTPCRELX, GEO_ELF_TABLE),
    NEAR(R_X86_64_REX_GOTPCRELX, GEO_ELF_TABLE),
    {R_X86_64_64, 8, GEO_ELF_ADDRESS, GEO_ELF_DIRECT, .bits = 64},
    {R_X86_64_PC64, 8, GEO_ELF_DISTANCE, GEO_ELF_DIRECT, .bits = 64},
};

/* jmp *distance(%rip) */
static void x86_64_stub(uint8_t stub[GEO_ELF_STUB_BYTES], uint64_t stub_address,
                        uint64_t entry_address)
{
    int32_t distance = (int32_t)(entry_address - (stub_address + 6));
    memset(stub, 0xcc, GEO_ELF_STUB_BYTES);
    stub[0] = 0xff;
    stub[1] = 0x25;
    memcpy(stub + 2, &distance, sizeof(distance));
}

/* ---- arm64 ---- */

/* The lower twelve bits of an address, in an access of 2^log2 bytes (log2 0: also in ADD). */
#define LOW12(type, use, log2)                                                                     \
    {type, 4, GEO_ELF_ADDRESS, use, .drop = log2, .bits = 12 - log2, .at = 10, .aligned = true}
#define PAGES21(type, use)                                                                         \
    {type, 4, GEO_ELF_PAGES, use, .drop = 12, .bits = 21, .at = 5, .checked = true, .split = true}

static const struct geo_elf_rule aarch64_rules[] = {
    {R_AARCH64_NONE},
    {R_AARCH64_ABS64, 8, GEO_ELF_ADDRESS, GEO_ELF_DIRECT, .bits = 64},
    {R_AARCH64_PREL64, 8, GEO_ELF_DISTANCE, GEO_ELF_DIRECT, .bits = 64},
    {R_AARCH64_PREL32, 4, GEO_ELF_DISTANCE, GEO_ELF_DIRECT, .bits = 32, .checked = true},
    {R_AARCH64_CALL26, 4, GEO_ELF_DISTANCE, GEO_ELF_CALL, 2, 26, 0, .checked = true},
    {R_AARCH64_JUMP26, 4, GEO_ELF_DISTANCE, GEO_ELF_CALL, 2, 26, 0, .checked = true},
    {R_AARCH64_ADR_PREL_LO21, 4, GEO_ELF_DISTANCE, GEO_ELF_DIRECT, 0, 21, 5, .checked = true,
     .split = true},
    PAGES21(R_AARCH64_ADR_PREL_PG_HI21, GEO_ELF_DIRECT),
    PAGES21(R_AARCH64_ADR_GOT_PAGE, GEO_ELF_TABLE),
    LOW12(R_AARCH64_ADD_ABS_LO12_NC, GEO_ELF_DIRECT, 0),
    LOW12(R_AARCH64_LDST8_ABS_LO12_NC, GEO_ELF_DIRECT, 0),
    LOW12(R_AARCH64_LDST16_ABS_LO12_NC, GEO_ELF_DIRECT, 1),
    LOW12(R_AARCH64_LDST32_ABS_LO12_NC, GEO_ELF_DIRECT, 2),
    LOW12(R_AARCH64_LDST64_ABS_LO12_NC, GEO_ELF_DIRECT, 3),
    LOW12(R_AARCH64_LDST128_ABS_LO12_NC, GEO_ELF_DIRECT, 4),
    LOW12(R_AARCH64_LD64_GOT_LO12_NC, GEO_ELF_TABLE, 3),
};

#define ADRP_X16  0x90000010u
#define LDR_X16   0xf9400210u /* x16, [x16, #...] */
#define BRANCH_16 0xd61f0200u
#define TRAP      0xd4200000u

static void aarch64_stub(uint8_t stub[GEO_ELF_STUB_BYTES], uint64_t stub_address,
                         uint64_t entry_address)
{
    static const struct geo_elf_rule page = PAGES21(0, 0), low = LOW12(0, 0, 3);
    const uint32_t code[] = {ADRP_X16, LDR_X16, BRANCH_16, TRAP};
    memcpy(stub, code, sizeof(code));
    (void)geo_elf_rule_apply(&page, stub, (entry_address & PAGE_MASK) - (stub_address & PAGE_MASK));
    (void)geo_elf_rule_apply(&low, stub + sizeof(code[0]), entry_address);
}

/* ---- all ---- */

static const struct geo_elf_rules architectures[] = {
    {EM_X86_64, x86_64_rules, COUNT(x86_64_rules), SHT_X86_64_UNWIND, R_X86_64_32, R_X86_64_64,
     x86_64_stub},
    {EM_AARCH64, aarch64_rules, COUNT(aarch64_rules), 0, R_AARCH64_ABS32, R_AARCH64_ABS64,
     aarch64_stub},
};

const struct geo_elf_rules *geo_elf_rules_of(uint16_t machine)
{
    for (size_t i = 0; i < COUNT(architectures); i++) {
        if (architectures[i].machine == machine) {
            return &architectures[i];
        }
    }
    return NULL;
}

const struct geo_elf_rule *geo_elf_rule_find(const struct geo_elf_rules *rules, uint32_t type)
{
    for (uint32_t i = 0; i < rules->rule_count; i++) {
        if (rules->rules[i].type == type) {
            return &rules->rules[i];
        }
    }
    return NULL;
}

/* Returns whether the value fits as a signed number, without the dropped bits. */
static bool value_fits(const struct geo_elf_rule *rule, uint64_t value)
{
    int64_t kept = (int64_t)value >> rule->drop, most = INT64_C(1) << (rule->bits - 1);
    return kept >= -most && kept < most;
}

bool geo_elf_rule_apply(const struct geo_elf_rule *rule, uint8_t *place, uint64_t value)
{
    uint64_t word = 0, dropped = value & ((UINT64_C(1) << rule->drop) - 1);
    if ((rule->checked && !value_fits(rule, value)) ||
        ((rule->checked || rule->aligned) && dropped != 0)) {
        return false;
    }
    uint64_t mask = rule->bits == 64 ? UINT64_MAX : (UINT64_C(1) << rule->bits) - 1;
    value = (value >> rule->drop) & mask;
    memcpy(&word, place, rule->bytes);
    if (rule->split) {
        word = (word & ~(UINT64_C(3) << 29)) | (value & 3) << 29;
        value >>= 2;
        mask >>= 2;
    }
    word = (word & ~(mask << rule->at)) | value << rule->at;
    memcpy(place, &word, rule->bytes);
    return true;
}
