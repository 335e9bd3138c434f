// Means and attention to them against plain arithmetic on the device, and the inputs, made there. Nothing
// here is measured.
#include <cstddef>
#include <vector>

#include "kernels/common/switches.h"
#include "oracles/compression_attention/launches.h"
#include "oracles/global_attention/launches.h"
#include "oracles/pooled_key_attention/launches.h"

namespace ablate::pooled_key_attention {

void compare_parts(launcher& to, const checked_problem& p, const switches&) {
  const std::vector<block_sparse_selection::block_means> means = means_of(p);
  for (std::size_t i = 0; i < means.size(); ++i)
    block_sparse_selection::judge_means(to, means[i], p.found == nullptr ? nullptr : &p.found->means[i]);
  if (!p.stops_ahead) compression_attention::compare_with_plain(to, checked_attention_of(p), {});
}

void make_inputs(launcher& to, const checked_problem& p, const switches&) {
  global_attention::make_inputs(to, p.as_layer());
}

}  // namespace ablate::pooled_key_attention
