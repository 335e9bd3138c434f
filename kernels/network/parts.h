#pragma once

#include <cstdint>

#include "kernels/linear/linear.h"
#include "kernels/mlp/mlp.h"
#include "kernels/network/problem.h"
#include "kernels/pool/pool.h"
#include "kernels/psh_bucket/psh_bucket.h"
#include "kernels/row_norm/row_norm.h"
#include "kernels/window_attention/window_attention.h"

namespace ablate::backbone {

/// A place in memory that there may be none of.
template <class T>
T* moved(T* base, std::int64_t elements) {
  return base == nullptr ? nullptr : base + elements;
}

/// Steps as problems of the operations that compute them, in the pass's memory. Of memory that is null their
/// pointers are null.
psh_bucket::problem ordering_of(const problem&, const network&, const step&);
/// Of a level to the next: the index alone, and for `reduce` and `unpool` their rows too.
pool::problem pooling_in_buckets_of(const problem&, const network&, const step&);
/// What both families' pools have alike: clusters in the index, and for `reduce` and `unpool` their rows.
void place_pooling(pool::problem&, const problem&, const network&, const step&);
linear::problem linear_of(const problem&, const network&, const step&);
window_attention::problem attention_of(const problem&, const network&, const step&);
/// Without memory; and where Q, K and V are, side by side or one after another.
window_attention::problem attention_sizes(const network&, const step&);
void place_queries(window_attention::problem&, const std::uint16_t* qkv);
/// Rows of a level from which on none is a key, except among themselves.
inline std::int64_t valid_rows(const network& n, const level& of) {
  return n.shape.masks_padding ? of.real : of.slots;
}
mlp::problem mlp_of(const problem&, const network&, const step&);
/// A batch norm in training, or its gradient, without memory; and its scratch: partial sums and, after them,
/// the variance of a gradient's statistics.
row_norm::problem batch_norm_sizes(const network&, const step&);
std::int64_t cut_batch_norm_scratch(row_norm::problem&, std::byte* memory);

/// Whether any of its layers is cuBLASLt's.
bool calls_library(const network&);

/// Where a tensor of the pass is, and a step's scratch.
std::uint16_t* rows_at(const problem&, const network&, int tensor);
std::byte* scratch_at(const problem&, const network&, const step&);

/// An array of the index, by its place in it.
template <class T>
T* in_index(const problem& p, std::int64_t place) {
  return reinterpret_cast<T*>(moved(p.index, place));
}
const std::uint32_t* source_of(const problem&, const network&);
const std::uint16_t* coordinates_of(const problem&, const network&, int level);

/// Where a layer's gradients are.
float* matrix_gradient_at(const problem&, const network&, int layer);
float* vector_gradient_at(const problem&, const network&, int layer);

/// Scratch of the steps whose own operation says how much.
std::int64_t ordering_bytes(const network&);
std::int64_t attention_scratch_bytes(const network&, const step&);
std::int64_t batch_norm_scratch_bytes(const network&, const step&);

}  // namespace ablate::backbone
