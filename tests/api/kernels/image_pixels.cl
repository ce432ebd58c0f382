/* Images through the whole stack: one item a pixel, or a place between pixels. */

kernel void invert(read_only image2d_t in, write_only image2d_t out)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imageui(out, at, 255u - read_imageui(in, at));
}

kernel void sample(read_only image2d_t in, sampler_t how, global const float2 *places,
                   global float4 *out)
{
    size_t i = get_global_id(0);
    out[i] = read_imagef(in, how, places[i]);
}

kernel void levels(read_only image2d_array_t in, global uint *out)
{
    int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    size_t i = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) +
               get_global_id(0);
    out[i] = read_imageui(in, at).x;
}

kernel void extents(read_only image3d_t in, global int *out)
{
    out[0] = get_image_width(in);
    out[1] = get_image_height(in);
    out[2] = get_image_depth(in);
}
