/* Makes one leapfrog step of all-pairs gravity. Every group loads the bodies tile by tile into
 * local memory. Each work-item sums up the pull on its own body. */
#define TILE 128

__kernel __attribute__((reqd_work_group_size(TILE, 1, 1))) void
nbody_step(__global const float4 *from, __global float4 *to, __global float *velocity, uint count,
           float dt, float softening)
{
    __local float4 tile[TILE];
    size_t i = get_global_id(0), lane = get_local_id(0);
    float4 body = from[i];
    float3 pull = (float3)(0.0f);
    for (uint start = 0; start < count; start += TILE) {
        tile[lane] = from[start + lane];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = 0; j < TILE; j++) {
            float3 distance = tile[j].xyz - body.xyz;
            float square = fma(distance.x, distance.x,
                               fma(distance.y, distance.y, fma(distance.z, distance.z, softening)));
            float inverse = 1.0f / sqrt(square);
            pull = fma((float3)(tile[j].w * inverse * inverse * inverse), distance, pull);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float3 speed = fma((float3)(dt), pull, vload3(i, velocity));
    vstore3(speed, i, velocity);
    to[i] = (float4)(fma((float3)(dt), speed, body.xyz), body.w);
}
