/* Finding words. See words.h. */
#include "words.h"

const char *word_of(const struct words *words, uint32_t value)
{
    for (size_t i = 0; i < words->count; i++) {
        if (words->list[i].value == value) {
            return words->list[i].text;
        }
    }
    return "other";
}
