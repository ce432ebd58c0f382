/* Machine code of a module as instructions and basic blocks. x86-64 only. */
#ifndef GEOID_BLOCKS_CODE_H
#define GEOID_BLOCKS_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum code_kind {
    CODE_PLAIN,
    CODE_JUMP,   /* to `target` */
    CODE_BRANCH, /* to `target`, or on */
    CODE_CALL,   /* of `target`, in the same code */
    CODE_LEAVE,  /* a jump to an address that is computed, or the end of the code's flow */
    CODE_RETURN,
};

struct code_inst {
    uint32_t offset;
    uint32_t target; /* JUMP, BRANCH, CALL; `near`: what the operand refers to */
    uint8_t length;
    uint8_t kind;     /* enum code_kind */
    uint8_t near;     /* offset in the instruction of an operand that refers to the code; 0: none */
    bool padding;     /* does nothing */
    bool reads_flags; /* before it writes them */
    bool writes_flags; /* all of them */
    bool leader;       /* first of a block */
    bool is_target;    /* something else leads here than the instruction before */
    bool flags_live;   /* of a leader: the block needs the flags that it gets */
};

struct code {
    const uint8_t *bytes;
    size_t size;
    struct code_inst *insts;
    size_t count;
    uint32_t *at; /* [size] 1 + index of the instruction that starts there; 0: none does */
};

/* Decodes code. `covered` has a bit for each byte that a relocation writes. Returns NULL, or why
 * the code cannot be changed. The caller always calls code_finish. */
const char *code_decode(struct code *code, const uint8_t *bytes, size_t size,
                        const uint8_t *covered);

/* Marks an instruction that something outside of the code refers to. Returns false if none starts
 * there. */
bool code_mark(struct code *code, uint64_t offset);

/* Finds the blocks, when all targets are marked. */
void code_divide(struct code *code);

void code_finish(struct code *code);

#endif
