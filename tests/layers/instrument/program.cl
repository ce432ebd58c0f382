/* The program's kernel. tool.cl has one of the same name for the layer. */
kernel void mark(global uint *out)
{
    out[get_global_id(0)] = 1;
}
