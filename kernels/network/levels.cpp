#include "kernels/network/levels.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "kernels/pool/sub_buckets.h"

namespace ablate::backbone {
namespace {

constexpr int published_windows = 6;  ///< the least common multiple of 1, 2 and 3

std::int64_t rounded_up(std::int64_t count, std::int64_t to) { return (count + to - 1) / to * to; }

}  // namespace

std::vector<int> interleaved_windows(const model& m, alignment align) {
  std::vector<int> all(m.encoder.size(), 1);
  if (align == alignment::published) all.front() = published_windows;
  if (align != alignment::window) return all;
  for (const std::vector<stage>& half : {m.encoder, m.decoder})
    for (std::size_t l = 0; l < half.size(); ++l)
      for (const scope& where : half[l].blocks) all[l] = std::lcm(all[l], where.stride);
  return all;
}

std::int64_t padded_rows(std::int64_t real, const window_shape& shape, int interleaved) {
  const std::int64_t whole =
      shape.align == alignment::bucket ? shape.bucket : std::int64_t{shape.window} * interleaved;
  return rounded_up(std::max<std::int64_t>(real, 1), whole);
}

std::vector<level> levels_of(const std::vector<std::uint32_t>& ends, const window_shape& shape,
                             const std::vector<int>& interleaved) {
  std::vector<level> all;
  std::vector<std::uint32_t> of_level = ends;
  for (const int windows : interleaved) {
    level next;
    next.ends = of_level;
    next.real = of_level.back();
    next.rows = padded_rows(next.real, shape, windows);
    next.slots = next.rows;
    std::uint32_t begin = 0, sum = 0;
    for (std::uint32_t& end : of_level) {
      const std::uint32_t points = end - begin;
      next.largest = std::max<std::int64_t>(next.largest, points);
      begin = end;
      sum += pool::clusters_of(points, pooled_rows);
      end = sum;
    }
    all.push_back(std::move(next));
  }
  return all;
}

std::vector<std::uint32_t> scope_table(std::int64_t rows, const window_shape& shape, const scope& where) {
  const std::int64_t buckets = rows / shape.bucket, in_window = shape.window / shape.bucket;
  const std::int64_t interleaved = buckets - buckets % (in_window * where.stride);
  if (interleaved != buckets && shape.align != alignment::bucket)
    throw std::invalid_argument("windows of a level cannot be interleaved: their number is no multiple");
  std::vector<std::uint32_t> table;
  for (std::int64_t i = 0; i < buckets; ++i) {
    const std::int64_t window = i / in_window, place = i % in_window;
    const std::int64_t chunk = window / where.stride * where.stride * in_window,
                       phase = window % where.stride;
    const std::int64_t bucket = i < interleaved ? chunk + phase + where.stride * place : i;
    table.push_back(static_cast<std::uint32_t>((where.offset + bucket) % buckets));
  }
  return table;
}

}  // namespace ablate::backbone
