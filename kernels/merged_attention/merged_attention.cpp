#include "kernels/merged_attention/merged_attention.h"

#include "kernels/global_attention/parts.h"

namespace ablate::merged_attention {

token_merging::problem merging_of(const problem& p, token_merging::step step) {
  token_merging::problem of = p.merging;
  of.step = step;
  of.in[0] = p.q;
  of.in[1] = p.k;
  of.in[2] = p.v;
  of.attended = p.attended;
  of.out = p.out;
  of.scratch = p.scratch;
  return of;
}

compression_attention::problem among_merged_of(const problem& p) {
  compression_attention::problem of = global_attention::among_all(p);
  of.rows = p.merging.attending();
  of.q = p.merging.merged[0];
  of.k = p.merging.merged[1];
  of.v = p.merging.merged[2];
  of.out = p.attended;
  return of;
}

}  // namespace ablate::merged_attention
