/* Texts in the JSON that reports write. */
#ifndef GEO_LAYERS_VALIDATION_JSON_TEXT_H
#define GEO_LAYERS_VALIDATION_JSON_TEXT_H

#include "base/strbuf.h"

/* Appends the text as a JSON string, with its quotes. */
static inline void geo_val_json_add(struct geo_strbuf *line, const char *text)
{
    geo_strbuf_add(line, "\"", 1);
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\') {
            geo_strbuf_printf(line, "\\%c", *c);
        } else if ((unsigned char)*c < ' ') {
            geo_strbuf_printf(line, "\\u%04x", (unsigned char)*c);
        } else {
            geo_strbuf_add(line, c, 1);
        }
    }
    geo_strbuf_add(line, "\"", 1);
}

#endif
