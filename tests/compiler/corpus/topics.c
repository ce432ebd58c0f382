/* The list of topics (one test per topic and lane count), and the shapes that their tables share.
 */
#include <string.h>

#include "cases/shapes.h"
#include "corpus.h"

const struct corpus_shape corpus_flat[] = {SHAPE1(37, 7), SHAPE1(5, 64), SHAPE1(300, 1),
                                           SHAPE1(3, 100), SHAPE_END};
const struct corpus_shape corpus_short[] = {SHAPE1(41, 7), SHAPE1(4, 64), SHAPE_END};
const struct corpus_shape corpus_groups[] = {SHAPE1(3, 1),  SHAPE1(3, 5),   SHAPE1(4, 16),
                                             SHAPE1(2, 33), SHAPE1(3, 128), SHAPE_END};
const struct corpus_shape corpus_cube[] = {SHAPE1(3, 10),
                                           {{3, 2, 1}, {5, 3, 1}, {0, 0, 0}},
                                           {{2, 3, 2}, {3, 2, 5}, {0, 0, 0}},
                                           {{2, 1, 1}, {9, 1, 1}, {100, 0, 0}},
                                           {{2, 2, 3}, {17, 2, 1}, {5, 7, 11}},
                                           SHAPE_END};

#define TOPIC(name) extern const struct corpus_topic corpus_topic_##name;
#include "cases/topics.def"
#undef TOPIC

const struct corpus_topic *const corpus_topics[] = {
#define TOPIC(name) &corpus_topic_##name,
#include "cases/topics.def"
#undef TOPIC
};
const size_t corpus_topic_count = CORPUS_COUNT(corpus_topics);

const struct corpus_topic *corpus_topic_find(const char *name)
{
    for (size_t i = 0; i < corpus_topic_count; i++) {
        if (strcmp(corpus_topics[i]->name, name) == 0) {
            return corpus_topics[i];
        }
    }
    return NULL;
}
