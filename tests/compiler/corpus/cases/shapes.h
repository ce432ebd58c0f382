/* Corpus of OpenCL C kernels: how the tables of cases write their launch shapes. */
#ifndef GEOID_TESTS_CORPUS_SHAPES_H
#define GEOID_TESTS_CORPUS_SHAPES_H

#define SHAPE1(groups, local) {{groups, 1, 1}, {local, 1, 1}, {0, 0, 0}}
#define SHAPE_END             {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}

/* A topic made of some files: TOPIC_FILES(name, CORPUS_FILE(...), ...) */
#define TOPIC_FILES(topic, ...)                                                                    \
    static const struct corpus_file topic##_files[] = {__VA_ARGS__};                               \
    const struct corpus_topic corpus_topic_##topic = {#topic, topic##_files,                       \
                                                      CORPUS_COUNT(topic##_files)}

#endif
