/* Rays and searches with a private stack. */

/* Follows a ray from each pixel through a tree of boxes to the nearest sphere. The nearer child is
 * visited first; the other waits on a stack. */
__kernel void bvh_trace(__global const float4 *nodes, __global float *depth, int width, int height,
                        int inner)
{
    int stack[32], top = 0;
    int x = get_global_id(0), y = get_global_id(1);
    float3 origin = (float3)(0.5f, 0.5f, -1.0f);
    float3 direction =
        normalize((float3)((x + 0.5f) / width - 0.5f, (y + 0.5f) / height - 0.5f, 1.2f));
    float3 inverse = 1.0f / direction;
    float nearest = INFINITY;
    stack[top++] = 0;
    while (top > 0) {
        int node = stack[--top];
        float3 low = nodes[2 * node].xyz, high = nodes[2 * node + 1].xyz;
        float3 a = (low - origin) * inverse, b = (high - origin) * inverse;
        float3 enter = fmin(a, b), leave = fmax(a, b);
        float begin = fmax(fmax(enter.x, enter.y), fmax(enter.z, 0.0f));
        float end = fmin(fmin(leave.x, leave.y), fmin(leave.z, nearest));
        if (begin > end) {
            continue;
        }
        if (node < inner) {
            int first = 2 * node + 1, axis_node = 2 * first;
            float3 middle = nodes[axis_node + 1].xyz + nodes[axis_node].xyz -
                            nodes[axis_node + 3].xyz - nodes[axis_node + 2].xyz;
            int swap = dot(middle, direction) > 0.0f;
            stack[top++] = first + 1 - swap;
            stack[top++] = first + swap;
            continue;
        }
        float3 centre = 0.5f * (low + high), to = centre - origin;
        float radius = 0.5f * (high.x - low.x), along = dot(to, direction);
        float3 aside = to - along * direction;
        float square = radius * radius - dot(aside, aside);
        if (square > 0.0f) {
            nearest = fmin(nearest, along - sqrt(square));
        }
    }
    depth[y * width + x] = nearest == INFINITY ? 0.0f : nearest;
}

/* Counts the ways to place queens on a board of n x n, whose first two rows the item chooses. */
__kernel void queens(__global uint *out, int n)
{
    int columns[16], left[16], right[16], open[16];
    int full = (1 << n) - 1;
    int gid = get_global_id(0), first = gid % n, second = gid / n;
    uint count = 0;
    if (second >= n || second == first || second == first + 1 || second == first - 1) {
        out[gid] = 0;
        return;
    }
    int row = 2;
    columns[2] = 1 << first | 1 << second;
    left[2] = ((1 << first) << 2 | (1 << second) << 1) & full;
    right[2] = (1 << first) >> 2 | (1 << second) >> 1;
    open[2] = full & ~(columns[2] | left[2] | right[2]);
    while (row >= 2) {
        if (open[row] == 0) {
            row--;
            continue;
        }
        int queen = open[row] & -open[row];
        open[row] ^= queen;
        if (row == n - 1) {
            count++;
            continue;
        }
        columns[row + 1] = columns[row] | queen;
        left[row + 1] = (left[row] | queen) << 1 & full;
        right[row + 1] = (right[row] | queen) >> 1;
        row++;
        open[row] = full & ~(columns[row] | left[row] | right[row]);
    }
    out[gid] = count;
}
