/* Makers of arm64 processors by their number (MIDR_EL1, "CPU implementer" of /proc/cpuinfo), and
 * names of processors by their numbers. */
#ifndef GEO_MACHINE_ARM64_NAME_H
#define GEO_MACHINE_ARM64_NAME_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A maker of arm64 processors. */
struct geo_arm64_maker {
    uint32_t implementer;
    uint32_t vendor_id; /* PCI vendor id */
    const char *name;
};

/* Returns the maker with this number, or NULL if it is unknown. */
static inline const struct geo_arm64_maker *geo_arm64_maker(uint32_t implementer)
{
    static const struct geo_arm64_maker makers[] = {
        {0x41, 0x13b5, "Arm"},      {0x42, 0x14e4, "Broadcom"},  {0x43, 0x177d, "Cavium"},
        {0x46, 0x10cf, "Fujitsu"},  {0x48, 0x19e5, "HiSilicon"}, {0x4e, 0x10de, "NVIDIA"},
        {0x51, 0x17cb, "Qualcomm"}, {0x61, 0x106b, "Apple"},     {0x70, 0x1db7, "Phytium"},
        {0xc0, 0x1def, "Ampere"},
    };
    for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
        if (makers[i].implementer == implementer) {
            return &makers[i];
        }
    }
    return NULL;
}

/* Writes a name such as "Arm CPU 0xd0c". */
static inline void geo_arm64_name(char *name, size_t size, uint32_t implementer, uint32_t part)
{
    const struct geo_arm64_maker *maker = geo_arm64_maker(implementer);
    snprintf(name, size, "%s CPU 0x%03x", maker ? maker->name : "arm64", (unsigned)part);
}

#endif
