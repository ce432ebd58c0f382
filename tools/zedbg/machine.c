/* Describes x86-64. The numbers are those of its psABI. See machine.h. */
#include "machine.h"

#include <string.h>

const uint8_t machine_break[1] = {0xcc}; /* int3 */

static const char *const names[MACHINE_GENERAL] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi",
                                                   "rbp", "rsp", "r8",  "r9",  "r10", "r11",
                                                   "r12", "r13", "r14", "r15", "rip"};
enum { FRAME_POINTER = 6 };

const char *machine_general(unsigned number)
{
    return number < MACHINE_GENERAL ? names[number] : "?";
}

int machine_find(const char *name)
{
    static const struct {
        const char *name;
        int number;
    } others[] = {{"pc", MACHINE_PC}, {"sp", MACHINE_SP}, {"fp", FRAME_POINTER}};
    for (int i = 0; i < MACHINE_GENERAL; i++) {
        if (strcmp(name, names[i]) == 0) {
            return i;
        }
    }
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (strcmp(name, others[i].name) == 0) {
            return others[i].number;
        }
    }
    return -1;
}

int machine_vector(unsigned number)
{
    return number >= 17 && number <= 32   ? (int)number - 17
           : number >= 67 && number <= 82 ? (int)number - 67 + 16
                                          : -1;
}

int machine_mask(unsigned number)
{
    return number >= 118 && number <= 125 ? (int)number - 118 : -1;
}
