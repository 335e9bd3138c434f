#pragma once

#include "kernels/window_attention/window_attention.h"

namespace ablate::window_attention {

/// Bits of a row's key (problem::keys): its code on the curve, 16 bits an axis.
constexpr int key_bits = 48;

/// problem.moved, split into what the variants that move rows write: for scattered rows, Q, K, V and outputs
/// in window order, and sorting's buffers; for packed ones that are not scattered, Q, K and V split. Null
/// without memory.
struct moved_rows {
  std::uint16_t* qkv = nullptr;  ///< in the problem's layout; split: one tensor after the other
  std::uint16_t* out = nullptr;  ///< bf16 [batches][tokens][heads][width]
  float* lse = nullptr;          ///< [batches][heads][tokens]
  std::uint64_t* keys[2] = {};   ///< [tokens] each
  std::int32_t* rows[2] = {};    ///< [tokens] each
  std::byte* sort_memory = nullptr;
  std::size_t sort_bytes = 0;
  std::size_t bytes = 0;  ///< of all

  explicit moved_rows(const problem&);
};

/// The problem with consecutive windows in the moved rows, outputs too; no table is read.
problem in_moved_rows(const problem&, const moved_rows&);

}  // namespace ablate::window_attention
