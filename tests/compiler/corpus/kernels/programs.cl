/* Whole algorithms, as programs have them. */
#include "corpus.clh"

#define LOCAL_BARRIER barrier(CLK_LOCAL_MEM_FENCE)

__kernel void saxpy(float a, __global const float *x, __global float *y, uint count)
{
    size_t i = GID;
    if (i < count) {
        y[i] = a * x[i] + y[i];
    }
}

__kernel void spmv_csr(__global const uint *lengths, __global const uint *columns,
                       __global const float *values, __global const float *x, __global float *y)
{
    size_t row = GID, n = get_global_size(0);
    uint first = (uint)row * 8, count = lengths[row] % 9;
    float sum = 0.0f;
    for (uint k = first; k < first + count; k++) {
        sum += values[k] * x[columns[k] % n];
    }
    y[row] = sum;
}

__kernel void mandelbrot(__global uint *out, uint width, float left, float top, float step_size,
                         uint limit)
{
    size_t i = GID;
    float cx = left + (float)(i % width) * step_size, cy = top + (float)(i / width) * step_size;
    float x = 0.0f, y = 0.0f;
    uint n = 0;
    while (x * x + y * y <= 4.0f && n < limit) {
        float t = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = t;
        n++;
    }
    out[i] = n;
}

__kernel void nbody(__global const float4 *bodies, __global float4 *out, uint count)
{
    size_t i = GID;
    float4 me = bodies[i];
    float3 force = (float3)(0.0f);
    for (uint k = 0; k < count; k++) {
        float3 d = bodies[k].xyz - me.xyz;
        float square = d.x * d.x + d.y * d.y + d.z * d.z + 0.01f;
        float inverse = 1.0f / sqrt(square);
        force += d * (bodies[k].w * inverse * inverse * inverse);
    }
    out[i] = (float4)(force, me.w);
}

__kernel void black_scholes(__global const float *random, __global float *out)
{
    size_t i = GID;
    float r = fabs(random[i]) * 0.01f;
    float s = 10.0f + 90.0f * r, k = 10.0f + 90.0f * (1.0f - r), t = 1.0f + 9.0f * r;
    float rate = 0.02f, sigma = 0.3f, root = sqrt(t);
    float d1 = (log(s / k) + (rate + sigma * sigma * 0.5f) * t) / (sigma * root),
          d2 = d1 - sigma * root;
    float n1 = 0.5f * erfc(-d1 * 0.70710678f), n2 = 0.5f * erfc(-d2 * 0.70710678f);
    float discount = k * exp(-rate * t);
    out[2 * i] = s * n1 - discount * n2;
    out[2 * i + 1] = discount * (1.0f - n2) - s * (1.0f - n1);
}

__kernel void philox(__global uint4 *out, uint key0, uint key1)
{
    uint4 c = (uint4)((uint)GID, 0, 1, 2);
    for (int r = 0; r < 10; r++) {
        uint high0 = mul_hi(0xD2511F53u, c.x), low0 = 0xD2511F53u * c.x;
        uint high1 = mul_hi(0xCD9E8D57u, c.z), low1 = 0xCD9E8D57u * c.z;
        c = (uint4)(high1 ^ c.y ^ key0, low1, high0 ^ c.w ^ key1, low0);
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    out[GID] = c;
}

__kernel void xorshift_monte_carlo(__global const uint *seeds, __global uint *hits, uint rounds)
{
    uint s = seeds[GID] | 1, inside = 0;
    for (uint k = 0; k < rounds; k++) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        float x = (float)(s & 0xffff) * (1.0f / 65536.0f), y = (float)(s >> 16) * (1.0f / 65536.0f);
        if (x * x + y * y < 1.0f) {
            inside++;
        }
    }
    hits[GID] = inside;
}

__constant uint sha_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

/* One block per work-item: 16 words in, 8 words of state out. */
__kernel void sha256_block(__global const uint *in, __global uint *out)
{
    uint w[64], s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (int k = 0; k < 16; k++) {
        w[k] = in[16 * GID + k];
    }
    for (int k = 16; k < 64; k++) {
        uint a = w[k - 15], b = w[k - 2];
        w[k] = w[k - 16] + w[k - 7] + (rotate(a, 25u) ^ rotate(a, 14u) ^ (a >> 3)) +
               (rotate(b, 15u) ^ rotate(b, 13u) ^ (b >> 10));
    }
    uint a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7];
    for (int k = 0; k < 64; k++) {
        uint t1 = h + (rotate(e, 26u) ^ rotate(e, 21u) ^ rotate(e, 7u)) + ((e & f) ^ (~e & g)) +
                  sha_k[k] + w[k];
        uint t2 =
            (rotate(a, 30u) ^ rotate(a, 19u) ^ rotate(a, 10u)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    uint r[8] = {a, b, c, d, e, f, g, h};
    for (int k = 0; k < 8; k++) {
        out[8 * GID + k] = s[k] + r[k];
    }
}

/* An explicit stack: sorts 16 bytes per work-item. */
__kernel void quicksort(__global const uchar *in, __global uchar *out)
{
    uchar v[16];
    char stack[32];
    int top = 0;
    for (int k = 0; k < 16; k++) {
        v[k] = in[16 * GID + k];
    }
    stack[top++] = 0;
    stack[top++] = 15;
    while (top > 0) {
        int high = stack[--top], low = stack[--top];
        if (low >= high) {
            continue;
        }
        uchar pivot = v[(low + high) / 2];
        int l = low, r = high;
        while (l <= r) {
            while (v[l] < pivot) {
                l++;
            }
            while (v[r] > pivot) {
                r--;
            }
            if (l <= r) {
                uchar t = v[l];
                v[l] = v[r];
                v[r] = t;
                l++;
                r--;
            }
        }
        stack[top++] = (char)low;
        stack[top++] = (char)r;
        stack[top++] = (char)l;
        stack[top++] = (char)high;
    }
    for (int k = 0; k < 16; k++) {
        out[16 * GID + k] = v[k];
    }
}

__kernel void life(__global const uchar *in, __global uchar *out, int width)
{
    int i = (int)GID, total = (int)get_global_size(0), height = total / width;
    int x = i % width, y = i / width, sum = 0;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            if (dx || dy) {
                sum += in[((y + dy + height) % height) * width + (x + dx + width) % width];
            }
        }
    }
    out[i] = y < height && (sum == 3 || (sum == 2 && in[i]));
}

__kernel void convolve(__global const float *in, __constant float *weights, __global float *out,
                       int taps)
{
    int i = (int)GID, n = (int)get_global_size(0);
    float sum = 0.0f;
    for (int k = -taps; k <= taps; k++) {
        int at = clamp(i + k, 0, n - 1);
        sum += in[at] * weights[k + taps];
    }
    out[i] = sum;
}

__kernel void sobel(__global const uchar4 *in, __global uchar4 *out, int width)
{
    int i = (int)GID, n = (int)get_global_size(0);
    int left = max(i - 1, 0), right = min(i + 1, n - 1), up = max(i - width, 0),
        down = min(i + width, n - 1);
    int4 dx = convert_int4(in[right]) - convert_int4(in[left]);
    int4 dy = convert_int4(in[down]) - convert_int4(in[up]);
    out[i] = convert_uchar4_sat(convert_int4(abs(dx) + abs(dy)));
}

__kernel void kmeans_assign(__global const float *points, __constant float *centres,
                            __global uint *out, uint k)
{
    float x = points[2 * GID], y = points[2 * GID + 1], best = INFINITY;
    uint which = 0;
    for (uint c = 0; c < k; c++) {
        float dx = x - centres[2 * c], dy = y - centres[2 * c + 1];
        float square = dx * dx + dy * dy;
        if (square < best) {
            best = square;
            which = c;
        }
    }
    out[GID] = which;
}

__kernel void levenshtein(__global const uchar *a, __global const uchar *b, __global uint *out)
{
    uint row[9];
    for (uint k = 0; k <= 8; k++) {
        row[k] = k;
    }
    for (uint r = 1; r <= 8; r++) {
        uint diagonal = row[0];
        row[0] = r;
        for (uint c = 1; c <= 8; c++) {
            uint same = (a[8 * GID + r - 1] & 3) == (b[8 * GID + c - 1] & 3);
            uint next = min(min(row[c], row[c - 1]) + 1, diagonal + (same ? 0u : 1u));
            diagonal = row[c];
            row[c] = next;
        }
    }
    out[GID] = row[8];
}

/* Counts solutions whose first queen stands in column GID % 7, without recursion. */
__kernel void queens(__global uint *out)
{
    const int n = 7;
    uint columns[8], all = (1u << n) - 1, count = 0;
    uint used = 1u << (GID % n), left[8], right[8], taken[8];
    int depth = 1;
    taken[1] = used;
    left[1] = used << 1;
    right[1] = used >> 1;
    columns[1] = all & ~(taken[1] | left[1] | right[1]);
    while (depth > 0) {
        if (columns[depth] == 0) {
            depth--;
            continue;
        }
        uint bit = columns[depth] & (0u - columns[depth]);
        columns[depth] ^= bit;
        if (depth == n - 1) {
            count++;
            continue;
        }
        taken[depth + 1] = taken[depth] | bit;
        left[depth + 1] = (left[depth] | bit) << 1;
        right[depth + 1] = (right[depth] | bit) >> 1;
        depth++;
        columns[depth] = all & ~(taken[depth] | left[depth] | right[depth]);
    }
    out[GID] = count;
}

__kernel void gauss_4x4(__global const float *in, __global float *out)
{
    float m[4][5];
    for (int r = 0; r < 4; r++) {
        for (int c = 0; c < 4; c++) {
            m[r][c] = in[16 * GID + 4 * r + c] + (r == c ? 500.0f : 0.0f);
        }
        m[r][4] = (float)(r + 1);
    }
    for (int p = 0; p < 4; p++) {
        for (int r = 0; r < 4; r++) {
            if (r != p) {
                float factor = m[r][p] / m[p][p];
                for (int c = p; c < 5; c++) {
                    m[r][c] -= factor * m[p][c];
                }
            }
        }
    }
    for (int r = 0; r < 4; r++) {
        out[4 * GID + r] = m[r][4] / m[r][r];
    }
}

__kernel void ray_sphere(__global const float4 *rays, __constant float4 *spheres,
                         __global float *out, int count)
{
    float3 direction = normalize(rays[GID].xyz + (float3)(0.0f, 0.0f, 150.0f));
    float nearest = 1e30f;
    int hit = -1;
    for (int k = 0; k < count; k++) {
        float3 to = spheres[k].xyz;
        float along = dot(to, direction), square = dot(to, to) - along * along;
        float radius = fabs(spheres[k].w) + 20.0f;
        if (along > 0.0f && square < radius * radius) {
            float t = along - sqrt(radius * radius - square);
            if (t < nearest) {
                nearest = t;
                hit = k;
            }
        }
    }
    out[GID] = hit < 0 ? -1.0f : (float)hit;
}

__kernel void crc32(__global const uchar *in, __global uint *out, uint length)
{
    uint crc = 0xffffffffu;
    for (uint k = 0; k < length; k++) {
        crc ^= in[length * GID + k];
        for (int b = 0; b < 8; b++) {
            crc = crc & 1 ? (crc >> 1) ^ 0xEDB88320u : crc >> 1;
        }
    }
    out[GID] = ~crc;
}

__kernel void fft_8(__global const float2 *in, __global float2 *out)
{
    const int order[8] = {0, 4, 2, 6, 1, 5, 3, 7};
    float2 v[8];
    for (int k = 0; k < 8; k++) {
        v[k] = in[8 * GID + order[k]];
    }
    for (uint size = 2; size <= 8; size *= 2) {
        for (uint start = 0; start < 8; start += size) {
            for (uint k = 0; k < size / 2; k++) {
                float angle = -2.0f * (float)k / (float)size, c = cospi(angle), s = sinpi(angle);
                float2 e = v[start + k], o = v[start + k + size / 2];
                float2 t = (float2)(c * o.x - s * o.y, s * o.x + c * o.y);
                v[start + k] = e + t;
                v[start + k + size / 2] = e - t;
            }
        }
    }
    for (int k = 0; k < 8; k++) {
        out[8 * GID + k] = v[k];
    }
}

__kernel void reduce_two_stage(__global const float *in, __global float *out, __local float *shared,
                               uint each)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    float sum = 0.0f;
    for (uint k = 0; k < each; k++) {
        sum += in[(get_group_id(0) * each + k) * n + l];
    }
    shared[l] = sum;
    LOCAL_BARRIER;
    for (size_t width = n / 2; width > 0; width /= 2) {
        if (l < width) {
            shared[l] += shared[l + width];
        }
        LOCAL_BARRIER;
    }
    if (l == 0) {
        out[get_group_id(0)] = shared[0];
    }
}

__kernel void radix_pass(__global const uint *in, __global uint *out, __local uint *flags, uint bit)
{
    size_t l = get_local_id(0), n = get_local_size(0);
    uint key = in[GID], zero = !((key >> bit) & 1);
    flags[l] = zero;
    LOCAL_BARRIER;
    for (size_t distance = 1; distance < n; distance *= 2) {
        uint add = l >= distance ? flags[l - distance] : 0;
        LOCAL_BARRIER;
        flags[l] += add;
        LOCAL_BARRIER;
    }
    uint zeros = flags[n - 1], before = flags[l] - zero;
    uint to = zero ? before : zeros + (uint)l - before;
    out[get_group_id(0) * n + to] = key;
}
