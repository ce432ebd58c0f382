/* The address map: sorted leaves below a sorted root, both replaced instead of changed. Writers
 * hold the lock of driver/mem, readers none. See address_map.h. */
#include "driver/mem/address_map.h"

#include "base/assert.h"

#include <stdlib.h>
#include <string.h>

#define LEAF_ENTRIES 64u

/* A range in a leaf. */
struct leaf_entry {
    uintptr_t base, end;
    _Atomic(void *) value; /* NULL: removed */
};

/* A sorted array of ranges. Published leaves do not change, except that values become NULL. */
struct address_leaf {
    struct geo_retired retired;
    uint32_t count;
    struct leaf_entry entries[LEAF_ENTRIES];
};

/* A leaf in the root. */
struct root_slot {
    uintptr_t first; /* leaves hold bases in [first, next slot's first); slot 0: first is 0 */
    _Atomic(struct address_leaf *) leaf;
};

/* The sorted array of leaves. Published roots do not change, except for pointers to leaves. */
struct geo_address_root {
    struct geo_retired retired;
    uint32_t count;
    struct root_slot slots[];
};

/* ---- searching ---- */

/* Returns the last slot whose first <= address. It exists, because slot 0 begins at 0. */
static uint32_t slot_search(const struct geo_address_root *root, uintptr_t address)
{
    uint32_t low = 0, high = root->count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (root->slots[middle].first <= address) {
            low = middle;
        } else {
            high = middle;
        }
    }
    GEO_ASSERT(low < root->count && root->slots[low].first <= address);
    return low;
}

/* Returns how many entries begin at or before the address. */
static uint32_t entry_search(const struct address_leaf *leaf, uintptr_t address)
{
    uint32_t low = 0, high = leaf->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (leaf->entries[middle].base <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool entry_read(struct leaf_entry *entry, struct geo_address_range *out)
{
    void *value = atomic_load(&entry->value);
    if (!value) {
        return false;
    }
    GEO_ASSERT(entry->base < entry->end);
    *out = (struct geo_address_range){entry->base, entry->end, value};
    return true;
}

/* The nearest live range that begins at or before the address decides, because ranges do not
 * overlap. Removed entries are skipped; empty leaves are removed from the root as soon as memory
 * allows. */
bool geo_address_map_find(struct geo_address_map *map, uintptr_t address,
                          struct geo_address_range *out)
{
    struct geo_address_root *root = atomic_load(&map->root);
    if (!root) {
        return false;
    }
    for (uint32_t slot = slot_search(root, address) + 1; slot-- > 0;) {
        struct address_leaf *leaf = atomic_load(&root->slots[slot].leaf);
        for (uint32_t i = entry_search(leaf, address); i-- > 0;) {
            struct geo_address_range range;
            if (entry_read(&leaf->entries[i], &range)) {
                GEO_ASSERT(range.base <= address);
                if (address >= range.end) {
                    return false;
                }
                *out = range;
                return true;
            }
        }
    }
    return false;
}

bool geo_address_map_next(struct geo_address_map *map, uintptr_t address,
                          struct geo_address_range *out)
{
    struct geo_address_root *root = atomic_load(&map->root);
    if (!root) {
        return false;
    }
    for (uint32_t slot = slot_search(root, address); slot < root->count; slot++) {
        struct address_leaf *leaf = atomic_load(&root->slots[slot].leaf);
        uint32_t i = address ? entry_search(leaf, address - 1) : 0;
        for (; i < leaf->count; i++) {
            if (entry_read(&leaf->entries[i], out)) {
                GEO_ASSERT(out->base >= address);
                return true;
            }
        }
    }
    return false;
}

/* ---- changing (one writer) ---- */

/* Returns whether the leaf in this slot is sorted and has no base outside of the slot. */
static bool slot_is_valid(const struct geo_address_root *root, uint32_t slot)
{
    const struct address_leaf *leaf = atomic_load(&root->slots[slot].leaf);
    const uintptr_t first = root->slots[slot].first;
    if (leaf->count == 0 || leaf->count > LEAF_ENTRIES || (slot == 0 && first != 0)) {
        return false;
    }
    for (uint32_t i = 0; i < leaf->count; i++) {
        const struct leaf_entry *entry = &leaf->entries[i];
        if (entry->base >= entry->end || entry->base < first ||
            (i > 0 && entry->base <= leaf->entries[i - 1].base)) {
            return false;
        }
    }
    return slot + 1 == root->count ||
           (leaf->entries[leaf->count - 1].base < root->slots[slot + 1].first &&
            first < root->slots[slot + 1].first);
}

/* Returns whether the slot and its neighbours are valid; after a change no others can be wrong. */
static bool map_is_valid_at(struct geo_address_map *map, uint32_t slot)
{
    const struct geo_address_root *root = atomic_load(&map->root);
    for (uint32_t i = slot > 0 ? slot - 1 : 0; root && i < root->count && i <= slot + 1; i++) {
        if (!slot_is_valid(root, i)) {
            return false;
        }
    }
    return !root || root->count > 0;
}

/* Returns whether a range can be inserted: it overlaps no other, or is the tail of the range that
 * geo_address_map_replace shortens next. */
static bool range_fits(struct geo_address_map *map, const struct geo_address_range *range)
{
    struct geo_address_range other;
    bool apart = !geo_address_map_find(map, range->base, &other) ||
                 (other.base < range->base && other.end == range->end);
    return range->base < range->end && range->value && apart &&
           !(geo_address_map_next(map, range->base, &other) && other.base < range->end);
}

static struct address_leaf *leaf_create(void)
{
    struct address_leaf *leaf = malloc(sizeof(*leaf));
    if (leaf) {
        leaf->count = 0;
    }
    return leaf;
}

static void leaf_add(struct address_leaf *leaf, uintptr_t base, uintptr_t end, void *value)
{
    GEO_ASSERT(leaf->count < LEAF_ENTRIES && base < end && value);
    GEO_ASSERT(leaf->count == 0 || leaf->entries[leaf->count - 1].base < base);
    struct leaf_entry *entry = &leaf->entries[leaf->count++];
    entry->base = base;
    entry->end = end;
    atomic_init(&entry->value, value);
}

static struct geo_address_root *root_create(uint32_t count)
{
    struct geo_address_root *root = malloc(sizeof(*root) + count * sizeof(struct root_slot));
    if (root) {
        root->count = count;
    }
    return root;
}

static void root_set(struct geo_address_root *root, uint32_t slot, uintptr_t first,
                     struct address_leaf *leaf)
{
    GEO_ASSERT(slot < root->count && leaf);
    root->slots[slot].first = first;
    atomic_init(&root->slots[slot].leaf, leaf);
}

/* Publishes a new root in which `slot` of the old one is replaced by 0, 1 or 2 leaves. Returns
 * false if memory is short. */
static bool root_replace(struct geo_address_map *map, struct geo_epoch *epoch, uint32_t slot,
                         struct address_leaf *const *leaves, uint32_t replacements)
{
    struct geo_address_root *old = atomic_load(&map->root);
    GEO_ASSERT(replacements <= 2 && (old ? slot < old->count : slot == 0));
    uint32_t count = old ? old->count - 1 + replacements : replacements;
    struct geo_address_root *root = count ? root_create(count) : NULL;
    if (count && !root) {
        return false;
    }
    uint32_t at = 0;
    for (uint32_t i = 0; old && i < slot; i++) {
        root_set(root, at++, old->slots[i].first, atomic_load(&old->slots[i].leaf));
    }
    for (uint32_t i = 0; i < replacements; i++) {
        uintptr_t first = i == 0 && old ? old->slots[slot].first : leaves[i]->entries[0].base;
        root_set(root, at++, first, leaves[i]);
    }
    for (uint32_t i = slot + 1; old && i < old->count; i++) {
        root_set(root, at++, old->slots[i].first, atomic_load(&old->slots[i].leaf));
    }
    GEO_ASSERT(at == count);
    if (root) {
        root->slots[0].first = 0;
    }
    struct address_leaf *replaced = old ? atomic_load(&old->slots[slot].leaf) : NULL;
    atomic_store(&map->root, root);
    geo_epoch_retire(epoch, replaced ? &replaced->retired : NULL);
    geo_epoch_retire(epoch, old ? &old->retired : NULL);
    return true;
}

/* Copies the live entries of `from` and the new one into one leaf, or into two if they do not fit.
 * Returns how many leaves were made; 0 if memory is short. */
static uint32_t leaf_rebuild(struct address_leaf *from, const struct geo_address_range *range,
                             struct address_leaf *out[2])
{
    struct geo_address_range all[LEAF_ENTRIES + 1];
    uint32_t count = 0;
    bool placed = false;
    for (uint32_t i = 0; from && i < from->count; i++) {
        struct geo_address_range entry;
        if (!entry_read(&from->entries[i], &entry)) {
            continue;
        }
        if (!placed && entry.base > range->base) {
            all[count++] = *range;
            placed = true;
        }
        all[count++] = entry;
    }
    if (!placed) {
        all[count++] = *range;
    }
    GEO_ASSERT(count > 0 && count <= LEAF_ENTRIES + 1);
    uint32_t leaves = count <= LEAF_ENTRIES ? 1 : 2;
    out[0] = leaf_create();
    out[1] = leaves == 2 ? leaf_create() : NULL;
    if (!out[0] || (leaves == 2 && !out[1])) {
        free(out[0]);
        free(out[1]);
        return 0;
    }
    /* Addresses mostly grow, so a split at the end leaves the left leaf well filled. */
    uint32_t split = leaves == 1                          ? count
                     : all[count - 1].base == range->base ? LEAF_ENTRIES * 3 / 4
                                                          : count / 2;
    for (uint32_t i = 0; i < count; i++) {
        leaf_add(out[i >= split], all[i].base, all[i].end, all[i].value);
    }
    return leaves;
}

bool geo_address_map_insert(struct geo_address_map *map, struct geo_epoch *epoch,
                            const struct geo_address_range *range)
{
    GEO_ASSERT(range_fits(map, range));
    struct geo_address_root *root = atomic_load(&map->root);
    uint32_t slot = root ? slot_search(root, range->base) : 0;
    struct address_leaf *old = root ? atomic_load(&root->slots[slot].leaf) : NULL;
    struct address_leaf *leaves[2];
    uint32_t made = leaf_rebuild(old, range, leaves);
    if (made == 0) {
        return false;
    }
    if (old && made == 1) {
        atomic_store(&root->slots[slot].leaf, leaves[0]);
        geo_epoch_retire(epoch, &old->retired);
    } else if (!root_replace(map, epoch, slot, leaves, made)) {
        free(leaves[0]);
        free(leaves[1]);
        return false;
    }
    GEO_ASSERT(map_is_valid_at(map, slot));
    geo_epoch_advance(epoch);
    return true;
}

/* Returns whether `range` may replace a part of the map: a known range begins at the same address,
 * and `range` does not reach the range after it. */
static bool replacement_fits(struct geo_address_map *map, const struct geo_address_range *range)
{
    struct geo_address_range old, next;
    return range->base < range->end && range->value &&
           geo_address_map_find(map, range->base, &old) && old.base == range->base &&
           range->end <= old.end &&
           !(geo_address_map_next(map, range->base + 1, &next) && next.base < range->end);
}

bool geo_address_map_replace(struct geo_address_map *map, struct geo_epoch *epoch,
                             const struct geo_address_range *range)
{
    struct geo_address_root *root = atomic_load(&map->root);
    GEO_ASSERT(replacement_fits(map, range));
    uint32_t slot = slot_search(root, range->base);
    struct address_leaf *old = atomic_load(&root->slots[slot].leaf);
    struct address_leaf *leaf = leaf_create();
    if (!leaf) {
        return false;
    }
    for (uint32_t i = 0; i < old->count; i++) {
        struct geo_address_range entry;
        if (entry_read(&old->entries[i], &entry)) {
            const struct geo_address_range *now = entry.base == range->base ? range : &entry;
            leaf_add(leaf, now->base, now->end, now->value);
        }
    }
    atomic_store(&root->slots[slot].leaf, leaf);
    GEO_ASSERT(map_is_valid_at(map, slot));
    geo_epoch_retire(epoch, &old->retired);
    geo_epoch_advance(epoch);
    return true;
}

static bool leaf_is_empty(struct address_leaf *leaf)
{
    for (uint32_t i = 0; i < leaf->count; i++) {
        if (atomic_load_explicit(&leaf->entries[i].value, memory_order_relaxed)) {
            return false;
        }
    }
    return true;
}

void *geo_address_map_remove(struct geo_address_map *map, struct geo_epoch *epoch, uintptr_t base)
{
    struct geo_address_root *root = atomic_load(&map->root);
    if (!root) {
        return NULL;
    }
    uint32_t slot = slot_search(root, base);
    struct address_leaf *leaf = atomic_load(&root->slots[slot].leaf);
    uint32_t i = entry_search(leaf, base);
    if (i == 0 || leaf->entries[i - 1].base != base) {
        return NULL;
    }
    void *value = atomic_exchange(&leaf->entries[i - 1].value, NULL);
    if (!value) {
        return NULL;
    }
    if (leaf_is_empty(leaf)) {
        /* If memory for a smaller root is short, the empty leaf stays: slower, but correct. */
        (void)root_replace(map, epoch, slot, NULL, 0);
    }
    GEO_ASSERT(map_is_valid_at(map, slot));
    geo_epoch_advance(epoch);
    return value;
}
