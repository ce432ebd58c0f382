/* Texts that are made of words, and changed by putting words into them: what targets whose input is
 * a text share. */
#ifndef TESTS_FUZZ_WORDS_H
#define TESTS_FUZZ_WORDS_H

#include "fuzz.h"

struct fuzz_words {
    const char *const *list;
    uint32_t count;
};

#define FUZZ_WORDS(array) ((struct fuzz_words){(array), sizeof(array) / sizeof((array)[0])})

/* Words of JSON, whatever a text of it is about. */
extern const struct fuzz_words fuzz_words_json;

/* Each writes behind `size` bytes, or changes them, and returns the new size; nothing happens where
 * there is no room. */
size_t fuzz_text_put(uint8_t *bytes, size_t size, size_t max_bytes, const char *text);
size_t fuzz_words_put(struct fuzz_random *random, struct fuzz_words words, uint8_t *bytes,
                      size_t size, size_t max_bytes);

/* A word that is JSON's as often as one of the list, somewhere in the text. */
size_t fuzz_words_insert(struct fuzz_random *random, struct fuzz_words words, uint8_t *bytes,
                         size_t size, size_t max_bytes);

/* Fewer than `most` words, JSON's and those of the list. */
size_t fuzz_words_seed(struct fuzz_random *random, struct fuzz_words words, uint32_t most,
                       uint8_t *bytes, size_t max_bytes);

#endif
