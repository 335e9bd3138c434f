#include "kernels/global_attention/parts.h"

namespace ablate::global_attention {

compression_attention::problem among_all(const layer& p) {
  compression_attention::problem of;
  of.heads = p.heads;
  of.rows = p.tokens;
  of.selected = 0;
  of.lists = false;
  of.q = p.q;
  of.k = p.k;
  of.v = p.v;
  of.out = p.out;
  of.lse = p.lse;
  return of;
}

compression_attention::problem special_of(const layer& p) {
  compression_attention::problem of = among_all(p);
  of.first_query = p.layout().patches();
  of.queries = p.tokens - of.first_query;
  return of;
}

block_sparse_selection::block_means means_of(const layer& p, int block, const std::uint16_t* rows,
                                             std::uint16_t* means) {
  return {.heads = p.heads,
          .tokens = p.layout().patches(),
          .tokens_of_head = p.tokens,
          .block = block,
          .rows = rows,
          .means = means};
}

}  // namespace ablate::global_attention
