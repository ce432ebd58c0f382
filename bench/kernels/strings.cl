/* Work on text and bytes. */

/* Checks UTF-8: each item checks 16 bytes, with those before them, and counts what is wrong. Knows
 * lengths and continuation bytes, but no ranges of code points. */
__kernel void utf8_check(__global const uchar *text, __global uint *errors)
{
    size_t gid = get_global_id(0);
    uchar16 now = vload16(gid, text);
    uchar16 before = gid == 0 ? (uchar16)(0) : vload16(gid - 1, text);
    uchar16 one = (uchar16)(before.sf, now.s012, now.s3, now.s4567, now.s89ab, now.scd, now.se);
    uchar16 two = (uchar16)(before.sef, now.s01, now.s234, now.s5678, now.s9abc, now.sd);
    uchar16 three = (uchar16)(before.sdef, now.s0, now.s1234, now.s5678, now.s9abc);
    char16 is_continuation = (now & (uchar16)(0xc0)) == (uchar16)(0x80);
    char16 expected =
        (one >= (uchar16)(0xc0)) | (two >= (uchar16)(0xe0)) | (three >= (uchar16)(0xf0));
    char16 bad = (is_continuation ^ expected) | (now >= (uchar16)(0xf8)) |
                 ((now == (uchar16)(0xc0)) | (now == (uchar16)(0xc1)));
    ulong2 halves = as_ulong2(bad);
    errors[gid] = (halves.x | halves.y) != 0 ? 1 : 0;
}

/* Marks where a pattern of 4 to 8 bytes begins: counts its places per 64 bytes. */
__kernel void find_pattern(__global const uchar *text, __global const uchar *pattern,
                           __global uint *counts, int length, int size)
{
    int first = get_global_id(0) * 64;
    uint count = 0;
    for (int i = first; i < first + 64 && i + length <= size; i++) {
        int k = 0;
        while (k < length && (text[i + k] & 15) == (pattern[k] & 15)) {
            k++;
        }
        count += k == length;
    }
    counts[get_global_id(0)] = count;
}

/* Marks the begins of words, and counts words and lines. */
__kernel void tokenise(__global const uchar *text, __global uchar *marks, __global uint *counts)
{
    size_t i = get_global_id(0);
    uchar c = text[i], before = i > 0 ? text[i - 1] : ' ';
    int space = c == ' ' || c == '\n' || c == '\t';
    int space_before = before == ' ' || before == '\n' || before == '\t';
    int begin = !space && space_before;
    uchar kind = space ? 0 : c >= 0x80 ? 1 : c >= '0' && c <= '9' ? 2 : 3;
    marks[i] = kind | begin << 7;
    if (begin) {
        atomic_inc(&counts[0]);
    }
    if (c == '\n') {
        atomic_inc(&counts[1]);
    }
}

/* Finds for each position the longest match of up to 16 bytes in the 32 bytes before it. */
__kernel void lz_match(__global const uchar *text, __global uint *matches)
{
    int i = get_global_id(0), best = 0, where = 0;
    int end = get_global_size(0) - i;
    int most = min(16, end);
    for (int distance = 1; distance <= 32 && distance <= i; distance++) {
        int length = 0;
        while (length < most && text[i + length] == text[i - distance + length]) {
            length++;
        }
        if (length > best) {
            best = length;
            where = distance;
        }
    }
    matches[i] = best << 16 | where;
}

/* Encodes groups of three bytes as four letters of base 64. */
__kernel void base64_encode(__global const uchar *in, __global uchar4 *out,
                            __constant uchar *letters)
{
    size_t i = get_global_id(0);
    uchar3 b = vload3(i, in);
    out[i] = (uchar4)(letters[b.x >> 2], letters[(b.x & 3) << 4 | b.y >> 4],
                      letters[(b.y & 15) << 2 | b.z >> 6], letters[b.z & 63]);
}
