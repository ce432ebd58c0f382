/* Calls a function of another module. */
uint other(uint value);

kernel void call_other(global uint *out)
{
    out[get_global_id(0)] = other((uint)get_global_id(0));
}
