// Kernels that a debugger stops, at any number of lanes. words[0] ends them.

// Counts in words[16 + global id] until words[0] is not 0. Its local memory has 1000 plus the
// position.
kernel void spin(global volatile ulong *words)
{
    local volatile uint marks[64];
    const size_t item = get_local_id(0), id = get_global_id(0);
    marks[item & 63] = 1000 + (uint)item;
    barrier(CLK_LOCAL_MEM_FENCE);
    while (words[0] == 0) {
        words[16 + id]++;
    }
    words[4096 + id] = marks[item & 63];
}

#define LINE "................................................................"
#define PAGE LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE LINE

// Prints until words[0] is not 0: a thread is hardly ever in code of the kernel.
kernel void print(global volatile ulong *words)
{
    while (words[0] == 0) {
        words[1]++;
        printf(PAGE);
    }
}

// Adds 1 to words[16 + global id].
kernel void add(global volatile ulong *words)
{
    words[16 + get_global_id(0)]++;
}
