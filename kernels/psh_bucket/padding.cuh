#pragma once

#include "kernels/psh_bucket/view.cuh"

namespace ablate::psh_bucket {

/// Fills the rows that hold no point, shared among `threads` threads, this one number `thread`:
/// compact, the rows past the last point; strided, every place of a bucket after its last point.
__device__ inline void pad_rows(const view& v, unsigned thread, unsigned threads) {
  const unsigned rows = v.rows();
  if (!v.strided) {
    for (unsigned row = v.points + thread; row < rows; row += threads) v.write_padding(row);
    return;
  }
  for (unsigned row = thread; row < rows; row += threads)
    if (row % v.capacity >= v.bucket_count[row / v.capacity]) v.write_padding(row);
}

}  // namespace ablate::psh_bucket
