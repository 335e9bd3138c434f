#pragma once

#include "kernels/window_attention/window_attention.h"

namespace ablate::window_attention {

/// problem.moved, cut into what the variants that move rows write: of scattered rows, Q, K and V in the order
/// of the windows, outputs in that order, and what sorting takes; of packed ones that are not scattered, Q, K
/// and V split. Null without memory.
struct moved_rows {
  std::uint16_t* qkv = nullptr;  ///< as Q, K and V lie in the problem; split: one tensor behind the other
  std::uint16_t* out = nullptr;  ///< bf16 [batches][tokens][heads][width]
  float* lse = nullptr;          ///< [batches][heads][tokens]
  std::uint64_t* keys[2] = {};   ///< [tokens] each
  std::int32_t* rows[2] = {};    ///< [tokens] each
  std::byte* sort_memory = nullptr;
  std::size_t sort_bytes = 0;
  std::size_t bytes = 0;  ///< of all

  explicit moved_rows(const problem&);
};

/// The problem with its windows one after the other in moved rows, outputs too; no table is read.
problem in_moved_rows(const problem&, const moved_rows&);

}  // namespace ablate::window_attention
