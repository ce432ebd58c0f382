/* Finance, samples, clusters, noise and Fourier transforms. */

/* Values an American put by a binomial tree of 127 steps, one option per work-group of 128. */
__kernel void binomial(__global const float *random, __global float *out)
{
    __local float value[129];
    int lid = get_local_id(0), group = get_group_id(0);
    float s = 50.0f + 100.0f * random[group], strike = 100.0f, step_size = 1.0f / 127.0f;
    float up = exp(0.3f * sqrt(step_size)), down = 1.0f / up;
    float discount = exp(-0.05f * step_size), p = (1.0f / discount - down) / (up - down);
    float price = s * pow(up, (float)(2 * lid - 127));
    value[lid] = fmax(strike - price, 0.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 126; step >= 0; step--) {
        float next = 0.0f;
        if (lid <= step) {
            price *= up;
            float hold = discount * (p * value[lid + 1] + (1.0f - p) * value[lid]);
            next = fmax(hold, strike - price);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid <= step) {
            value[lid] = next;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) {
        out[group] = value[0];
    }
}

uint next_random(uint *state)
{
    uint x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    *state = x;
    return x;
}

float next_unit(uint *state)
{
    return ((next_random(state) >> 8) + 0.5f) * (1.0f / 16777216.0f);
}

/* Simulates an Asian option: an item follows paths of 32 steps and returns the mean payoff. */
__kernel void asian_option(__global float *out, uint seed, int paths)
{
    uint state = (get_global_id(0) + 1) * 747796405u ^ seed;
    float payoff = 0.0f;
    for (int path = 0; path < paths; path++) {
        float log_price = 0.0f, sum = 0.0f;
        for (int step = 0; step < 16; step++) {
            float radius = sqrt(-2.0f * log(next_unit(&state)));
            float angle = 6.2831853f * next_unit(&state);
            log_price += 0.0001f + 0.02f * radius * cos(angle);
            sum += exp(log_price);
            log_price += 0.0001f + 0.02f * radius * sin(angle);
            sum += exp(log_price);
        }
        payoff += fmax(sum / 32.0f - 0.9f, 0.0f);
    }
    out[get_global_id(0)] = payoff / paths;
}

float normal_below(float x)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabs(x));
    float p = k * (0.31938153f + k * (-0.356563782f +
                                      k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * exp(-0.5f * x * x) * p;
    return x > 0.0f ? 1.0f - tail : tail;
}

/* Finds the volatility of an option from its price by Newton's method. */
__kernel void implied_volatility(__global const float *random, __global float *out)
{
    size_t gid = get_global_id(0);
    float s = 90.0f + 20.0f * random[gid], strike = 100.0f, t = 0.5f, rate = 0.01f;
    float price = fmax(s - strike, 0.0f) + 4.0f + 6.0f * random[gid];
    float sigma = 0.8f, root = sqrt(t), discounted = strike * exp(-rate * t);
    for (int i = 0; i < 20; i++) {
        float d1 = (log(s / strike) + (rate + 0.5f * sigma * sigma) * t) / (sigma * root);
        float d2 = d1 - sigma * root;
        float difference = s * normal_below(d1) - discounted * normal_below(d2) - price;
        if (fabs(difference) < 1e-4f) {
            break;
        }
        float vega = s * root * 0.39894228f * exp(-0.5f * d1 * d1);
        sigma -= difference / vega;
    }
    out[gid] = sigma;
}

/* One step of k-means: finds the nearest of 16 centres for each point, and adds up the points of
 * each centre in fixed-point numbers. */
__kernel void kmeans_step(__global const float *x, __global const float *y,
                          __global const float2 *centres, __global int *sums)
{
    __local int local_sums[16 * 3];
    int lid = get_local_id(0);
    if (lid < 48) {
        local_sums[lid] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float px = x[get_global_id(0)], py = y[get_global_id(0)];
    float least = MAXFLOAT;
    int best = 0;
    for (int c = 0; c < 16; c++) {
        float dx = px - centres[c].x, dy = py - centres[c].y;
        float d = dx * dx + dy * dy;
        if (d < least) {
            least = d;
            best = c;
        }
    }
    atomic_add(&local_sums[best * 3], (int)(px * 1024.0f));
    atomic_add(&local_sums[best * 3 + 1], (int)(py * 1024.0f));
    atomic_inc(&local_sums[best * 3 + 2]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < 48) {
        atomic_add(&sums[lid], local_sums[lid]);
    }
}

float2 complex_product(float2 a, float2 b)
{
    return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/* Fourier transforms of 256 complex numbers by radix 4: a work-group of 64 per transform. */
__kernel void fft_radix4(__global const float2 *in, __global float2 *out,
                         __global const float2 *roots)
{
    __local float2 buffer[256];
    int t = get_local_id(0);
    size_t base = get_group_id(0) * 256;
    float2 a = in[base + t], b = in[base + t + 64], c = in[base + t + 128], d = in[base + t + 192];
    for (int p = 1; p < 256; p *= 4) {
        int k = t & (p - 1), root = k * (64 / p);
        b = complex_product(b, roots[root]);
        c = complex_product(c, roots[2 * root]);
        d = complex_product(d, roots[3 * root]);
        float2 e = a + c, f = a - c, g = b + d, h = b - d;
        h = (float2)(h.y, -h.x);
        int at = ((t - k) << 2) + k;
        buffer[at] = e + g;
        buffer[at + p] = f + h;
        buffer[at + 2 * p] = e - g;
        buffer[at + 3 * p] = f - h;
        barrier(CLK_LOCAL_MEM_FENCE);
        a = buffer[t];
        b = buffer[t + 64];
        c = buffer[t + 128];
        d = buffer[t + 192];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[base + t] = a;
    out[base + t + 64] = b;
    out[base + t + 128] = c;
    out[base + t + 192] = d;
}

uint lattice_hash(int x, int y)
{
    uint h = (uint)x * 374761393u + (uint)y * 668265263u;
    h = (h ^ (h >> 13)) * 1274126177u;
    return h ^ (h >> 16);
}

float corner(int x, int y, float dx, float dy)
{
    uint h = lattice_hash(x, y) & 7;
    float u = h < 4 ? dx : dy, v = h < 4 ? dy : dx;
    return (h & 1 ? -u : u) + (h & 2 ? -2.0f * v : 2.0f * v);
}

/* Gradient noise in five octaves. */
__kernel void noise(__global float *out, int width, float scale)
{
    int gx = get_global_id(0), gy = get_global_id(1);
    float x = gx * scale, y = gy * scale, sum = 0.0f, weight = 0.5f;
    for (int octave = 0; octave < 5; octave++) {
        float fx = floor(x), fy = floor(y), dx = x - fx, dy = y - fy;
        int ix = (int)fx, iy = (int)fy;
        float u = dx * dx * dx * (dx * (dx * 6.0f - 15.0f) + 10.0f);
        float v = dy * dy * dy * (dy * (dy * 6.0f - 15.0f) + 10.0f);
        float top = mix(corner(ix, iy, dx, dy), corner(ix + 1, iy, dx - 1.0f, dy), u);
        float bottom =
            mix(corner(ix, iy + 1, dx, dy - 1.0f), corner(ix + 1, iy + 1, dx - 1.0f, dy - 1.0f), u);
        sum += weight * mix(top, bottom, v);
        weight *= 0.5f;
        x *= 2.0f;
        y *= 2.0f;
    }
    out[gy * width + gx] = sum;
}
