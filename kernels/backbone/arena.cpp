#include "kernels/backbone/arena.h"

#include <algorithm>
#include <numeric>

namespace ablate::backbone {
namespace {

std::int64_t taken(const tensor& t) {
  return (t.bytes + arena_alignment - 1) / arena_alignment * arena_alignment;
}

std::int64_t end_of(const tensor& t) { return t.offset + taken(t); }

std::int64_t end_of(const std::vector<tensor>& tensors, const std::vector<std::size_t>& order) {
  std::int64_t end = 0;
  for (const std::size_t i : order) end = std::max(end, end_of(tensors[i]));
  return end;
}

/// One after the other in this order, each at the lowest place that no tensor needed at the same time has.
/// The end of the last place.
std::int64_t place(std::vector<tensor>& tensors, const std::vector<std::size_t>& order) {
  std::vector<const tensor*> placed;  // by offset
  for (const std::size_t i : order) {
    tensor& t = tensors[i];
    t.offset = 0;
    for (const tensor* other : placed)
      if (t.lives_with(*other) && other->offset < end_of(t)) t.offset = std::max(t.offset, end_of(*other));
    const auto behind =
        std::ranges::find_if(placed, [&](const tensor* other) { return other->offset > t.offset; });
    placed.insert(behind, &t);
  }
  return end_of(tensors, order);
}

}  // namespace

std::int64_t lay_out(std::vector<tensor>& tensors) {
  constexpr int most_rounds = 64;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].at == tensor::home::arena) order.push_back(i);
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return taken(tensors[a]) > taken(tensors[b]); });

  const std::int64_t least = most_live_bytes(tensors);
  std::int64_t bytes = place(tensors, order);
  std::vector<std::size_t> best = order;
  for (int round = 1; round < most_rounds && bytes > least; ++round) {
    const std::int64_t end = end_of(tensors, order);
    std::ranges::stable_partition(order, [&](std::size_t i) { return end_of(tensors[i]) == end; });
    const std::int64_t reached = place(tensors, order);
    if (reached >= bytes) continue;
    bytes = reached;
    best = order;
  }
  return place(tensors, best);
}

std::int64_t most_live_bytes(const std::vector<tensor>& tensors) {
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
