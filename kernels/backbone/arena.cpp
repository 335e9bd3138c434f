#include "kernels/backbone/arena.h"

#include <algorithm>
#include <numeric>

namespace ablate::backbone {
namespace {

std::int64_t taken(const tensor& t) {
  return (t.bytes + arena_alignment - 1) / arena_alignment * arena_alignment;
}

}  // namespace

std::int64_t lay_out(std::vector<tensor>& tensors) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].at == tensor::home::arena) order.push_back(i);
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return taken(tensors[a]) > taken(tensors[b]); });

  std::vector<const tensor*> placed;  // by offset
  std::int64_t bytes = 0;
  for (const std::size_t i : order) {
    tensor& t = tensors[i];
    t.offset = 0;
    for (const tensor* other : placed)
      if (t.lives_with(*other) && other->offset < t.offset + taken(t))
        t.offset = std::max(t.offset, other->offset + taken(*other));
    const auto behind =
        std::ranges::find_if(placed, [&](const tensor* other) { return other->offset > t.offset; });
    placed.insert(behind, &t);
    bytes = std::max(bytes, t.offset + taken(t));
  }
  return bytes;
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
