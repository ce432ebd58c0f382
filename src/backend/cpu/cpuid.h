/* What the processor says of itself to the CPU backend: its name, and which instruction sets
 * native binaries may need. */
#ifndef GEO_BACKEND_CPU_CPUID_H
#define GEO_BACKEND_CPU_CPUID_H

#include <stddef.h>
#include <stdint.h>

struct geo_cpu_identity {
    char name[64];       /* brand string, blanks trimmed */
    uint32_t vendor_id;  /* PCI vendor of the maker; 0 unknown */
    uint32_t model_id;   /* family << 8 | model */
    uint32_t clock_mhz;  /* 0 unknown */
    uint32_t features;   /* enum geo_native_feature the machine and the system support */
    uint32_t simd_lanes; /* 32-bit lanes of the widest vector register */
};

void geo_cpu_identify(struct geo_cpu_identity *identity);

#endif
