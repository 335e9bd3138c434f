#pragma once

#include <vector>

#include "kernels/psh_bucket/psh_bucket.h"

namespace ablate::psh_bucket {

/// Which buckets attention takes together (flash3d §2.1): 8 buckets a scope, each bucket in one scope.
constexpr int buckets_per_scope = 8;

/// The scope of `bucket` among scopes of consecutive buckets, the first of which begins at bucket `offset`.
int swin_scope_of(int bucket, int offset, int buckets);
/// The scope of `bucket` among scopes that take every `stride`-th bucket of a run of 8 · stride.
int strided_scope_of(int bucket, int stride);

/// A point seen from above, with its bucket; whether it is in the scope around the middle of the cloud, and
/// in those that hold the same bucket when scopes are shifted by 4 buckets, or take every second one.
struct drawn_point {
  double x, y;  ///< meters, to the centimeter
  int bucket;
  bool in_scope, in_shifted, in_strided;
};

/// About evenly spaced points of the first instance that has any, at most `most`.
std::vector<drawn_point> picture_of(const problem& p, int most = 4096);

}  // namespace ablate::psh_bucket
