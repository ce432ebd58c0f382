/* The top of a large tree, where all threads work on the same ranges.
 *
 * In rounds: every range that is too large for one thread is divided into chunks; in a first phase
 * chunks are counted into bins, then the cuts are chosen, in a second phase each chunk's references
 * are moved to the sides. That makes a tree of two children a node, whose upper part is then put
 * together to nodes of eight; where nothing of it is left to put together, subtrees begin. */
#ifndef GEO_RTAS_TOP_H
#define GEO_RTAS_TOP_H

#include "rtas/subtree.h"

/* The first round's range is all of the build. */
void geo_rtas_top_begin(struct geo_rtas_build *build);

/* The next round's chunks; false when no range is left that is too large. */
bool geo_rtas_top_round(struct geo_rtas_build *build);
void geo_rtas_top_bin(struct geo_rtas_build *build, uint32_t chunk);  /* first phase */
void geo_rtas_top_choose(struct geo_rtas_build *build);               /* between them */
void geo_rtas_top_move(struct geo_rtas_build *build, uint32_t chunk); /* second phase */
void geo_rtas_top_end_round(struct geo_rtas_build *build);

/* Instead of rounds: cuts what is in order, where the order is known. */
void geo_rtas_top_cut(struct geo_rtas_build *build);

/* Makes the upper nodes and the tasks below them. */
void geo_rtas_top_put_together(struct geo_rtas_build *build);

#endif
