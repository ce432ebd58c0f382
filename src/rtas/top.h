/* Builds the top of a large tree, where all threads work on the same ranges.
 *
 * It works in rounds. Every range that is too large for one thread is divided into chunks. In a
 * first phase the references of chunks are counted in bins, then the splits are chosen, and in a
 * second phase each chunk's references are moved to their side. The result is a binary tree, whose
 * upper part is then collapsed to nodes with eight children. Subtrees begin where it ends. */
#ifndef GEO_RTAS_TOP_H
#define GEO_RTAS_TOP_H

#include "rtas/subtree.h"

/* Begins with a single range that contains all references. */
void geo_rtas_top_begin(struct geo_rtas_build *build);

/* Prepares the chunks of the next round. Returns false if no range is too large. */
bool geo_rtas_top_round(struct geo_rtas_build *build);
void geo_rtas_top_bin(struct geo_rtas_build *build, uint32_t chunk);  /* first phase */
void geo_rtas_top_choose(struct geo_rtas_build *build);               /* between the phases */
void geo_rtas_top_move(struct geo_rtas_build *build, uint32_t chunk); /* second phase */
void geo_rtas_top_end_round(struct geo_rtas_build *build);

/* Replaces the rounds for sorted references: splits ranges whose codes differ. */
void geo_rtas_top_cut(struct geo_rtas_build *build);

/* Makes the upper nodes, and the tasks for the subtrees below them. */
void geo_rtas_top_put_together(struct geo_rtas_build *build);

#endif
