#include "kernels/network/arena.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace ablate::backbone {
namespace {

std::int64_t taken(const tensor& t) {
  return (t.bytes + arena_alignment - 1) / arena_alignment * arena_alignment;
}

/// Over all steps that need it.
std::int64_t taken_in_all(const tensor& t) { return taken(t) * (t.last - t.first + 1); }

std::int64_t end_of(const tensor& t) { return t.offset + taken(t); }

/// One after the other in this order, each at the lowest place that no tensor needed at the same time has.
/// The end of the last place.
std::int64_t place(std::vector<tensor>& tensors, const std::vector<std::size_t>& order) {
  std::vector<const tensor*> placed;  // by offset
  std::int64_t end = 0;
  for (const std::size_t i : order) {
    tensor& t = tensors[i];
    t.offset = 0;
    for (const tensor* other : placed)
      if (t.lives_with(*other) && other->offset < end_of(t)) t.offset = std::max(t.offset, end_of(*other));
    const auto behind =
        std::ranges::find_if(placed, [&](const tensor* other) { return other->offset > t.offset; });
    placed.insert(behind, &t);
    end = std::max(end, end_of(t));
  }
  return end;
}

}  // namespace

std::int64_t lay_out(std::vector<tensor>& tensors) {
  constexpr int max_rounds = 32;
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].at == tensor::home::arena) first.push_back(i);
  const std::int64_t least = max_live_bytes(tensors);
  std::int64_t bytes = std::numeric_limits<std::int64_t>::max();
  std::vector<std::size_t> best;
  for (const auto weight : {taken, taken_in_all}) {
    std::vector<std::size_t> order = first;
    std::ranges::stable_sort(
        order, [&](std::size_t a, std::size_t b) { return weight(tensors[a]) > weight(tensors[b]); });
    for (int round = 0; round < max_rounds && bytes > least; ++round) {
      const std::int64_t end = place(tensors, order);
      if (end < bytes) {
        bytes = end;
        best = order;
      }
      std::ranges::stable_partition(order, [&](std::size_t i) { return end_of(tensors[i]) == end; });
    }
  }
  return place(tensors, best);
}

std::int64_t max_live_bytes(const std::vector<tensor>& tensors) {
  int steps = 0;
  for (const tensor& t : tensors) steps = std::max(steps, t.last + 1);
  std::int64_t most = 0;
  for (int step = 0; step < steps; ++step)
    most = std::max(most, std::accumulate(tensors.begin(), tensors.end(), std::int64_t{0},
                                          [&](std::int64_t sum, const tensor& t) {
                                            const bool lives = t.at == tensor::home::arena &&
                                                               t.first <= step && step <= t.last;
                                            return sum + (lives ? taken(t) : 0);
                                          }));
  return most;
}

}  // namespace ablate::backbone
