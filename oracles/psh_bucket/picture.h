#pragma once

#include <vector>

#include "kernels/psh_bucket/psh_bucket.h"

namespace ablate::psh_bucket {

/// Attention scopes (docs/operations/window_attention.md): 8 buckets each, every bucket in exactly one scope.
constexpr int buckets_per_scope = 8;

/// The scope of `bucket` when scopes are runs of consecutive buckets, the first starting at bucket `offset`.
int swin_scope_of(int bucket, int offset, int buckets);
/// The scope of `bucket` when scopes take every `stride`-th bucket of a run of 8 · stride.
int strided_scope_of(int bucket, int stride);

/// A point seen from above, with its bucket, and whether it shares a scope with the bucket at the middle of
/// the cloud: with plain scopes, with scopes shifted by 4 buckets, and with scopes of every second bucket.
struct drawn_point {
  double x, y;  ///< meters, to the centimeter
  int bucket;
  bool in_scope, in_shifted, in_strided;
};

/// Roughly evenly spaced points of the first non-empty instance, at most `most`.
std::vector<drawn_point> picture_of(const problem& p, int most = 4096);

}  // namespace ablate::psh_bucket
