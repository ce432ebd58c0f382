/* A screen in memory: what is drawn is drawn here, by functions that know no terminal. */
#ifndef ZETOP_CANVAS_H
#define ZETOP_CANVAS_H

#include "sample.h"

enum style {
    STYLE_PLAIN,
    STYLE_FAINT,
    STYLE_HEAD,  /* of a table */
    STYLE_TITLE, /* the first and the last line; what is chosen */
    STYLE_GOOD,
    STYLE_HIGH,
    STYLE_BAD,
    STYLES,
};

struct cell {
    uint32_t character; /* of one column, and of ASCII without `utf8` */
    enum style style;
};

struct canvas {
    int width, height;
    bool utf8; /* the terminal shows more than ASCII */
    struct cell *cells;
};

/* Blank, of that size. False: memory ran out, and the canvas is as before. */
bool canvas_begin(struct canvas *canvas, int width, int height);
void canvas_finish(struct canvas *canvas);

/* Writes a text of UTF-8 into [column, column + width) of a row, what is too long is cut; what is
 * outside of the canvas is left out. Returns the columns written. */
int canvas_text(struct canvas *canvas, int row, int column, int width, enum style style,
                const char *text);

/* The same, ending at the field's end; a text that is too long keeps its beginning. */
void canvas_right(struct canvas *canvas, int row, int column, int width, enum style style,
                  const char *text);

/* A style for a whole row, on what is there. */
void canvas_style(struct canvas *canvas, int row, enum style style);

/* The newest values of a history as columns, one each, the newest at the right; full height is
 * `scale`. */
void canvas_graph(struct canvas *canvas, int row, int column, int width, enum style style,
                  const struct history *history, double scale);

#endif
