#pragma once

#include <cstdint>
#include <vector>

#include "harness/inputs/random.h"
#include "oracles/global_attention/checked_layer.h"

namespace ablate::global_attention {

constexpr std::int64_t sampled_tokens = 16;

/// Of all samples: what the stream `sampled rows` draws first.
std::int32_t sampled_head(const layer&, random_stream&);
std::int32_t sampled_head(const layer&, std::uint64_t seed);

/// So many of `rows` rows from `first` on, the first and the last among them.
std::vector<sampled_row> sample_rows(std::int64_t first, std::int64_t rows, std::int64_t count,
                                     std::int32_t head, random_stream&);
std::vector<std::int64_t> rows_of(const std::vector<sampled_row>&);

}  // namespace ablate::global_attention
