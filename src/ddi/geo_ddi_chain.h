/* Chains of structures (pNext), and the facts about types that C code needs at compile time. Used
 * by the driver to read and fill what stands in a chain, by layers to check it.
 *
 *     application's struct        first link              second link
 *     +-------------------+      +--------------+        +--------------+
 *     | stype             |      | stype        |        | stype        |
 *     | pNext  -----------+----->| pNext  ------+------->| pNext        |----> NULL
 *     | ...               |      | ...          |        | ...          |
 *     +-------------------+      +--------------+        +--------------+
 *
 * A link that the reader does not know is skipped. Of two links of one type GEO_CHAIN_FIND sees the
 * first. A chain longer than GEO_CHAIN_LIMIT is taken for a loop: the walk ends.
 *
 * All facts come from the registry (generated: ddi/geo_ddi_facts.h). To ask for a link where the
 * registry does not let it stand does not compile.
 */
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
/* Whether an enumeration has a value; evaluates `value` more than once. */
#define GEO_ENUM_HAS(type, value) GEO_DDI_IS_##type((uint32_t)(value))
/* The structure type of a structure; of several the first. */
#define GEO_STYPE(type) GEO_DDI_STYPE_##type
/* The structure type of `link` as a link in a chain of `base`, a structure or a function: for
 * `case` and comparisons. */
#define GEO_LINK_STYPE(base, link) GEO_DDI_LINK_##base##__##link

/* --- walking --- */

enum { GEO_CHAIN_LIMIT = 256 };

/* Walks every link:
 *     for (struct geo_chain walk = geo_chain_begin(p->pNext); walk.link; geo_chain_step(&walk)) */
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
        if ((uint32_t)walk.link->stype == stype)
            return walk.link;
    }
    return NULL;
}

/* What to walk of an application's struct of that type: its pNext when its stype is right, else
 * NULL. A struct that nobody initialised has no chain (its own fields are read or written all the
 * same, the function's signature says what it is). */
#define GEO_CHAIN_OF(type, structure)                                                              \
    (GEO_DDI_HAS_STYPE_##type((uint32_t)(structure)->stype)                                        \
         ? (true ? (structure) : (const type *)NULL)->pNext                                        \
         : NULL)

/* Whether the current link of a walk is one of that type. */
#define GEO_LINK_IS(base, link_type, walk)                                                         \
    ((uint32_t)(walk).link->stype == (uint32_t)GEO_LINK_STYPE(base, link_type))

/* The first `link` in a chain of `base`, as a pointer to it, or NULL. */
#define GEO_CHAIN_FIND(base, link, next)                                                           \
    ((link *)geo_chain_find((next), (uint32_t)GEO_LINK_STYPE(base, link)))

#endif
