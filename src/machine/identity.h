/* Identity of the processor: its name, the instruction sets that native binaries may use, and all
 * properties by which the compiler may distinguish processors. */
#ifndef GEO_MACHINE_IDENTITY_H
#define GEO_MACHINE_IDENTITY_H

#include <stddef.h>
#include <stdint.h>

/* The processor, as the driver describes it to programs. */
struct geo_machine_identity {
    char name[64];       /* the maker's name, blanks trimmed */
    uint32_t vendor_id;  /* PCI vendor id of the maker; 0: unknown */
    uint32_t model_id;   /* the maker's number */
    uint32_t clock_mhz;  /* 0: unknown */
    uint32_t features;   /* enum geo_native_feature that both processor and system support */
    uint32_t simd_lanes; /* 32-bit lanes of the widest vector register */
};

/* Fills in the identity of this machine. Unknown fields are zero. */
void geo_machine_identify(struct geo_machine_identity *identity);
/* Returns the features (enum geo_native_feature) that the processor has and the system permits. The
 * driver rejects native binaries that need more, and the compiler chooses its level by them. */
uint32_t geo_machine_features(void);

#define GEO_MACHINE_WORDS 24

/* Fills in all words by which the compiler may distinguish processors; they are the same on all
 * cores. Returns their number; 0: unknown. */
uint32_t geo_machine_read(uint32_t words[GEO_MACHINE_WORDS]);

/* ---- defined by the architecture's file (x86_64.c ...) ---- */

/* Fills in everything that identity.c does not read from files; clock_mhz only if the processor
 * reports it. */
void geo_machine_identity_fill(struct geo_machine_identity *identity);
/* Reads the words of geo_machine_read from the processor. Slow: geo_machine_read keeps them. */
uint32_t geo_machine_words_ask(uint32_t words[GEO_MACHINE_WORDS]);

#endif
