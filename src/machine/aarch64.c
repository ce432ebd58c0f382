/* Identity and levels of arm64: the main identification register, and the features that the system
 * permits. See identity.h. */
#include "machine/arm64_name.h"
#include "machine/identity.h"
#include "native/native.h"

#include <stdio.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

#ifndef HWCAP_CPUID /* missing in older headers */
#define HWCAP_CPUID (1ul << 11)
#endif

#define LANES 4u /* 32-bit lanes of a NEON register */

/* Reads the main identification register, which the kernel emulates for programs. Returns 0 if it
 * does not. */
static uint32_t midr_read(void)
{
    uint64_t value = 0;
    if (getauxval(AT_HWCAP) & HWCAP_CPUID) {
        __asm__("mrs %0, midr_el1" : "=r"(value));
    }
    return (uint32_t)value;
}

uint32_t geo_machine_features(void)
{
    return 0;
}

void geo_machine_identity_fill(struct geo_machine_identity *identity)
{
    uint32_t midr = midr_read(), implementer = midr >> 24, part = (midr >> 4) & 0xfff;
    const struct geo_arm64_maker *maker = geo_arm64_maker(implementer);
    identity->vendor_id = maker ? maker->vendor_id : 0;
    if (midr) {
        geo_arm64_name(identity->name, sizeof(identity->name), implementer, part);
    } else {
        snprintf(identity->name, sizeof(identity->name), "arm64 CPU");
    }
    identity->model_id = part << 8 | (midr & 0xf) | ((midr >> 16) & 0xf0);
    identity->features = geo_machine_features();
    identity->simd_lanes = LANES;
}

uint32_t geo_machine_words_ask(uint32_t words[GEO_MACHINE_WORDS])
{
    uint64_t first = getauxval(AT_HWCAP), second = getauxval(AT_HWCAP2);
    int vector = prctl(PR_SVE_GET_VL);
    words[0] = midr_read();
    words[1] = (uint32_t)first;
    words[2] = (uint32_t)(first >> 32);
    words[3] = (uint32_t)second;
    words[4] = (uint32_t)(second >> 32);
    words[5] = vector < 0 ? 0 : (uint32_t)vector;
    return 6;
}
