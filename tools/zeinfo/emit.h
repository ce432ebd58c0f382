/* Output: a tree of named values, written as aligned text or as JSON, with the same names in both:
 * those of the API. */
#ifndef ZEINFO_EMIT_H
#define ZEINFO_EMIT_H

#include <stdbool.h>
#include <stdint.h>

struct emit;

enum emit_shape {
    EMIT_OBJECT,
    EMIT_LIST, /* of values or objects; their key is NULL */
    EMIT_ROW,  /* a list of values, on one line as text */
};

enum emit_unit { EMIT_PLAIN, EMIT_BYTES, EMIT_HEX };

struct emit_ops {
    void (*begin)(struct emit *emit, const char *key, enum emit_shape shape);
    void (*end)(struct emit *emit);
    void (*text)(struct emit *emit, const char *key, const char *text);
    void (*number)(struct emit *emit, const char *key, uint64_t number, enum emit_unit unit);
    void (*integer)(struct emit *emit, const char *key, int64_t number);
    void (*real)(struct emit *emit, const char *key, double number);
    void (*boolean)(struct emit *emit, const char *key, bool value);
    bool (*finish)(struct emit *emit); /* writes what is left, frees; false when writing failed */
};

struct emit {
    const struct emit_ops *ops;
};

/* NULL when memory ran out. Both write to standard output. */
struct emit *emit_text_create(void);
struct emit *emit_json_create(void);

static inline void emit_begin(struct emit *emit, const char *key, enum emit_shape shape)
{
    emit->ops->begin(emit, key, shape);
}

static inline void emit_end(struct emit *emit)
{
    emit->ops->end(emit);
}

static inline void emit_text(struct emit *emit, const char *key, const char *text)
{
    emit->ops->text(emit, key, text);
}

static inline void emit_number(struct emit *emit, const char *key, uint64_t number,
                               enum emit_unit unit)
{
    emit->ops->number(emit, key, number, unit);
}

static inline void emit_signed(struct emit *emit, const char *key, int64_t number)
{
    emit->ops->integer(emit, key, number);
}

static inline void emit_real(struct emit *emit, const char *key, double number)
{
    emit->ops->real(emit, key, number);
}

static inline void emit_bool(struct emit *emit, const char *key, bool value)
{
    emit->ops->boolean(emit, key, value);
}

static inline bool emit_finish(struct emit *emit)
{
    return emit->ops->finish(emit);
}

#endif
