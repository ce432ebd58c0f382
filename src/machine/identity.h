/* What the processor says of itself: its name, which instruction sets native binaries may need, and
 * all by which the compiler may tell it from others. */
#ifndef GEO_MACHINE_IDENTITY_H
#define GEO_MACHINE_IDENTITY_H

#include <stddef.h>
#include <stdint.h>

struct geo_machine_identity {
    char name[64];       /* as the maker calls it, blanks trimmed */
    uint32_t vendor_id;  /* PCI vendor of the maker; 0 unknown */
    uint32_t model_id;   /* as the maker numbers it */
    uint32_t clock_mhz;  /* 0 unknown */
    uint32_t features;   /* enum geo_native_feature the machine and the system support */
    uint32_t simd_lanes; /* 32-bit lanes of the widest vector register */
};

void geo_machine_identify(struct geo_machine_identity *identity);
/* Returns the enum geo_native_feature that the processor has and the system lets programs use. The
 * driver refuses native binaries by it, and the compiler chooses the level of its code by it. */
uint32_t geo_machine_features(void);

#define GEO_MACHINE_WORDS 24

/* Everything by which the compiler may tell processors apart; the same on all cores. How many
 * words; 0: not known. */
uint32_t geo_machine_read(uint32_t words[GEO_MACHINE_WORDS]);

/* ---- the architecture's own file (x86_64.c ...) ---- */

/* All but what identity.c finds out in files; clock_mhz as far as the processor says. */
void geo_machine_identity_fill(struct geo_machine_identity *identity);
uint32_t geo_machine_words_ask(uint32_t words[GEO_MACHINE_WORDS]);

#endif
