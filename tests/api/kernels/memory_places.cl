/* Tells what address the kernel has of memory and what lies there, and leaves a number behind. */
kernel void place(global uint *memory, global ulong *out)
{
    out[0] = (ulong)memory;
    out[1] = sizeof(memory);
    out[2] = memory[0];
    memory[1] = 77;
}
