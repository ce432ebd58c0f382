/* The CPU backend's look at the processor: identity and levels, from CPUID where there is one.
 * See cpuid.h. */
#include "backend/cpu/cpuid.h"

#include "native/native.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VENDOR_INTEL 0x8086u
#define VENDOR_AMD   0x1022u

#if defined(__x86_64__)
#include <cpuid.h>

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
    return ebx == 0x756e6547u ? VENDOR_INTEL : ebx == 0x68747541u ? VENDOR_AMD : 0; /* Genu, Auth */
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

static uint32_t features_read(void)
{
    uint32_t features = 0;
    __builtin_cpu_init();
    if (__builtin_cpu_supports("sse4.2")) {
        features |= GEO_FEATURE_SSE4_2;
    }
    uint32_t eax, ebx, ecx = 0, edx;
    __get_cpuid(1, &eax, &ebx, &ecx, &edx);
    bool f16c = (ecx & bit_F16C) != 0;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") && f16c) {
        features |= GEO_FEATURE_AVX2;
    }
    if ((features & GEO_FEATURE_AVX2) && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
        features |= GEO_FEATURE_AVX512;
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

#else

static void brand_read(char name[64])
{
    strcpy(name, "CPU");
}

static uint32_t vendor_read(void)
{
    return 0;
}

static uint32_t model_read(void)
{
    return 0;
}

static uint32_t features_read(void)
{
    return 0;
}

static uint32_t clock_cpuid(void)
{
    return 0;
}

#endif

static uint32_t clock_cpufreq(void)
{
    char text[32] = {0};
    int fd = open("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    ssize_t length = read(fd, text, sizeof(text) - 1);
    close(fd);
    return length > 0 ? (uint32_t)(strtoul(text, NULL, 10) / 1000) : 0;
}

/* "cpu MHz" of the first processor, which is in the first page of the file. */
static uint32_t clock_proc(void)
{
    char text[4096];
    int fd = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return 0;
    }
    ssize_t length = read(fd, text, sizeof(text) - 1);
    close(fd);
    text[length > 0 ? length : 0] = '\0';
    const char *line = strstr(text, "cpu MHz");
    const char *colon = line ? strchr(line, ':') : NULL;
    return colon ? (uint32_t)strtod(colon + 1, NULL) : 0;
}

void geo_cpu_identify(struct geo_cpu_identity *identity)
{
    memset(identity, 0, sizeof(*identity));
    brand_read(identity->name);
    identity->vendor_id = vendor_read();
    identity->model_id = model_read();
    identity->features = features_read();
    identity->simd_lanes = identity->features & GEO_FEATURE_AVX512 ? 16
                           : identity->features & GEO_FEATURE_AVX2 ? 8
                                                                   : 4;
    identity->clock_mhz = clock_cpufreq();
    if (identity->clock_mhz == 0) {
        identity->clock_mhz = clock_cpuid();
    }
    if (identity->clock_mhz == 0) {
        identity->clock_mhz = clock_proc();
    }
}
