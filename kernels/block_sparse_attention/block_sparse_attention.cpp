#include "kernels/block_sparse_attention/block_sparse_attention.h"

#include "kernels/global_attention/parts.h"

namespace ablate::block_sparse_attention {

block_sparse_selection::block_means query_means_of(const problem& p) {
  return global_attention::means_of(p, block_sparse_selection::query_block, p.q, p.query_means);
}
block_sparse_selection::block_means key_means_of(const problem& p) {
  return global_attention::means_of(p, block_sparse_selection::key_block, p.k, p.key_means);
}

block_sparse_selection::problem choice_of(const problem& p) {
  block_sparse_selection::problem of;
  of.queries = query_means_of(p).blocks();
  of.keys = key_means_of(p).blocks();
  of.heads = p.heads;
  of.mass_percent = p.mass_percent;
  of.kept_percent = p.kept_percent;
  of.q = p.query_means;
  of.k = p.key_means;
  of.kept = p.kept;
  of.counts = p.kept_counts;
  of.scratch = p.scratch;
  return of;
}

problem in_order(const problem& p) {
  if (!p.moves_tokens()) return p;
  problem moved = p;
  moved.q = p.ordered[0];
  moved.k = p.ordered[1];
  moved.v = p.ordered[2];
  moved.out = p.ordered_out;
  moved.lse = p.ordered_lse;
  return moved;
}

compression_attention::quantization quantization_of(const problem& p) {
  compression_attention::quantization of;
  of.heads = p.heads;
  of.rows = p.tokens;
  of.blocks.rows = p.layout().patches();
  of.q = p.q;
  of.k = p.k;
  of.sums = p.key_sums;
  of.mean = p.key_mean;
  of.to = p.int8;
  return of;
}

compression_attention::problem kept_of(const problem& p) {
  compression_attention::problem of = global_attention::among_all(p);
  of.kept = {p.kept, p.kept_counts, p.layout().patches()};
  of.multiplies_int8 = p.multiplies_int8;
  of.int8 = p.int8;
  of.queries = p.layout().patches();
  return of;
}

}  // namespace ablate::block_sparse_attention
