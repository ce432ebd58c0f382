/* What CPUID says of the kind of processor, and what the system lets it do: LLVM's choice of a CPU
 * and of a level follows from it. See machine.h. */
#include "driver/compile/machine.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

enum { EAX = 1, EBX = 2, ECX = 4, EDX = 8 };

/* Registers that say nothing of the core that asks, nor of what the system switches. */
static const struct {
    uint32_t leaf, sub;
    uint32_t registers;
} leaves[] = {
    {0, 0, EBX | ECX | EDX},       /* the maker */
    {1, 0, EAX | ECX | EDX},       /* family, model; features */
    {7, 0, EBX | ECX | EDX},       /* features */
    {7, 1, EAX | EBX | ECX | EDX}, /* */
    {0xd, 1, EAX},                 /* saving of states */
    {0x19, 0, EBX},                /* key locker */
    {0x24, 0, EBX},                /* AVX10 */
    {0x80000001u, 0, ECX | EDX},   /* features */
    {0x80000008u, 0, EBX},         /* */
};

/* Which registers the system keeps for programs. */
static uint32_t system_states(void)
{
    uint32_t eax, ebx, ecx, edx;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & bit_OSXSAVE)) {
        return 0;
    }
    __asm__ volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
    return eax;
}

static uint32_t words_ask(uint32_t words[GEO_MACHINE_WORDS])
{
    uint32_t count = 0;
    words[count++] = system_states();
    for (size_t i = 0; i < sizeof(leaves) / sizeof(leaves[0]); i++) {
        uint32_t registers[4] = {0};
        __get_cpuid_count(leaves[i].leaf, leaves[i].sub, &registers[0], &registers[1],
                          &registers[2], &registers[3]);
        for (uint32_t k = 0; k < 4; k++) {
            if (leaves[i].registers & (1u << k)) {
                words[count++] = registers[k];
            }
        }
    }
    return count;
}

/* A virtual machine asks its host for each CPUID, which takes longer than all the rest of a
 * look-up: the first answer is kept. Who finds it half written asks as well, so that nobody waits,
 * also not in the child of a fork that came in between. */
uint32_t geo_machine_read(uint32_t words[GEO_MACHINE_WORDS])
{
    enum { UNKNOWN, BEING_WRITTEN, KNOWN };
    static _Atomic int state;
    static uint32_t known[GEO_MACHINE_WORDS], known_count;
    int expected = UNKNOWN;
    if (atomic_load_explicit(&state, memory_order_acquire) == KNOWN) {
        memcpy(words, known, sizeof(known));
        return known_count;
    }
    uint32_t count = words_ask(words);
    if (atomic_compare_exchange_strong(&state, &expected, BEING_WRITTEN)) {
        memcpy(known, words, count * sizeof(known[0]));
        known_count = count;
        atomic_store_explicit(&state, KNOWN, memory_order_release);
    }
    return count;
}

#else

uint32_t geo_machine_read(uint32_t words[GEO_MACHINE_WORDS])
{
    (void)words;
    return 0;
}

#endif
