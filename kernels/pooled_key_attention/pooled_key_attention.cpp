#include "kernels/pooled_key_attention/pooled_key_attention.h"

#include <utility>

#include "kernels/global_attention/parts.h"

namespace ablate::pooled_key_attention {

std::vector<block_sparse_selection::block_means> means_of(const problem& p) {
  const std::int64_t patches = p.layout().patches();
  std::vector<block_sparse_selection::block_means> means;
  for (const auto& [rows, to] : {std::pair{p.k, p.pooled_k}, {p.v, p.pooled_v}}) {
    block_sparse_selection::block_means of_blocks = global_attention::means_of(p, p.block, rows, to);
    of_blocks.means_of_head = p.rows_of_keys();
    of_blocks.patches = p.layout();
    means.push_back(of_blocks);
    if (patches == p.tokens) continue;
    block_sparse_selection::block_means special = global_attention::means_of(p, 1, rows, to);
    special.tokens = p.tokens - patches;
    special.means_of_head = p.rows_of_keys();
    if (rows != nullptr) {
      special.rows += patches * width;
      special.means += p.blocks() * width;
    }
    means.push_back(special);
  }
  return means;
}

compression_attention::problem attention_of(const problem& p) {
  compression_attention::problem of = global_attention::among_all(p);
  of.rows_of_keys = p.rows_of_keys();
  of.k = p.pooled_k;
  of.v = p.pooled_v;
  return of;
}

}  // namespace ablate::pooled_key_attention
