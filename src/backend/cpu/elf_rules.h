/* Rules of the loader of native binaries for each architecture: a table of relocations, and the
 * stub through which code calls distant functions. Nothing here depends on the machine that the
 * loader runs on. */
#ifndef GEO_BACKEND_CPU_ELF_RULES_H
#define GEO_BACKEND_CPU_ELF_RULES_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

/* The value of a relocation, for symbol S with addend A at place P. */
enum geo_elf_value {
    GEO_ELF_ADDRESS,  /* S + A */
    GEO_ELF_DISTANCE, /* S + A - P */
    GEO_ELF_PAGES,    /* S + A - P in pages of 4 KiB */
};

enum geo_elf_symbol_use {
    GEO_ELF_DIRECT, /* the symbol itself, in this image or referenced by a full address */
    GEO_ELF_CALL,   /* a stub if the symbol is outside the image */
    GEO_ELF_TABLE,  /* the symbol's entry in the offset table */
};

/* A relocation type: the bits of the value without its `drop` lowest ones are stored at bit `at` of
 * a little-endian word. With `checked`, values that do not fit are refused, and the dropped bits
 * must be zero; the latter also with `aligned`. `split`: the two lowest bits go to bits 29 and 30
 * (ADR). */
struct geo_elf_rule {
    uint32_t type;
    uint8_t bytes; /* size of the word; 0: the relocation has no effect */
    uint8_t value; /* enum geo_elf_value */
    uint8_t use;   /* enum geo_elf_symbol_use */
    uint8_t drop, bits, at;
    bool checked, aligned, split;
};

/* Page size of GEO_ELF_PAGES, independent of the system's page size. */
#define GEO_ELF_PAGES_BYTES 4096u
#define GEO_ELF_STUB_BYTES  16u

struct geo_elf_rules {
    uint16_t machine; /* e_machine */
    const struct geo_elf_rule *rules;
    uint32_t rule_count;
    uint32_t unwind_type; /* sh_type of unwind tables; 0: the common type */
    /* Relocation types of debug information: S + A in 4 and in 8 bytes. */
    uint32_t word_type, double_type;
    /* Writes a stub that jumps to the address in an entry of the offset table. Both addresses are
     * those at run time. */
    void (*stub_write)(uint8_t stub[GEO_ELF_STUB_BYTES], uint64_t stub_address,
                       uint64_t entry_address);
};

/* Returns the rules of a machine, or NULL when it is not supported. */
const struct geo_elf_rules *geo_elf_rules_of(uint16_t machine);
/* Returns the rule of a relocation type, or NULL when it is not allowed. */
const struct geo_elf_rule *geo_elf_rule_find(const struct geo_elf_rules *rules, uint32_t type);

/* Stores `value` as the rule says. Returns false when it does not fit. */
bool geo_elf_rule_apply(const struct geo_elf_rule *rule, uint8_t *place, uint64_t value);

#endif
