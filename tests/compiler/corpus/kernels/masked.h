/* Lanes that are off keep an operand of a merge, or its constant: the masked forms of VPTERNLOG.
   Every merge has constants of its own, no two are one. For kernels and for their C reference:
   writes out[0 .. 15] (of signs: 7) for item i. */
#define EITHER(k, merge)                                                                           \
    out[(4 * (k) + 0) * stride + i] = on ? merge(x, y, 4 * (k) + 1) : x;                           \
    out[(4 * (k) + 1) * stride + i] = on ? merge(x, y, 4 * (k) + 2) : y;                           \
    out[(4 * (k) + 2) * stride + i] = on ? x : merge(x, y, 4 * (k) + 3);                           \
    out[(4 * (k) + 3) * stride + i] = on ? merge(x, y, 4 * (k) + 4) : 4 * (k) + 4;

#define BY_OR(x, y, k)       (((x) & ~(k)) | ((y) & (k)))
#define BY_AND(x, y, k)      (((y) | (k)) & ((x) | ~(k)))
#define BY_SUM(x, y, k)      (((x) & (k)) + ((y) & ~(k)))
#define BY_EXCHANGE(x, y, k) ((((x) ^ (y)) & (k)) ^ (y))
#define SIGN_OF(x, y, k)     copysign((x) + (k), y)
#define SIGN_ON(x, y, k)     copysign(y, (x) + (k))

#define MERGED_BITS  EITHER(0, BY_OR) EITHER(1, BY_AND) EITHER(2, BY_SUM) EITHER(3, BY_EXCHANGE)
#define MERGED_SIGNS EITHER(0, SIGN_OF) EITHER(1, SIGN_ON)
