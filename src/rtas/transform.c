/* Transformations of instances. See transform.h. */
#include "rtas/transform.h"

#include <float.h>
#include <stddef.h>
#include <string.h>

void geo_rtas_transform_read(const ze_rtas_builder_instance_geometry_info_ext_t *info, float m[12])
{
    float raw[16];
    bool rows = info->transformFormat == ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_FLOAT3X4_ROW_MAJOR;
    bool aligned = info->transformFormat ==
                   ZE_RTAS_BUILDER_INPUT_DATA_FORMAT_EXT_FLOAT3X4_ALIGNED_COLUMN_MAJOR;
    size_t column = aligned ? 4 : 3;
    if (rows) {
        memcpy(m, info->pTransform, 12 * sizeof(*m));
        return;
    }
    memcpy(raw, info->pTransform, 4 * column * sizeof(*raw));
    for (size_t i = 0; i < 12; i++) {
        m[i] = raw[i % 4 * column + i / 4];
    }
}

bool geo_rtas_transform_invert(const float m[12], float inverse[12])
{
    double a[3][3], t[3], det = 0;
    for (int r = 0; r < 3; r++) {
        int r1 = (r + 1) % 3, r2 = (r + 2) % 3;
        for (int c = 0; c < 3; c++) { /* cofactors, transposed */
            int c1 = (c + 1) % 3, c2 = (c + 2) % 3;
            a[c][r] =
                (double)m[4 * r1 + c1] * m[4 * r2 + c2] - (double)m[4 * r1 + c2] * m[4 * r2 + c1];
        }
    }
    for (int c = 0; c < 3; c++) {
        det += m[c] * a[c][0];
        t[c] = m[4 * c + 3];
    }
    bool finite = true;
    for (int r = 0; r < 3; r++) {
        double row[4] = {a[r][0] / det, a[r][1] / det, a[r][2] / det, 0};
        row[3] = -(row[0] * t[0] + row[1] * t[1] + row[2] * t[2]);
        for (int c = 0; c < 4; c++) {
            finite = finite && fabs(row[c]) <= FLT_MAX; /* false for NaN */
            inverse[4 * r + c] = finite ? (float)row[c] : 0;
        }
    }
    return finite;
}

/* Returns the next lower float, computed from its bits, so that the driver does not need libm. */
static float float_below(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    bits = value > 0 ? bits - 1 : value < 0 ? bits + 1 : 0x80000001u;
    memcpy(&value, &bits, sizeof(bits));
    return value;
}

bool geo_rtas_transform_box(const float m[12], const struct geo_rtas_box *from,
                            struct geo_rtas_box *to)
{
    to->lower = to->upper = (geo_rtas_vec){0, 0, 0, 0};
    for (int r = 0; r < 3; r++) {
        double lower = m[4 * r + 3], upper = lower, size = fabs(lower);
        for (int c = 0; c < 3; c++) {
            double a = (double)m[4 * r + c] * from->lower[c];
            double b = (double)m[4 * r + c] * from->upper[c];
            lower += a < b ? a : b;
            upper += a < b ? b : a;
            size += fabs(a) + fabs(b);
        }
        size *= 4 * DBL_EPSILON;
        if (!(fabs(lower) < FLT_MAX / 2) || !(fabs(upper) < FLT_MAX / 2)) {
            return false;
        }
        to->lower[r] = float_below((float)(lower - size));
        to->upper[r] = -float_below(-(float)(upper + size));
    }
    return true;
}
