// Barriers at which all groups of a launch meet.
void __attribute__((overloadable, convergent)) __spirv_ControlBarrier(uint execution, uint memory,
                                                                      uint semantics);

#define DEVICE      1
#define WORKGROUP   2
#define ACQ_REL_ALL 0x308 /* AcquireRelease, WorkgroupMemory, CrossWorkgroupMemory */

void meet_all(void)
{
    __spirv_ControlBarrier(DEVICE, DEVICE, ACQ_REL_ALL);
}

// Every item goes on with what items of other groups wrote before the barrier; local memory and
// private values live across it.
kernel void device_meet(global uint *shared, global uint *out, uint rounds)
{
    local uint part[64];
    uint lid = get_local_id(0), items = get_local_size(0);
    uint gid = get_global_id(0), all = get_global_size(0);
    uint mine = gid + 1;
    part[lid] = mine * 7;
    shared[gid] = mine;
    for (uint r = 0; r < rounds; r++) {
        meet_all();
        uint other = shared[(gid + items * (r + 1) + 1) % all];
        meet_all();
        mine = mine * 31 + other + part[(lid + 1) % items];
        shared[gid] = mine;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] = mine + part[(lid + 3) % items];
}

// The same, and a loop in which an item might wait for another one.
kernel void device_wait(global atomic_uint *arrived, global uint *out, uint wanted)
{
    if (get_local_id(0) == 0) {
        atomic_fetch_add_explicit(arrived, 1u, memory_order_relaxed, memory_scope_device);
        while (atomic_load_explicit(arrived, memory_order_relaxed, memory_scope_device) < wanted) {
        }
    }
    meet_all();
    out[get_global_id(0)] =
        atomic_load_explicit(arrived, memory_order_relaxed, memory_scope_device);
}
