/* Decodes machine code with LLVM's disassembler. See code.h. */
#include "code.h"

#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- names of instructions ---- */

/* Instructions that write all flags that others read, and read none. The names of the first list
 * can have a suffix for the size. */
static const char *const writers[] = {"add", "sub", "cmp", "test", "and", "or", "xor", "neg"};
static const char *const exact_writers[] = {
    "popcntw",  "popcntl",  "popcntq",  "ucomiss",  "ucomisd",  "comiss", "comisd",
    "vucomiss", "vucomisd", "vcomiss",  "vcomisd",  "ptest",    "vptest", "vtestps",
    "vtestpd",  "kortestb", "kortestw", "kortestd", "kortestq", "ktestb", "ktestw",
    "ktestd",   "ktestq",   "vucomish", "vcomish",
};
/* Beginnings of the names of all that read flags. */
static const char *const readers[] = {"j",    "set",   "cmov", "adc",   "sbb",   "rcl",
                                      "rcr",  "pushf", "lahf", "cmc",   "adx",   "adox",
                                      "loop", "fcmov", "ccmp", "ctest", "cfcmov"};

static bool starts(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

static bool name_writes(const char *name)
{
    for (size_t i = 0; i < COUNT(writers); i++) {
        const char *suffix = name + strlen(writers[i]);
        if (starts(name, writers[i]) && (!*suffix || (strchr("bwlq", *suffix) && !suffix[1]))) {
            return true;
        }
    }
    for (size_t i = 0; i < COUNT(exact_writers); i++) {
        if (strcmp(name, exact_writers[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool name_reads(const char *name)
{
    for (size_t i = 0; i < COUNT(readers); i++) {
        if (starts(name, readers[i])) {
            return strcmp(name, "jmp") != 0 && strcmp(name, "jmpq") != 0;
        }
    }
    return false;
}

/* Copies the instruction's name out of its text, without prefixes such as "lock". */
static void name_take(const char *text, char name[32])
{
    static const char *const prefixes[] = {"lock", "rep", "repne", "notrack", "data16"};
    bool prefix;
    do {
        text += strspn(text, " \t");
        size_t length = strcspn(text, " \t"), kept = length < 31 ? length : 31;
        memcpy(name, text, kept);
        name[kept] = '\0';
        text += length;
        prefix = false;
        for (size_t i = 0; i < COUNT(prefixes); i++) {
            prefix |= strcmp(name, prefixes[i]) == 0;
        }
    } while (prefix);
}

/* ---- one instruction ---- */

static int32_t read_i8(const uint8_t *bytes)
{
    return (bytes[0] ^ 0x80) - 0x80;
}

static int32_t read_i32(const uint8_t *bytes)
{
    int32_t value;
    memcpy(&value, bytes, sizeof(value));
    return value;
}

static bool is_covered(const uint8_t *covered, uint32_t offset, uint32_t count)
{
    for (uint32_t i = offset; i < offset + count; i++) {
        if (covered[i / 8] >> i % 8 & 1) {
            return true;
        }
    }
    return false;
}

/* Reads a direct jump, branch or call. Calls with a relocation are plain. */
static const char *flow_read(const struct code *code, struct code_inst *inst,
                             const uint8_t *covered)
{
    const uint8_t *bytes = code->bytes + inst->offset;
    int64_t distance;
    if (inst->length == 2 && (bytes[0] == 0xeb || (bytes[0] & 0xf0) == 0x70)) {
        inst->kind = bytes[0] == 0xeb ? CODE_JUMP : CODE_BRANCH;
        distance = read_i8(bytes + 1);
    } else if (inst->length == 5 && (bytes[0] == 0xe9 || bytes[0] == 0xe8)) {
        inst->kind = bytes[0] == 0xe9 ? CODE_JUMP : CODE_CALL;
        distance = read_i32(bytes + 1);
    } else if (inst->length == 6 && bytes[0] == 0x0f && (bytes[1] & 0xf0) == 0x80) {
        inst->kind = CODE_BRANCH;
        distance = read_i32(bytes + 2);
    } else {
        return "the code has a branch of an unknown form";
    }
    if (is_covered(covered, inst->offset, inst->length)) {
        if (inst->kind == CODE_BRANCH) {
            return "the code has a conditional jump to another section";
        }
        inst->kind = inst->kind == CODE_CALL ? CODE_PLAIN : CODE_LEAVE;
        return NULL;
    }
    const int64_t target = (int64_t)inst->offset + inst->length + distance;
    if (target < 0 || target >= (int64_t)code->size) {
        return "the code has a jump that leads out of it";
    }
    inst->target = (uint32_t)target;
    return NULL;
}

/* Finds the displacement of an operand relative to the instruction, unless a relocation fills it
 * in. The text has its value; the bytes have it once. */
static const char *near_read(const struct code *code, struct code_inst *inst, const char *text,
                             const uint8_t *covered)
{
    const char *operand = strstr(text, "(%rip)");
    if (!operand || is_covered(covered, inst->offset, inst->length)) {
        return NULL;
    }
    while (operand > text && !strchr(" \t,*", operand[-1])) {
        operand--;
    }
    const int64_t distance = strtoll(operand, NULL, 0);
    const int64_t target = (int64_t)inst->offset + inst->length + distance;
    uint32_t found = 0;
    for (uint8_t i = 1; i + 4 <= inst->length; i++) {
        if (read_i32(code->bytes + inst->offset + i) == distance) {
            inst->near = i;
            found++;
        }
    }
    if (found != 1 || target < 0 || target >= (int64_t)code->size) {
        return "the code refers to itself in an unknown form";
    }
    inst->target = (uint32_t)target;
    return NULL;
}

static const char *inst_read(const struct code *code, struct code_inst *inst, const char *text,
                             const uint8_t *covered)
{
    char name[32];
    name_take(text, name);
    inst->writes_flags = name_writes(name);
    inst->reads_flags = name_reads(name);
    inst->padding = starts(name, "nop") || strcmp(name, "int3") == 0 ||
                    (strcmp(name, "xchgw") == 0 && strstr(text, "%ax, %ax"));
    const bool indirect = strchr(text, '*') != NULL;
    if (starts(name, "ret")) {
        inst->kind = CODE_RETURN;
    } else if (starts(name, "ud2") || (starts(name, "jmp") && indirect)) {
        inst->kind = CODE_LEAVE;
    } else if (name[0] == 'j' || starts(name, "loop") || (starts(name, "call") && !indirect)) {
        return flow_read(code, inst, covered);
    }
    return near_read(code, inst, text, covered);
}

/* ---- the code ---- */

static void target_register(void)
{
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86Disassembler();
}

static const char *insts_read(struct code *code, LLVMDisasmContextRef disassembler,
                              const uint8_t *covered)
{
    char text[256];
    for (uint32_t offset = 0; offset < code->size;) {
        const size_t length =
            LLVMDisasmInstruction(disassembler, (uint8_t *)(uintptr_t)code->bytes + offset,
                                  code->size - offset, offset, text, sizeof(text));
        struct code_inst *inst = &code->insts[code->count];
        if (length == 0) {
            return "the code has an unknown instruction";
        }
        *inst = (struct code_inst){.offset = offset, .length = (uint8_t)length};
        const char *problem = inst_read(code, inst, text, covered);
        if (problem) {
            return problem;
        }
        code->at[offset] = (uint32_t)++code->count;
        offset += (uint32_t)length;
    }
    return NULL;
}

/* Marks what instructions refer to. */
static const char *targets_mark(struct code *code)
{
    for (size_t i = 0; i < code->count; i++) {
        const struct code_inst *inst = &code->insts[i];
        const bool refers = inst->kind == CODE_JUMP || inst->kind == CODE_BRANCH ||
                            inst->kind == CODE_CALL || inst->near;
        if (refers && !code_mark(code, inst->target)) {
            return "the code jumps into an instruction";
        }
    }
    return NULL;
}

const char *code_decode(struct code *code, const uint8_t *bytes, size_t size,
                        const uint8_t *covered)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    *code = (struct code){.bytes = bytes, .size = size};
    if (size == 0 || size > UINT32_MAX / 32) {
        return "its code is empty or too large";
    }
    pthread_once(&once, target_register);
    code->insts = calloc(size, sizeof(*code->insts));
    code->at = calloc(size, sizeof(*code->at));
    LLVMDisasmContextRef disassembler = LLVMCreateDisasm("x86_64-linux", NULL, 0, NULL, NULL);
    const char *problem = "memory is short";
    if (code->insts && code->at && disassembler) {
        problem = insts_read(code, disassembler, covered);
        problem = problem ? problem : targets_mark(code);
    }
    if (disassembler) {
        LLVMDisasmDispose(disassembler);
    }
    return problem;
}

bool code_mark(struct code *code, uint64_t offset)
{
    if (offset >= code->size || !code->at[offset]) {
        return false;
    }
    code->insts[code->at[offset] - 1].is_target = true;
    return true;
}

/* ---- blocks ---- */

static bool ends_block(const struct code_inst *inst)
{
    return inst->kind != CODE_PLAIN && inst->kind != CODE_CALL;
}

/* Returns whether only padding lies between an instruction and the next one that is a target. */
static bool is_padding(const struct code *code, size_t index)
{
    while (index < code->count && code->insts[index].padding && !code->insts[index].is_target) {
        index++;
    }
    return index == code->count || code->insts[index].is_target;
}

/* Returns whether the flags are needed at the start of an instruction. */
static bool flags_at(const struct code *code, size_t index)
{
    return index >= code->count || code->insts[index].flags_live;
}

/* Computes flags_live of every instruction, from the end to the start, until nothing changes. It
 * starts with "dead", so a loop that never needs the flags is dead. */
static void flags_solve(struct code *code)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (size_t i = code->count; i-- > 0;) {
            struct code_inst *inst = &code->insts[i];
            const size_t target = inst->target < code->size ? code->at[inst->target] : 0;
            bool live = inst->kind == CODE_LEAVE;
            if (inst->kind == CODE_PLAIN || inst->kind == CODE_BRANCH) {
                live = flags_at(code, i + 1);
            }
            if (inst->kind == CODE_BRANCH || inst->kind == CODE_JUMP) {
                live |= !target || flags_at(code, target - 1);
            }
            live = inst->reads_flags || (live && !inst->writes_flags);
            changed |= live != inst->flags_live;
            inst->flags_live = live;
        }
    }
}

void code_divide(struct code *code)
{
    for (size_t i = 0; i < code->count; i++) {
        struct code_inst *inst = &code->insts[i];
        const bool follows = i == 0 || ends_block(&code->insts[i - 1]);
        const bool falls = i > 0 && code->insts[i - 1].kind == CODE_BRANCH;
        inst->leader = inst->is_target || (follows && (falls || !is_padding(code, i)));
    }
    flags_solve(code);
}

void code_finish(struct code *code)
{
    free(code->insts);
    free(code->at);
    *code = (struct code){0};
}
