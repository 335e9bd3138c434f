// The layer's parts against plain arithmetic on the device, each from what the one before it left. Nothing
// here is measured.
#include "kernels/common/switches.h"
#include "kernels/gated_attention/parts.h"
#include "oracles/block_pooling/launches.h"
#include "oracles/block_sparse_selection/launches.h"
#include "oracles/block_sparse_selection/mean_findings.h"
#include "oracles/compression_attention/launches.h"
#include "oracles/gated_attention/checked_block_pooling.h"
#include "oracles/gated_attention/checked_block_sparse_selection.h"
#include "oracles/gated_attention/checked_compression_attention.h"
#include "oracles/gated_attention/checked_selection_attention.h"
#include "oracles/gated_attention/checked_token_merging.h"
#include "oracles/gated_attention/findings.h"
#include "oracles/gated_attention/launches.h"
#include "oracles/selection_attention/launches.h"
#include "oracles/token_merging/launches.h"

namespace ablate::gated_attention {
namespace {

void compare_sparse(launcher& to, const checked_problem& p) {
  block_pooling::compare_with_plain(to, checked_pooling_of(p), {});
  if (p.stops_ahead) return;
  compression_attention::compare_with_plain(to, checked_compression_of(p), {});
  selection_attention::compare_with_plain(to, checked_selection_of(p), {});
}

void compare_block_sparse(launcher& to, const checked_problem& p) {
  const checked_problem ordered{in_order(p), p};
  if (p.order != patch_order::natural) judge_moves(to, p);
  const auto found = [&](int i) { return p.found == nullptr ? nullptr : &p.found->means[i]; };
  block_sparse_selection::judge_means(to, query_means_of(ordered), found(0));
  block_sparse_selection::judge_means(to, key_means_of(ordered), found(1));
  block_sparse_selection::judge_with_fp64(to, checked_choice_of(ordered), {});
  if (p.multiplies_int8)
    compression_attention::judge_int8_rows(to, quantization_of(ordered),
                                           p.found == nullptr ? nullptr : &p.found->int8);
  if (!p.stops_ahead) compression_attention::compare_with_plain(to, checked_kept_of(ordered), {});
}

void compare_merged(launcher& to, const checked_problem& p) {
  using token_merging::step;
  token_merging::judge_with_fp64(to, checked_merging_of(p, step::match), {});
  token_merging::judge_with_fp64(to, checked_merging_of(p, step::merge), {});
  if (p.stops_ahead) return;
  compression_attention::compare_with_plain(to, checked_among_merged_of(p), {});
  token_merging::judge_with_fp64(to, checked_merging_of(p, step::unmerge), {});
}

void compare_pooled_keys(launcher& to, const checked_problem& p) {
  const std::vector<block_sparse_selection::block_means> means = pooled_keys_of(p);
  for (std::size_t i = 0; i < means.size(); ++i)
    block_sparse_selection::judge_means(to, means[i], p.found == nullptr ? nullptr : &p.found->means[i]);
  if (!p.stops_ahead) compression_attention::compare_with_plain(to, checked_to_pooled_keys_of(p), {});
}

}  // namespace

void compare_parts(launcher& to, const checked_problem& p, const switches&) {
  switch (p.method) {
    case method::sparse:
      return compare_sparse(to, p);
    case method::dense:
      return compression_attention::compare_with_plain(to, checked_dense_of(p), {});
    case method::block_sparse:
      return compare_block_sparse(to, p);
    case method::merged:
      return compare_merged(to, p);
    case method::pooled_keys:
      return compare_pooled_keys(to, p);
  }
}

}  // namespace ablate::gated_attention
