/* Stencils and other work on grids. */

#define RADIUS 4
#define SIDE   16

/* A wave equation of eighth order: a star of 25 points. Planes come from local memory, and points
 * above and below from global memory. */
__kernel void wave25(__global const float *now, __global float *next, __constant float *c, int n,
                     int planes)
{
    __local float tile[SIDE + 2 * RADIUS][SIDE + 2 * RADIUS];
    int lx = get_local_id(0) + RADIUS, ly = get_local_id(1) + RADIUS;
    int x = get_global_id(0), y = get_global_id(1);
    int plane = n * n;
    for (int z = RADIUS; z < planes - RADIUS; z++) {
        int i = z * plane + y * n + x;
        tile[ly][lx] = now[i];
        if (lx < 2 * RADIUS) {
            tile[ly][lx - RADIUS] = now[z * plane + y * n + max(x - RADIUS, 0)];
            tile[ly][lx + SIDE] = now[z * plane + y * n + min(x + SIDE, n - 1)];
        }
        if (ly < 2 * RADIUS) {
            tile[ly - RADIUS][lx] = now[z * plane + max(y - RADIUS, 0) * n + x];
            tile[ly + SIDE][lx] = now[z * plane + min(y + SIDE, n - 1) * n + x];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        float sum = c[0] * tile[ly][lx];
        for (int r = 1; r <= RADIUS; r++) {
            sum += c[r] * (tile[ly][lx - r] + tile[ly][lx + r] + tile[ly - r][lx] +
                           tile[ly + r][lx] + now[i - r * plane] + now[i + r * plane]);
        }
        next[i] = 2.0f * tile[ly][lx] - next[i] + 0.01f * sum;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* One step of the heat equation on a plane. The tile in local memory has a border of one. */
__kernel void heat_local(__global const float *in, __global float *out, int n, float k)
{
    __local float t[18][18];
    int lx = get_local_id(0), ly = get_local_id(1);
    int x = get_global_id(0), y = get_global_id(1);
    int x0 = get_group_id(0) * 16 - 1, y0 = get_group_id(1) * 16 - 1;
    for (int i = ly * 16 + lx; i < 18 * 18; i += 256) {
        int sx = clamp(x0 + i % 18, 0, n - 1), sy = clamp(y0 + i / 18, 0, n - 1);
        t[i / 18][i % 18] = in[sy * n + sx];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float c = t[ly + 1][lx + 1];
    out[y * n + x] =
        c + k * (t[ly][lx + 1] + t[ly + 2][lx + 1] + t[ly + 1][lx] + t[ly + 1][lx + 2] - 4.0f * c);
}

/* A 7-point stencil whose borders wrap around, with coefficients that vary from point to point. */
__kernel void diffuse7(__global const float *in, __global const float *k, __global float *out,
                       int nx, int ny, int nz)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int left = x == 0 ? nx - 1 : x - 1, right = x == nx - 1 ? 0 : x + 1;
    int up = y == 0 ? ny - 1 : y - 1, down = y == ny - 1 ? 0 : y + 1;
    int below = z == 0 ? nz - 1 : z - 1, above = z == nz - 1 ? 0 : z + 1;
#define AT(x, y, z) in[((z) * ny + (y)) * nx + (x)]
    float c = AT(x, y, z);
    float sum = AT(left, y, z) + AT(right, y, z) + AT(x, up, z) + AT(x, down, z) + AT(x, y, below) +
                AT(x, y, above) - 6.0f * c;
    int i = (z * ny + y) * nx + x;
    out[i] = c + 0.1f * k[i] * sum;
#undef AT
}

/* One step of a fluid by the lattice Boltzmann method D2Q9 on a torus: pull, then collide. */
__kernel void lattice_fluid(__global const float *from, __global float *to, int w, int h,
                            float omega)
{
    const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
    const int cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    const float weight[9] = {4.0f / 9,  1.0f / 9,  1.0f / 9,  1.0f / 9, 1.0f / 9,
                             1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36};
    int x = get_global_id(0), y = get_global_id(1), cells = w * h;
    float f[9], rho = 0.0f, ux = 0.0f, uy = 0.0f;
    for (int k = 0; k < 9; k++) {
        int sx = (x - cx[k] + w) % w, sy = (y - cy[k] + h) % h;
        f[k] = from[k * cells + sy * w + sx] + 0.5f;
        rho += f[k];
        ux += f[k] * cx[k];
        uy += f[k] * cy[k];
    }
    ux /= rho;
    uy /= rho;
    float square = 1.5f * (ux * ux + uy * uy);
    for (int k = 0; k < 9; k++) {
        float cu = 3.0f * (cx[k] * ux + cy[k] * uy);
        float equal = weight[k] * rho * (1.0f + cu + 0.5f * cu * cu - square);
        to[k * cells + y * w + x] = f[k] + omega * (equal - f[k]);
    }
}

/* One generation of the game of life on a torus, a byte for each cell. */
__kernel void life(__global const uchar *in, __global uchar *out, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    int count = 0;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            if (dx || dy) {
                int sx = (x + dx) & (n - 1), sy = (y + dy) & (n - 1);
                count += in[sy * n + sx] >> 7;
            }
        }
    }
    uchar alive = in[y * n + x] >> 7;
    out[y * n + x] = count == 3 || (alive && count == 2) ? 255 : 0;
}

/* Classifies the cubes of a volume for marching cubes: which corners are inside, and how many of
 * the cube's edges the surface cuts. Counts the cut cubes. */
__kernel void marching_classify(__global const float *volume, __global uint *codes,
                                __global uint *active, int n, float level)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    uint i = (z * n + y) * n + x;
    if (x == n - 1 || y == n - 1 || z == n - 1) {
        codes[i] = 0;
        return;
    }
    uint code = 0;
    for (uint k = 0; k < 8; k++) {
        uint dx = k & 1, dy = k >> 1 & 1, dz = k >> 2;
        code |= (volume[i + (dz * n + dy) * n + dx] < level) << k;
    }
    uint cut = popcount((code ^ code >> 1) & 0x55) + popcount((code ^ code >> 2) & 0x33) +
               popcount((code ^ code >> 4) & 0x0f);
    codes[i] = code | cut << 8;
    if (cut > 0) {
        atomic_inc(active);
    }
}
