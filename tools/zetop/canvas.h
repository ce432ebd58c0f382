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

/* Gives the canvas this size, in characters, and blanks it. Returns false if memory ran out; the
 * canvas is unchanged then. */
bool canvas_begin(struct canvas *canvas, int width, int height);
void canvas_finish(struct canvas *canvas);

/* Writes a UTF-8 text into columns [column, column + width) of a row. A longer text is cut, and
 * what lies outside of the canvas is not written. Returns the number of columns written. */
int canvas_text(struct canvas *canvas, int row, int column, int width, enum style style,
                const char *text);

/* Writes a text as canvas_text does, but aligned to the field's right end. A text that is too long
 * keeps its beginning. */
void canvas_right(struct canvas *canvas, int row, int column, int width, enum style style,
                  const char *text);

/* Sets the style of all cells of a row and keeps their characters. */
void canvas_style(struct canvas *canvas, int row, enum style style);

/* Draws the newest values of a history as bars, one column each, the newest at the right. A bar of
 * full height stands for the value `scale`. */
void canvas_graph(struct canvas *canvas, int row, int column, int width, enum style style,
                  const struct history *history, double scale);

#endif
