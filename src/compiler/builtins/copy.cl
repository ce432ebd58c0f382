/* Copies for a work-group asynchronously: `n` elements of `units` units each, with strides in
 * units. Item `item` of `items` copies every items-th unit, so consecutive items copy consecutive
 * units. async_copy.c calls these functions and chooses the unit by the element's size. */
#define OVERLOAD __attribute__((overloadable))

#define COPY(type)                                                                                 \
    void OVERLOAD geo_group_copy(generic type *to, generic const type *from, ulong n, ulong units, \
                                 ulong to_step, ulong from_step, ulong item, ulong items)          \
    {                                                                                              \
        ulong total = n * units;                                                                   \
        if (to_step == units && from_step == units) {                                              \
            for (ulong i = item; i < total; i += items) {                                          \
                to[i] = from[i];                                                                   \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        for (ulong i = item; i < total; i += items) {                                              \
            ulong element = i / units, unit = i % units;                                           \
            to[element * to_step + unit] = from[element * from_step + unit];                       \
        }                                                                                          \
    }

COPY(uchar)
COPY(ushort)
COPY(uint)
