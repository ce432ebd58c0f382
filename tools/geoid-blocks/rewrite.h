/* Rewrites the native binary of a module so that it counts its basic blocks.
 *
 * A native binary is a relocatable ELF file. Its code is replaced by a copy with a counter at the
 * start of each block. Symbols, relocations and jump tables are moved to the copy. Debug
 * information and unwind tables are removed, since they describe the code before. The checksum
 * becomes 0, which tells the driver that a tool has changed the file. */
#ifndef GEOID_BLOCKS_REWRITE_H
#define GEOID_BLOCKS_REWRITE_H

#include "code.h"

#include <elf.h>

/* A function of the code. */
struct rewrite_function {
    const char *name;
    uint32_t offset, size;
    uint32_t free_registers; /* general registers that it never uses: a bit for each number */
};

/* A basic block. */
struct rewrite_block {
    uint32_t offset;   /* in the code before */
    uint32_t function; /* index of its function; UINT32_MAX: none */
    size_t inst;       /* index of its first instruction */
};

/* A binary and what is known about it. */
struct rewrite {
    uint8_t *bytes; /* a copy of the binary; rewrite_make changes its symbols and relocations */
    size_t size;
    Elf64_Shdr *sections;         /* in `bytes` */
    uint32_t section_count, text; /* index of the section with code */
    Elf64_Sym *symbols;           /* in `bytes` */
    size_t symbol_count;
    const char *names;
    size_t names_bytes;
    uint8_t *covered; /* a bit for each byte of code that a relocation writes */
    struct code code;
    struct rewrite_function *functions;
    size_t function_count;
    struct rewrite_block *blocks;
    size_t block_count;
    uint32_t *moved; /* [instructions + 1] offset of each, or of its counter, in the new code */
    uint8_t *made;   /* the new binary */
    size_t made_size;
};

/* Reads a binary and finds its functions and blocks. Returns NULL, or why it cannot be changed. The
 * caller always calls rewrite_finish. */
const char *rewrite_begin(struct rewrite *rewrite, const uint8_t *bytes, size_t size);

/* Makes the new binary, in which block i adds 1 to counters[i] atomically. The counters are memory
 * of this process. Returns NULL, or why it could not be made; `made` is the binary. */
const char *rewrite_make(struct rewrite *rewrite, const uint64_t *counters);

void rewrite_finish(struct rewrite *rewrite);

#endif
