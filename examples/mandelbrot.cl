/* Counts the iterations until escape for every pixel, in a divergent loop. */
__kernel void mandelbrot(__global uint *iterations, uint width, uint height, float left, float top,
                         float step, uint limit)
{
    uint column = (uint)get_global_id(0), row = (uint)get_global_id(1);
    if (column >= width || row >= height) {
        return;
    }
    float cx = fma((float)column, step, left), cy = fma((float)row, step, top);
    float x = 0.0f, y = 0.0f;
    uint n = 0;
    while (n < limit && fma(x, x, y * y) <= 4.0f) {
        float next = fma(x, x, fma(-y, y, cx));
        y = fma(2.0f * x, y, cy);
        x = next;
        n++;
    }
    iterations[row * width + column] = n;
}
