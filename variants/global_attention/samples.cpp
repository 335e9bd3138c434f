#include "variants/global_attention/samples.h"

namespace ablate::global_attention {

std::int32_t sampled_head(const layer& p, random_stream& random) {
  return static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(p.heads)));
}

std::int32_t sampled_head(const layer& p, std::uint64_t seed) {
  random_stream random(seed, "sampled rows");
  return sampled_head(p, random);
}

std::vector<sampled_row> sample_rows(std::int64_t first, std::int64_t rows, std::int64_t count,
                                     std::int32_t head, random_stream& random) {
  std::vector<sampled_row> samples;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t row = i == 0           ? 0
                             : i + 1 == count ? rows - 1
                                              : random.below(static_cast<std::uint32_t>(rows));
    samples.push_back({0, static_cast<std::int32_t>(first + row), head});
  }
  return samples;
}

std::vector<std::int64_t> rows_of(const std::vector<sampled_row>& samples) {
  std::vector<std::int64_t> rows;
  for (const sampled_row& at : samples) rows.push_back(at.row);
  return rows;
}

}  // namespace ablate::global_attention
