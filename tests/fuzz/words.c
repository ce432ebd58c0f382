/* Texts of words. See words.h. */
#include "words.h"

#include <string.h>

static const char *const json[] = {
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\\u",
    "\n",
    " ",
    "0",
    "1",
    "-1",
    "0.5",
    "1e5",
    "1e300",
    "0000",
    "true",
    "null",
    "\"x\"",
    "\xff",
    "\xed\xa0\x80",
    "\\ud800",
    "\\ud83d\\ude00",
    "\xc3\xa9",
    "\\u0001",
    "\"a\":",
    "[[[[[[[[",
    "{\"a\":{\"a\":",
};

const struct fuzz_words fuzz_words_json = {json, sizeof(json) / sizeof(json[0])};

/* Without the end of a string. */
size_t fuzz_text_put(uint8_t *bytes, size_t size, size_t max_bytes, const char *text)
{
    const size_t length = strlen(text);
    if (length > max_bytes - size) {
        return size;
    }
    for (size_t i = 0; i < length; i++) {
        bytes[size + i] = (uint8_t)text[i];
    }
    return size + length;
}

size_t fuzz_words_put(struct fuzz_random *random, struct fuzz_words words, uint8_t *bytes,
                      size_t size, size_t max_bytes)
{
    const struct fuzz_words from = fuzz_one_in(random, 2) ? fuzz_words_json : words;
    return fuzz_text_put(bytes, size, max_bytes, from.list[fuzz_below(random, from.count)]);
}

size_t fuzz_words_insert(struct fuzz_random *random, struct fuzz_words words, uint8_t *bytes,
                         size_t size, size_t max_bytes)
{
    uint8_t word[128];
    const size_t length = fuzz_words_put(random, words, word, 0, sizeof(word));
    const size_t at = fuzz_below(random, (uint32_t)size + 1);
    if (length > max_bytes - size) {
        return size;
    }
    memmove(bytes + at + length, bytes + at, size - at);
    memcpy(bytes + at, word, length);
    return size + length;
}

size_t fuzz_words_seed(struct fuzz_random *random, struct fuzz_words words, uint32_t most,
                       uint8_t *bytes, size_t max_bytes)
{
    size_t size = 0;
    for (uint32_t left = fuzz_below(random, most); left; left--) {
        size = fuzz_words_put(random, words, bytes, size, max_bytes);
    }
    return size;
}
