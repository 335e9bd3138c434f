// Sums of signed errors on the device (bias.h).
#pragma once

#include "kernels/common/bias.h"
#include "kernels/common/lane_sums.cuh"

namespace ablate {

/// The unit whose elements `Lanes` lanes share.
template <int Lanes>
__device__ unit_errors unit_of_lanes(const unit_errors& of_lane) {
  return {sum_of_lanes<Lanes>(of_lane.products), sum_of_lanes<Lanes>(of_lane.squares),
          sum_of_lanes<Lanes>(of_lane.errors), sum_of_lanes<Lanes>(of_lane.sizes)};
}

__device__ inline void add_signs(const signed_errors& signs, signed_errors* to) {
  atomicAdd(&to->products, signs.products);
  atomicAdd(&to->squared_products, signs.squared_products);
  atomicAdd(&to->squares, signs.squares);
  atomicAdd(&to->errors, signs.errors);
  atomicAdd(&to->squared_errors, signs.squared_errors);
  atomicAdd(&to->sizes, signs.sizes);
}

/// Of all lanes of a warp; `adds`: in one of them.
__device__ inline void add_of_warp(const signed_errors& of_lane, bool adds, signed_errors* to) {
  const signed_errors all = {
      sum_of_lanes<32>(of_lane.products),       sum_of_lanes<32>(of_lane.squared_products),
      sum_of_lanes<32>(of_lane.squares),        sum_of_lanes<32>(of_lane.errors),
      sum_of_lanes<32>(of_lane.squared_errors), sum_of_lanes<32>(of_lane.sizes)};
  if (adds && all.sizes > 0) add_signs(all, to);
}

}  // namespace ablate
