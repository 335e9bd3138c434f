#include "oracles/gated_attention/checked_compression_attention.h"

#include "kernels/gated_attention/parts.h"
#include "oracles/gated_attention/findings.h"

namespace ablate::gated_attention {

namespace {

compression_attention::checked_problem checked(const checked_problem& p,
                                               const compression_attention::problem& part) {
  compression_attention::checked_problem of{part};
  if (p.found != nullptr) of.found = &p.found->compression;
  of.reference = p.row_reference;
  return of;
}

/// Where its rows are the layer's.
compression_attention::checked_problem checked_rows(const checked_problem& p,
                                                    const compression_attention::problem& part) {
  compression_attention::checked_problem of = checked(p, part);
  of.samples = p.samples;
  of.sample_count = p.sample_count;
  of.sampled_out = p.sampled_out;
  of.sampled_lse = p.sampled_lse;
  return of;
}

}  // namespace

compression_attention::checked_problem checked_compression_of(const checked_problem& p) {
  compression_attention::checked_problem of = checked(p, compression_of(p));
  // Decides how its lists are compared, and nothing else.
  of.what = are_exact(p.what) ? compression_attention::scores::integers : compression_attention::scores::unit;
  of.samples = p.block_samples;
  of.sample_count = p.block_sample_count;
  of.sampled_out = p.sampled_compressed;
  of.sampled_lse = p.sampled_compressed_lse;
  of.sampled_table = p.sampled_table;
  return of;
}

compression_attention::checked_problem checked_dense_of(const checked_problem& p) {
  return checked_rows(p, dense_of(p));
}

compression_attention::checked_problem checked_to_pooled_keys_of(const checked_problem& p) {
  return checked_rows(p, to_pooled_keys_of(p));
}

compression_attention::checked_problem checked_among_merged_of(const checked_problem& p) {
  return checked_rows(p, among_merged_of(p));
}

compression_attention::checked_problem checked_kept_of(const checked_problem& p) {
  compression_attention::checked_problem of = checked_rows(p, kept_of(p));
  of.queries = p.queries;
  return of;
}

}  // namespace ablate::gated_attention
