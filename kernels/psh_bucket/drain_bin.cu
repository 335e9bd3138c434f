// The drain of Flash3D's recycle bin: points of bucket 0 beyond its capacity (rank above S, so the bin may
// keep S + 1) move to the bucket at one random probe, or to a random other bucket if that probe is the bin,
// and take the next rank there. Capacity is not checked: one pass is enough, but buckets may overflow. One
// thread per point; one reduction and one returning atomic per drained point.
#include "kernels/psh_bucket/phases.h"
#include "kernels/psh_bucket/probing.cuh"

namespace ablate::psh_bucket {

template <bool Instrumented>
__global__ __launch_bounds__(block_points) void drain_points(view v) {
  __shared__ std::uint32_t steps[max_probes];
  const probing probe(v, steps);
  __syncthreads();
  tally<Instrumented> events;
  const int instance = static_cast<int>(blockIdx.y);
  const unsigned point = v.begin_of(instance) + blockIdx.x * block_points + threadIdx.x;
  const bool here = point < v.end_of(instance);
  if (here && v.first == phase::drain) events.add(points);
  if (here && v.bucket_id[point] == 0 && v.bucket_off[point] > static_cast<unsigned>(v.capacity)) {
    std::uint32_t* counters = v.bucket_count + static_cast<std::int64_t>(instance) * v.buckets;
    atomicSub(counters, 1u);
    constexpr unsigned which_probe = 1, which_bucket = 2;
    unsigned bucket = 0;
    if (v.probes > 0)
      bucket = probe.look(point, v.voxel_of(point, *v.scratch.box),
                          static_cast<int>(probe.random_below(point, which_probe, v.probes)));
    if (bucket == 0) bucket = 1 + probe.random_below(point, which_bucket, v.buckets - 1);
    v.bucket_id[point] = static_cast<std::uint16_t>(bucket);
    v.bucket_off[point] = atomicAdd(counters + bucket, 1u);
    events.add(drained);
    events.add(global_atomics, 2);
  }
  events.write(v.events);
}

void drain_bin(launcher& to, const problem& p) {
  with_form(p, [&](auto instrumented) {
    launch(to, drain_points<instrumented>, grid_of(p), dim3(block_points), 0, view(p));
  });
}

}  // namespace ablate::psh_bucket
