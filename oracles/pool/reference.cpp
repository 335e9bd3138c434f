#include "oracles/pool/reference.h"

#include <algorithm>
#include <cmath>

#include "kernels/common/half.h"
#include "oracles/pool/exact_rows.h"
#include "oracles/pool/index_answer.h"

namespace ablate::pool {
namespace {

std::uint16_t rounded(double x) { return bf16_of_float(static_cast<float>(x)); }

std::span<const std::uint32_t> members_of(const index_answer& answer, std::int64_t row) {
  const auto j = static_cast<std::size_t>(row);
  return std::span(answer.member).subspan(answer.start[j], answer.start[j + 1] - answer.start[j]);
}

template <class T>
void copy(const std::vector<T>& from, T* to) {
  if (to != nullptr) std::ranges::copy(from, to);
}

/// The mean of a cluster's members on an axis.
template <class Coordinate>
double mean_of(std::span<const std::uint32_t> members, Coordinate coordinate) {
  double sum = 0;
  for (const std::uint32_t row : members) sum += static_cast<double>(coordinate(row));
  return sum / static_cast<double>(members.size());
}

void write_coordinates(const problem& p, const index_answer& answer) {
  for (std::int64_t j = 0; j < answer.rows(); ++j)
    for (int axis = 0; axis < 3; ++axis) {
      const auto members = members_of(answer, j);
      if (p.half_out != nullptr)
        p.half_out[3 * j + axis] = half_of_float(static_cast<float>(mean_of(
            members, [&](std::int64_t row) { return float_of_half(p.coordinates[3 * row + axis]); })));
      if (p.position_out != nullptr)
        p.position_out[3 * j + axis] = static_cast<float>(
            mean_of(members, [&](std::int64_t row) { return p.positions[3 * row + axis]; }));
      if (p.cell_out != nullptr)
        p.cell_out[3 * j + axis] = p.cells[3 * std::int64_t{members.front()} + axis] >> p.shift;
    }
  if (p.half_out == nullptr) return;
  for (std::int64_t i = 3 * answer.rows(); i < 3 * p.padded_rows; ++i)
    p.half_out[i] = psh_bucket::padding_half;
}

void write_orders(const problem& p, const index_answer& answer) {
  for (int curve = 0; curve < p.curves; ++curve) {
    std::int32_t place = 0;
    for (std::int64_t i = 0; i < p.points; ++i) {
      const std::int32_t row = p.orders[curve * p.pitch() + i];
      const std::uint64_t code = coarse_code(p, curve, row);
      if (i > 0 && code == coarse_code(p, curve, p.orders[curve * p.pitch() + i - 1])) continue;
      const auto cluster = static_cast<std::int32_t>(answer.cluster[static_cast<std::size_t>(row)]);
      p.code_out[curve * p.pitch() + cluster] = code;
      p.order_out[curve * p.pitch() + place] = cluster;
      p.inverse_out[curve * p.pitch() + cluster] = place++;
    }
  }
}

void write_index(const problem& p, const index_answer& answer) {
  copy(answer.start, p.start);
  copy(answer.member, p.member);
  copy(answer.cluster, p.cluster);
  copy(answer.count, p.count);
  write_coordinates(p, answer);
  if (p.code_out != nullptr) write_orders(p, answer);
}

/// Reduces rows to `to`; padding is 0. `to` and `winner` may be null, and so may `finished`.
void reduce(const problem& p, const index_answer& answer, reduction op, const std::uint16_t* rows,
            std::uint16_t* to, std::uint8_t* winner, std::uint16_t* finished) {
  const auto write = [&](std::uint16_t* where, std::int64_t at, double x) {
    if (where != nullptr) where[at] = rounded(x);
  };
  for (std::int64_t j = 0; j < (p.is_grid() ? answer.rows() : p.padded_rows); ++j)
    for (int c = 0; c < p.channels; ++c) {
      const std::int64_t at = j * p.channels + c;
      const bool is_padding = j >= answer.rows();
      const exact_channel result =
          is_padding ? exact_channel{} : reduced(op, rows, p.channels, c, members_of(answer, j));
      write(to, at, result.value);
      if (winner != nullptr)
        winner[at] = static_cast<std::uint8_t>(std::min<std::uint32_t>(result.winner, late_winner));
      if (finished == nullptr) continue;
      const double pooled = static_cast<double>(float_of_bf16(rounded(result.value)));
      write(finished, at, is_padding ? 0.0 : exact_norm(p.norm, p.channels, c).finished(pooled));
    }
}

void unpool(const problem& p, const index_answer& answer) {
  for (std::int64_t row = 0; row < p.points; ++row)
    for (int c = 0; c < p.channels; ++c) {
      const std::int64_t at = row * p.channels + c;
      const std::int64_t from = answer.cluster[static_cast<std::size_t>(row)];
      p.up[at] = bf16_of_float(float_of_bf16(p.skipped[at]) + float_of_bf16(p.down[from * p.channels + c]));
    }
}

void spread(const problem& p, const index_answer& answer) {
  for (std::int64_t j = 0; j < answer.rows(); ++j) {
    const auto members = members_of(answer, j);
    for (int c = 0; c < p.channels; ++c) {
      const float gradient = float_of_bf16(p.row_gradient[j * p.channels + c]);
      const std::uint32_t winner = p.selects() ? reduced(p.op, p.features, p.channels, c, members).winner : 0;
      for (std::uint32_t slot = 0; slot < members.size(); ++slot) {
        const float share = p.selects()               ? (slot == winner ? gradient : 0.0f)
                            : p.op == reduction::mean ? gradient / static_cast<float>(members.size())
                                                      : gradient;
        p.feature_gradient[std::int64_t{members[slot]} * p.channels + c] = bf16_of_float(share);
      }
    }
  }
}

}  // namespace

void reference(const problem& p) {
  const index_answer answer = answer_of(p);
  write_index(p, answer);
  if (p.does(phase::reduce) || p.does(phase::finish))
    reduce(p, answer, p.op, p.features, p.pooled, p.winner, p.does(phase::finish) ? p.finished : nullptr);
  if (p.does(phase::unpool)) unpool(p, answer);
  if (p.does(phase::reduce_backward)) spread(p, answer);
  if (p.does(phase::unpool_backward))
    reduce(p, answer, reduction::sum, p.point_gradient, p.down_gradient, nullptr, nullptr);
}

void reference(const checked_problem& p) {
  reference(static_cast<const problem&>(p));
  *p.promises = all_promises;
}

}  // namespace ablate::pool
