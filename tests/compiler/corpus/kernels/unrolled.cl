/* Private arrays that loops index by their counters: nests, all kinds of steps, several exits, and
 * indexes that stay unknown. The loops run a known number of turns unless a case says otherwise. */
#include "corpus.clh"

#define MIX(hash, x) ((hash) * 31u + (uint)(x))

/* Inner loops that begin at the counter of the outer one, and a turn without inner turns. */
__kernel void unrolled_triangle(__global const uint *in, __global uint *out)
{
    uint a[4][4], hash = 3;
    for (int r = 0; r < 4; r++) {
        for (int c = 0; c <= r; c++) {
            uint sum = in[GID] >> (4 * r + c);
            for (int k = 0; k < c; k++) {
                sum += a[r][k] * a[c][k];
            }
            a[r][c] = a[c][r] = sum;
        }
    }
    for (int r = 3; r >= 0; r--) {
        for (int c = r + 1; c < 4; c++) {
            hash = MIX(hash, a[r][c] ^ a[c][c]);
        }
        hash = MIX(hash, a[r][r]);
    }
    out[GID] = hash;
}

/* Counters that double and halve, and conditions of counters. */
__kernel void unrolled_network(__global const uint *in, __global uint *out)
{
    uint v[8], hash = 1;
    for (uchar k = 0; k < 8; k++) {
        v[k] = in[GID] * (k * 77u + 13u) >> 7;
    }
    for (int size = 2; size <= 8; size *= 2) {
        for (int step = size / 2; step > 0; step /= 2) {
            for (int k = 0; k < 8; k++) {
                int other = k ^ step;
                if (other > k && (v[k] > v[other]) == ((k & size) == 0)) {
                    uint t = v[k];
                    v[k] = v[other];
                    v[other] = t;
                }
            }
        }
    }
    for (int k = 0; k < 8; k++) {
        hash = MIX(hash, v[k]);
    }
    out[GID] = hash;
}

/* A second exit that depends on the item, and an index that stays unknown behind it. */
__kernel void unrolled_insertion(__global const uint *in, __global uint *out)
{
    uint v[7], hash = 5;
    for (int k = 0; k < 7; k++) {
        v[k] = in[GID] * (k * k + 1u) & 255u;
    }
    for (int i = 1; i < 7; i++) {
        uint x = v[i];
        int j = i - 1;
        while (j >= 0 && v[j] > x) {
            v[j + 1] = v[j];
            j--;
        }
        v[j + 1] = x;
    }
    for (int k = 0; k < 7; k++) {
        hash = MIX(hash, v[k]);
    }
    out[GID] = hash;
}

/* Turns that are left early, by a jump to the next one or out of both loops. */
__kernel void unrolled_jumps(__global const uint *in, __global uint *out, int n)
{
    uint a[6], found = 99, hash = in[GID];
    for (int k = 0; k < 6; k++) {
        a[k] = hash >> k & 15u;
    }
    for (int r = 0; r < 5 && found == 99; r += 2) {
        for (int c = r; c < 6; c++) {
            if ((a[c] & 1) == (uint)(n & 1)) {
                continue;
            }
            a[c] = MIX(a[c], r);
            if (a[c] % 7 == 3) {
                found = 10 * r + c;
                break;
            }
            hash = MIX(hash, a[c] + a[5 - c]);
        }
    }
    out[GID] = MIX(hash, found);
}

/* An item that returns in a turn. */
__kernel void unrolled_return(__global const uint *in, __global uint *out)
{
    uint a[5];
    for (int k = 0; k < 5; k++) {
        a[k] = in[GID] >> (3 * k) & 7u;
    }
    out[GID] = 1000;
    for (int k = 4; k >= 0; k--) {
        if (a[k] == 2) {
            out[GID] = k;
            return;
        }
        a[0] += a[k];
    }
    out[GID] = a[0];
}

/* Values that turns exchange, and that live on behind the loop. */
__kernel void unrolled_exchange(__global const uint *in, __global uint *out)
{
    uint a[6], x = in[GID], y = x >> 9, z = 1;
    for (int k = 0; k < 6; k++) {
        uint t = x;
        x = y;
        y = z;
        z = t + k;
        a[k] = x ^ z;
    }
    for (int k = 0; k < 6; k += 3) {
        x += a[k] * a[k + 1] - a[5 - k];
    }
    out[GID] = MIX(MIX(MIX(x, y), z), a[2]);
}

/* Within a loop whose number of turns differs between items. */
__kernel void unrolled_inside(__global const uint *in, __global uint *out, int n)
{
    uint a[4] = {1, 2, 3, 4};
    for (uint i = 0; i < (in[GID] + n) % 9; i++) {
        for (int k = 0; k < 4; k++) {
            a[k] = MIX(a[(k + 1) & 3], a[k] + i);
        }
    }
    out[GID] = a[0] ^ a[1] ^ a[2] ^ a[3];
}

/* An index that differs between items beside indexes by counters. */
__kernel void unrolled_partly(__global const uint *in, __global uint *out)
{
    uint bins[8], hash = 0;
    for (int k = 0; k < 8; k++) {
        bins[k] = k;
    }
    for (int k = 0; k < 10; k++) {
        bins[in[GID] >> (3 * k) & 7u] += k;
    }
    for (int k = 7; k > 0; k--) {
        bins[k - 1] ^= bins[k] << 1;
        hash = MIX(hash, bins[k]);
    }
    out[GID] = MIX(hash, bins[0]);
}

/* Structs, vectors and narrow elements as elements, reached by pointers that step. */
__kernel void unrolled_pointers(__global const uint *in, __global uint *out)
{
    struct {
        short low;
        uint2 pair;
    } a[3];
    uchar bytes[12];
    uint hash = 11;
    uchar *at = bytes;
    for (int k = 0; k < 12; k++) {
        *at++ = (uchar)(in[GID] >> k);
    }
    for (int k = 0; k < 3; k++) {
        a[k].low = (short)(bytes[4 * k] << 5);
        a[k].pair = (uint2)(bytes[4 * k + 1], bytes[4 * k + 2] + k);
    }
    for (int k = 2; k >= 0; k--) {
        hash = MIX(hash, a[k].low + a[k].pair.x * a[2 - k].pair.y + bytes[11 - k]);
    }
    out[GID] = hash;
}

/* More turns than are unrolled, and more elements than become values. */
__kernel void unrolled_never(__global const uint *in, __global uint *out)
{
    uint a[5], b[80], hash = 17;
    for (int k = 0; k < 5; k++) {
        a[k] = in[GID] + k;
    }
    for (int k = 0; k < 80; k++) {
        b[k] = a[k % 5] + k;
    }
    for (int k = 0; k < 400; k++) {
        a[k % 5] = MIX(a[(k + 2) % 5], b[k % 80]);
    }
    for (int k = 0; k < 5; k++) {
        hash = MIX(hash, a[k]);
    }
    out[GID] = hash;
}
