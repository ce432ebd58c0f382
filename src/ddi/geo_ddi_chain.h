/* Chains of structures (pNext), and facts about types that C code needs at compile time. The driver
 * uses them to read and fill chains, the layers to check them.
 *
 *     application's struct      first link            second link
 *     +-------------------+      +--------------+      +--------------+
 *     | stype             |      | stype        |      | stype        |
 *     | pNext  -----------+----->| pNext  ------+----->| pNext        |----> NULL
 *     | ...               |      | ...          |      | ...          |
 *     +-------------------+      +--------------+      +--------------+
 *
 * A link of an unknown type is skipped. If a chain has two links of one type, GEO_CHAIN_FIND
 * returns the first. A chain longer than GEO_CHAIN_LIMIT is treated as a loop, and the walk ends.
 *
 * All facts come from the registry (generated: ddi/geo_ddi_facts.h). Asking for a link that the
 * registry does not allow in a chain is a compile error. */
#ifndef GEO_DDI_CHAIN_H
#define GEO_DDI_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <level_zero/zet_api.h>

#include "ddi/geo_ddi_facts.h" /* generated */

/* --- facts --- */

/* All known bits of a flags type: GEO_FLAGS_ALL(ze_init_flags_t). */
#define GEO_FLAGS_ALL(type) GEO_DDI_FLAGS_##type
/* Evaluates to whether an enumeration has a value. Evaluates `value` more than once. */
#define GEO_ENUM_HAS(type, value) GEO_DDI_IS_##type((uint32_t)(value))
/* The structure type of a structure. If it has several, the first. */
#define GEO_STYPE(type) GEO_DDI_STYPE_##type
/* The structure type of `link` in a chain of `base`, which is a structure or a function. A constant
 * expression, for `case` and comparisons. */
#define GEO_LINK_STYPE(base, link) GEO_DDI_LINK_##base##__##link

/* --- walking --- */

enum { GEO_CHAIN_LIMIT = 256 };

/* Iterates over a chain:
 *     for (struct geo_chain walk = geo_chain_begin(p->pNext); walk.link; geo_chain_step(&walk))
 */
struct geo_chain {
    ze_base_properties_t *link; /* NULL at the end */
    uint32_t left;
};

static inline struct geo_chain geo_chain_begin(const void *next)
{
    struct geo_chain chain = {(ze_base_properties_t *)(uintptr_t)next, GEO_CHAIN_LIMIT};
    return chain;
}

static inline void geo_chain_step(struct geo_chain *chain)
{
    chain->link = --chain->left ? (ze_base_properties_t *)chain->link->pNext : NULL;
}

/* The first link of this type, or NULL. */
static inline void *geo_chain_find(const void *next, uint32_t stype)
{
    for (struct geo_chain walk = geo_chain_begin(next); walk.link; geo_chain_step(&walk)) {
        if ((uint32_t)walk.link->stype == stype) {
            return walk.link;
        }
    }
    return NULL;
}

/* The chain of an application's structure: its pNext, or NULL when its stype is not that of `type`.
 * A structure with a wrong stype is therefore used without a chain. Its other members are still
 * read or written, because the function's signature determines their type. */
#define GEO_CHAIN_OF(type, structure)                                                              \
    (GEO_DDI_HAS_STYPE_##type((uint32_t)(structure)->stype)                                        \
         ? (true ? (structure) : (const type *)NULL)->pNext                                        \
         : NULL)

/* Whether the current link of an iteration has the given type. */
#define GEO_LINK_IS(base, link_type, walk)                                                         \
    ((uint32_t)(walk).link->stype == (uint32_t)GEO_LINK_STYPE(base, link_type))

/* The first link of type `link` in a chain of `base`, or NULL. */
#define GEO_CHAIN_FIND(base, link, next)                                                           \
    ((link *)geo_chain_find((next), (uint32_t)GEO_LINK_STYPE(base, link)))

#endif
