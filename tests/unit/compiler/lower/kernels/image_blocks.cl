/* Block reads and writes of images at S = 8, 16 and 32, with prototypes of our own: clang declares
 * only some of these functions. */
#define OVERLOAD __attribute__((overloadable))
#define SIZE(S)  __attribute__((intel_reqd_sub_group_size(S)))

/* What a block of one image is goes to each item, and to another image. */
#define PLAIN(TN, suffix, S)                                                                       \
    SIZE(S)                                                                                        \
    kernel void plain_##suffix##_##S(read_only image2d_t from, write_only image2d_t to,            \
                                     int2 read_at, int2 write_at, global TN *lanes)                \
    {                                                                                              \
        TN v = intel_sub_group_block_read_##suffix(from, read_at);                                 \
        lanes[get_global_id(0)] = v;                                                               \
        intel_sub_group_block_write_##suffix(to, write_at, v);                                     \
    }
#define PLAIN_TYPE(TN, suffix)                                                                     \
    TN OVERLOAD intel_sub_group_block_read_##suffix(read_only image2d_t from, int2 at);            \
    void OVERLOAD intel_sub_group_block_write_##suffix(write_only image2d_t to, int2 at, TN value);

/* The same of blocks of a width and a height. */
#define MEDIA(TN, suffix, S, W, H)                                                                 \
    SIZE(S)                                                                                        \
    kernel void media_##suffix##_##S(read_only image2d_t from, write_only image2d_t to,            \
                                     int2 read_at, int2 write_at, global TN *lanes)                \
    {                                                                                              \
        TN v = intel_sub_group_media_block_read_##suffix(read_at, W, H, from);                     \
        lanes[get_global_id(0)] = v;                                                               \
        intel_sub_group_media_block_write_##suffix(write_at, W, H, v, to);                         \
    }
#define MEDIA_TYPE(TN, suffix)                                                                     \
    TN OVERLOAD intel_sub_group_media_block_read_##suffix(int2 at, int width, int height,          \
                                                          read_only image2d_t from);               \
    void OVERLOAD intel_sub_group_media_block_write_##suffix(int2 at, int width, int height,       \
                                                             TN value, write_only image2d_t to);

PLAIN_TYPE(uint, ui)
PLAIN_TYPE(uint8, ui8)
PLAIN_TYPE(ushort4, us4)
PLAIN_TYPE(uchar16, uc16)
PLAIN_TYPE(ulong2, ul2)
MEDIA_TYPE(uchar, uc)
MEDIA_TYPE(uchar4, uc4)
MEDIA_TYPE(ushort2, us2)
MEDIA_TYPE(uint8, ui8)

PLAIN(uint, ui, 8)
PLAIN(uint8, ui8, 8)
PLAIN(ushort4, us4, 16)
PLAIN(uchar16, uc16, 32)
PLAIN(ulong2, ul2, 16)
MEDIA(uchar, uc, 8, 4, 2)
MEDIA(uchar4, uc4, 16, 7, 5)
MEDIA(ushort2, us2, 32, 6, 8)
MEDIA(uint8, ui8, 8, 8, 8)
