/* The smallest kernel that says which items ran; of api_basic.cl, and alone for tests that build very often. */

kernel void ids(global uint *out)
{
    size_t i = get_global_linear_id();
    out[i] = (uint)get_global_id(0);
}
