#include "oracles/block_sparse_attention/reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "oracles/common/head_row.h"
#include "oracles/global_attention/generated_inputs.h"
#include "oracles/global_attention/running_attention.h"

namespace ablate::block_sparse_attention {

using global_attention::running_attention, global_attention::squared_norm, global_attention::tensor;

namespace {

/// To numbers of int8 and back.
void round_to_int8(row_values& row, float greatest) {
  const auto scale = static_cast<double>(compression_attention::int8_scale(greatest));
  for (double& x : row) x = scale * compression_attention::int8_number(static_cast<float>(x), greatest);
}

row_values mean_of_rows(const checked_problem& p, tensor of, std::int64_t head, std::int64_t block,
                        int tokens) {
  const std::int64_t first = block * tokens, end = std::min(first + tokens, p.layout().patches());
  row_values sum{};
  const token_order order(p.layout(), p.order);
  const global_attention::checked_layer made = p.as_layer();
  for (std::int64_t place = first; place < end; ++place) {
    const row_values row = generated_row(made, of, head, order.token_at(place));
    for (std::size_t d = 0; d < width; ++d) sum[d] += row[d];
  }
  for (double& x : sum) x = rounded_to_bf16(x / static_cast<double>(end - first));
  return sum;
}

/// Rows of k as numbers of int8, box by box (int8_rows.h), in the order of blocks.
class int8_keys {
 public:
  int8_keys(const checked_problem& p, std::int64_t head, const token_order& order)
      : layer_(p.as_layer()), head_(head), order_(order), blocks_(quantization_of(p).blocks) {
    row_values sum{};
    for (std::int64_t token = 0; token < p.tokens; ++token) {
      const row_values row = generated_row(layer_, tensor::k, head, token);
      for (std::size_t d = 0; d < width; ++d) sum[d] += row[d];
    }
    for (std::size_t d = 0; d < width; ++d)
      mean_[d] = static_cast<float>(sum[d] / static_cast<double>(p.tokens));
  }

  /// What a key counts as. Of one box the others are known then.
  const row_values& row(std::int64_t place) {
    if (const std::int64_t box = blocks_.box_of(place); box != box_) quantize(box);
    return rows_[static_cast<std::size_t>(place - blocks_.first_of_box(box_))];
  }
  /// What taking the mean away has taken from the scaled scores of a query.
  double missing_of(const row_values& query) const {
    double product = 0;
    for (std::size_t d = 0; d < width; ++d) product += query[d] * static_cast<double>(mean_[d]);
    return product / std::sqrt(width);
  }

 private:
  void quantize(std::int64_t box) {
    box_ = box;
    const std::int64_t first = blocks_.first_of_box(box),
                       end = std::min(first + compression_attention::kept_blocks::keys,
                                      box < blocks_.key_blocks() ? blocks_.rows : layer_.tokens);
    rows_.clear();
    float greatest = 0;
    for (std::int64_t place = first; place < end; ++place) {
      rows_.push_back(generated_row(layer_, tensor::k, head_, order_.token_at(place)));
      for (std::size_t d = 0; d < width; ++d) {
        const float x = static_cast<float>(rows_.back()[d]) - mean_[d];
        rows_.back()[d] = x;
        greatest = std::max(greatest, std::abs(x));
      }
    }
    for (row_values& row : rows_) round_to_int8(row, greatest);
  }

  global_attention::checked_layer layer_;
  std::int64_t head_;
  const token_order& order_;
  compression_attention::kept_blocks blocks_;
  std::array<float, width> mean_{};
  std::int64_t box_ = -1;
  std::vector<row_values> rows_;
};

/// What a query counts as, among those of its block.
row_values int8_query(const global_attention::checked_layer& p, std::int64_t head, const token_order& order,
                      std::int64_t place) {
  constexpr std::int64_t rows = compression_attention::kept_blocks::queries;
  const std::int64_t first = place / rows * rows, end = std::min(first + rows, p.layout().patches());
  float greatest = 0;
  for (std::int64_t i = first; i < end; ++i)
    for (const double x : generated_row(p, tensor::q, head, order.token_at(i)))
      greatest = std::max(greatest, std::abs(static_cast<float>(x)));
  row_values row = generated_row(p, tensor::q, head, order.token_at(place));
  round_to_int8(row, greatest);
  return row;
}

}  // namespace

row_values reference_query_mean(const checked_problem& p, std::int64_t head, std::int64_t block) {
  return mean_of_rows(p, tensor::q, head, block, block_sparse_selection::query_block);
}

std::vector<row_values> reference_key_means(const checked_problem& p, std::int64_t head) {
  constexpr int tokens = block_sparse_selection::key_block;
  std::vector<row_values> means;
  for (std::int64_t block = 0; block * tokens < p.layout().patches(); ++block)
    means.push_back(mean_of_rows(p, tensor::k, head, block, tokens));
  return means;
}

std::vector<exact_token> reference_kept(const checked_problem& p, std::int64_t head,
                                        const std::vector<std::int64_t>& places,
                                        const std::vector<const std::uint32_t*>& bits) {
  const std::int64_t patches = p.layout().patches();
  const token_order order(p.layout(), p.order);
  const global_attention::checked_layer made = p.as_layer();
  const auto row_at = [&](tensor of, std::int64_t place) {
    return generated_row(made, of, head, order.token_at(place));
  };
  std::optional<int8_keys> int8;
  if (p.multiplies_int8) int8.emplace(p, head, order);
  std::vector<running_attention> rows;
  for (const std::int64_t place : places)
    rows.emplace_back(int8 && place < patches ? int8_query(made, head, order, place)
                                              : row_at(tensor::q, place));
  std::vector<std::size_t> attending;
  for (std::int64_t key = 0; key < p.tokens; ++key) {
    const auto block = static_cast<std::size_t>(key / block_sparse_selection::key_block);
    attending.clear();
    for (std::size_t i = 0; i < places.size(); ++i)
      if (places[i] >= patches || key >= patches || (bits[i][block / 32] >> block % 32 & 1) != 0)
        attending.push_back(i);
    if (attending.empty()) continue;
    const row_values of_key = row_at(tensor::k, key), value = row_at(tensor::v, key);
    const double squared = squared_norm(value);
    for (const std::size_t i : attending)
      rows[i].add(int8 && places[i] < patches ? int8->row(key) : of_key, value, squared);
  }
  std::vector<exact_token> attended;
  for (std::size_t i = 0; i < places.size(); ++i) {
    attended.push_back(rows[i].result());
    if (int8 && places[i] < patches) attended.back().lse += int8->missing_of(row_at(tensor::q, places[i]));
  }
  return attended;
}

}  // namespace ablate::block_sparse_attention
