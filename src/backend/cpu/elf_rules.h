/* What the loader of native binaries does for each architecture: relocations as rows, the stub
 * through which code calls what lies far away. Nothing here depends on the machine that the loader
 * runs on. */
#ifndef GEO_BACKEND_CPU_ELF_RULES_H
#define GEO_BACKEND_CPU_ELF_RULES_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

/* What a relocation tells: of symbol S with addend A at place P. */
enum geo_elf_value {
    GEO_ELF_ADDRESS,  /* S + A */
    GEO_ELF_DISTANCE, /* S + A - P */
    GEO_ELF_PAGES,    /* the same between their pages of 4 KiB */
};

enum geo_elf_symbol_use {
    GEO_ELF_DIRECT, /* the symbol itself, which is in this image or is named by a whole address */
    GEO_ELF_CALL,   /* a stub where the symbol is outside */
    GEO_ELF_TABLE,  /* its entry in the offset table */
};

/* One type of relocation: bits of the value, without its `drop` lowest, stored at bit `at` of a
 * little-endian word. What does not fit is refused where `checked`; the dropped bits are zero then,
 * and where `aligned`. `split`: the two lowest go to bits 29 and 30 (ADR). */
struct geo_elf_rule {
    uint32_t type;
    uint8_t bytes; /* of the word; 0: nothing is done */
    uint8_t value; /* enum geo_elf_value */
    uint8_t use;   /* enum geo_elf_symbol_use */
    uint8_t drop, bits, at;
    bool checked, aligned, split;
};

#define GEO_ELF_PAGES_BYTES 4096u /* of GEO_ELF_PAGES, whatever pages the system has */
#define GEO_ELF_STUB_BYTES  16u

struct geo_elf_rules {
    uint16_t machine; /* e_machine */
    const struct geo_elf_rule *rules;
    uint32_t rule_count;
    uint32_t unwind_type; /* sh_type that tables for unwinding have; 0: the common one */
    /* A jump to where the entry of the offset table leads; both are addresses at run time. */
    void (*stub_write)(uint8_t stub[GEO_ELF_STUB_BYTES], uint64_t stub_address,
                       uint64_t entry_address);
};

/* NULL: nobody makes code for it. */
const struct geo_elf_rules *geo_elf_rules_of(uint16_t machine);
/* NULL: a type that is not allowed. */
const struct geo_elf_rule *geo_elf_rule_find(const struct geo_elf_rules *rules, uint32_t type);

/* Writes `value`, of the kind that the rule names. False: it does not fit. */
bool geo_elf_rule_apply(const struct geo_elf_rule *rule, uint8_t *place, uint64_t value);

#endif
