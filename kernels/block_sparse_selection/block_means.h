#pragma once

#include <cstdint>

#include "kernels/common/block_layout.h"

namespace ablate {
class launcher;
}

namespace ablate::block_sparse_selection {

/// What key blocks are chosen by: of each `block` tokens in turn the mean of their rows, bf16, by sums in
/// fp32. The last block may be shorter; its mean is that of the tokens that it has. Or, where `patches` are
/// given, of each of their blocks.
struct block_means {
  std::int64_t heads = 1;
  std::int64_t tokens = 0;              ///< in blocks: the first ones of a head
  std::int64_t tokens_of_head = 0;      ///< in memory
  int block = 64;                       ///< tokens
  const std::uint16_t* rows = nullptr;  ///< bf16 [heads][tokens_of_head][64]
  std::uint16_t* means = nullptr;       ///< bf16 [heads][rows_of_means()][64], the first blocks() of a head
  std::int64_t means_of_head = 0;       ///< in memory, where others follow these; 0: blocks()
  block_layout patches{};               ///< no tokens: none

  std::int64_t blocks() const { return patches.tokens > 0 ? patches.blocks() : (tokens + block - 1) / block; }
  std::int64_t rows_of_means() const { return means_of_head > 0 ? means_of_head : blocks(); }
  bool stands_alone() const { return patches.tokens == 0 && rows_of_means() == blocks(); }
};
void take_means(launcher&, const block_means&);

}  // namespace ablate::block_sparse_selection
