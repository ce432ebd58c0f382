/* Linked with link_back.cl after that was linked with link_front.cl. */
int back_scale(int value);

kernel void third_use(global int *out)
{
    int i = (int)get_global_id(0);
    out[i] = back_scale(i) * 2;
}
