#include "kernels/common/memory_cutter.h"
#include "kernels/token_merging/token_merging.h"

namespace ablate::token_merging {

merge_scratch cut_scratch(const problem& p, std::size_t* bytes) {
  memory_cutter cutter{static_cast<std::byte*>(p.scratch)};
  merge_scratch scratch{};
  cutter.cut(scratch.sums, tensors * p.heads * p.destinations * width);
  cutter.cut(scratch.counts, p.destinations);
  cutter.cut(scratch.first, p.destinations);
  cutter.cut(scratch.next, p.sources);
  if (bytes) *bytes = cutter.used;
  return scratch;
}

match_scratch cut_match_scratch(const problem& p, std::size_t* bytes) {
  memory_cutter cutter{static_cast<std::byte*>(p.scratch)};
  match_scratch scratch{};
  cutter.cut(scratch.sources, p.sources * p.match_channels());
  cutter.cut(scratch.destinations, p.destinations * p.match_channels());
  cutter.cut(scratch.keys, p.sources);
  if (bytes) *bytes = cutter.used;
  return scratch;
}

std::size_t scratch_bytes(const problem& p) {
  std::size_t bytes = 0;
  if (p.step == step::merge) cut_scratch(p, &bytes);
  if (p.step == step::match) cut_match_scratch(p, &bytes);
  return bytes;
}

}  // namespace ablate::token_merging
