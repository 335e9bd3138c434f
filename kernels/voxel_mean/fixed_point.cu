// Deterministic without sorting: features are added as 64-bit fixed-point integers, and integer sums do not
// depend on their order. Lanes of one cell first sum with shuffles, as in warp_match. Sums take twice the
// bytes: they have memory of their own, are cleared there, and become means by a division in double
// precision. Should move: bytes and reduction sectors, twice those of warp_match.
#include "kernels/common/fill.h"
#include "kernels/voxel_mean/launches.h"
#include "kernels/voxel_mean/view.cuh"

namespace ablate::voxel_mean {

template <int Features>
__global__ __launch_bounds__(block_threads) void add_fixed_by_peers(view v, unsigned long long* fixed_sums) {
  constexpr int loaded = vector_width<Features>;
  constexpr float unit_inverse = static_cast<float>(1ll << fixed_point_bits);
  const long long i = point_of_thread();
  const int cell = v.in_batch(v.cell_of_point(v.cloud_points(), i));
  const lane_peers peers(cell);
  const bool sends = cell >= 0 && peers.leads();
  if (sends) atomicAdd(v.count + cell, peers.count());
  unsigned long long* const sums = fixed_sums + static_cast<long long>(Features) * cell;
#pragma unroll 2
  for (int f = 0; f < Features; f += loaded) {
    float values[loaded] = {};
    if (cell >= 0) load(values, v.features_of<Features>(i) + f);
    long long fixed[loaded];
#pragma unroll
    for (int k = 0; k < loaded; ++k) fixed[k] = __float2ll_rn(values[k] * unit_inverse);
    peers.sum(fixed);
    if (!sends) continue;
#pragma unroll
    for (int k = 0; k < loaded; ++k) atomicAdd(sums + f + k, static_cast<unsigned long long>(fixed[k]));
  }
}

void fixed_point(launcher& to, const problem& p, const switches&) {
  if (p.clears_grid) fill(to, {{p.fixed_sums, 2 * p.all_cells() * p.features, 0}});
  with_features(p, [&](auto features) {
    launch(to, add_fixed_by_peers<features>, grid_of(p, block_threads), dim3(block_threads), 0, view(p),
           static_cast<unsigned long long*>(p.fixed_sums));
  });
  divide_fixed_sums(to, p);
}

}  // namespace ablate::voxel_mean
