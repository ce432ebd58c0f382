/* Identity and levels of x86-64: CPUID, and the features that the system permits. See
 * identity.h. */
#include "machine/identity.h"
#include "native/native.h"

#include <cpuid.h>
#include <string.h>

#define VENDOR_INTEL 0x8086u
#define VENDOR_AMD   0x1022u

static void brand_read(char name[64])
{
    uint32_t words[12] = {0};
    if (__get_cpuid_max(0x80000000u, NULL) < 0x80000004u) {
        strcpy(name, "x86-64");
        return;
    }
    for (uint32_t i = 0; i < 3; i++) {
        __get_cpuid(0x80000002u + i, &words[4 * i], &words[4 * i + 1], &words[4 * i + 2],
                    &words[4 * i + 3]);
    }
    char text[sizeof(words) + 1] = {0};
    memcpy(text, words, sizeof(words));
    const char *from = text + strspn(text, " ");
    size_t length = strlen(from);
    while (length > 0 && from[length - 1] == ' ') {
        length--;
    }
    memcpy(name, from, length);
    name[length] = '\0';
}

static uint32_t vendor_read(void)
{
    uint32_t eax, ebx, ecx, edx;
    if (!__get_cpuid(0, &eax, &ebx, &ecx, &edx)) {
        return 0;
    }
    /* "Genu", "Auth" */
    return ebx == 0x756e6547u ? VENDOR_INTEL : ebx == 0x68747541u ? VENDOR_AMD : 0;
}

static uint32_t model_read(void)
{
    uint32_t eax, ebx, ecx, edx;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) {
        return 0;
    }
    uint32_t family = (eax >> 8) & 15, model = (eax >> 4) & 15;
    if (family == 15) {
        family += (eax >> 20) & 255;
    }
    if (family >= 6) {
        model |= ((eax >> 16) & 15) << 4;
    }
    return family << 8 | model;
}

/* Returns the features. All instruction sets of a level are checked, not only those that the level
 * is named after: without LZCNT, its encoding is another instruction with other results. */
uint32_t geo_machine_features(void)
{
    uint32_t features = 0;
    __builtin_cpu_init();
    if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("ssse3") &&
        __builtin_cpu_supports("popcnt")) {
        features |= GEO_FEATURE_SSE4_2;
    }
    if ((features & GEO_FEATURE_SSE4_2) && __builtin_cpu_supports("avx2") &&
        __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c") &&
        __builtin_cpu_supports("lzcnt") && __builtin_cpu_supports("movbe")) {
        features |= GEO_FEATURE_AVX2;
    }
    if ((features & GEO_FEATURE_AVX2) && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
        features |= GEO_FEATURE_AVX512;
    }
    if ((features & GEO_FEATURE_AVX512) && __builtin_cpu_supports("avx512vnni") &&
        __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
        __builtin_cpu_supports("avx512bitalg") && __builtin_cpu_supports("avx512vpopcntdq")) {
        features |= GEO_FEATURE_VNNI;
    }
    if ((features & GEO_FEATURE_VNNI) && __builtin_cpu_supports("avx512fp16")) {
        features |= GEO_FEATURE_FP16;
    }
    return features;
}

static uint32_t clock_cpuid(void)
{
    uint32_t eax, ebx, ecx, edx;
    if (__get_cpuid_max(0, NULL) >= 0x16 && __get_cpuid(0x16, &eax, &ebx, &ecx, &edx)) {
        return eax & 0xffff;
    }
    return 0;
}

void geo_machine_identity_fill(struct geo_machine_identity *identity)
{
    brand_read(identity->name);
    identity->vendor_id = vendor_read();
    identity->model_id = model_read();
    identity->clock_mhz = clock_cpuid();
    identity->features = geo_machine_features();
    identity->simd_lanes = identity->features & GEO_FEATURE_AVX512 ? 16
                           : identity->features & GEO_FEATURE_AVX2 ? 8
                                                                   : 4;
}

/* ---- properties by which the compiler distinguishes processors ---- */

enum { EAX = 1, EBX = 2, ECX = 4, EDX = 8 };

/* Registers whose contents depend neither on the core nor on settings of the system. */
static const struct {
    uint32_t leaf, sub;
    uint32_t registers;
} leaves[] = {
    {0, 0, EBX | ECX | EDX},       /* maker */
    {1, 0, EAX | ECX | EDX},       /* family, model; features */
    {7, 0, EBX | ECX | EDX},       /* features */
    {7, 1, EAX | EBX | ECX | EDX}, /* */
    {0xd, 1, EAX},                 /* saving of register state */
    {0x19, 0, EBX},                /* key locker */
    {0x24, 0, EBX},                /* AVX10 */
    {0x80000001u, 0, ECX | EDX},   /* features */
    {0x80000008u, 0, EBX},         /* */
};

/* Returns the register sets that the system saves for programs. */
static uint32_t system_states(void)
{
    uint32_t eax, ebx, ecx, edx;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & bit_OSXSAVE)) {
        return 0;
    }
    __asm__ volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
    return eax;
}

uint32_t geo_machine_words_ask(uint32_t words[GEO_MACHINE_WORDS])
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
