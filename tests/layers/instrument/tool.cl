/* The tool's kernel, which a layer launches in place of the program's (program.cl). */
kernel void mark(global uint *out)
{
    out[get_global_id(0)] = 100;
}
