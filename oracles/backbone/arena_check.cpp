#include "oracles/backbone/arena_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace ablate::backbone {
namespace {

struct needed_bytes {
  const tensor* of;
  int first, last;  ///< steps
};

/// Live until the pass waits for the gradients of a step's parameters, where these are computed beside
/// what follows: what they read, and where they are summed up.
std::vector<int> needed_beside(const network& n, const step& s) {
  if (!n.works_beside() || !has_work_beside(s.kind)) return {};
  if (s.kind == step_kind::norm_gradient) return {s.scratch};
  return {s.scratch, s.in, s.kept, n.workspace_beside};
}

/// Of the arena's tensors that steps need.
std::vector<needed_bytes> needed_by_steps(const network& n) {
  std::vector<needed_bytes> all;
  for (const tensor& t : n.tensors) all.push_back({&t, -1, -1});
  const auto note = [&](int tensor, int step) {
    if (tensor < 0) return;
    needed_bytes& needed = all[static_cast<std::size_t>(tensor)];
    needed.first = needed.first < 0 ? step : std::min(needed.first, step);
    needed.last = std::max(needed.last, step);
  };
  const int count = static_cast<int>(n.steps.size());
  for (int i = count - 1, awaited = i; i >= 0; --i) {
    const step& s = n.steps[static_cast<std::size_t>(i)];
    for (const int t :
         {s.in, s.skip, s.out, s.normed, s.product, s.scratch, s.lse, s.kept, s.written, s.beside, s.next})
      note(t, i);
    if (n.waits_for_work_beside(s)) awaited = i;
    for (const int t : needed_beside(n, s)) note(t, i), note(t, awaited);
  }
  std::erase_if(all, [](const needed_bytes& needed) {
    return needed.first < 0 || needed.of->at != tensor::home::arena;
  });
  return all;
}

bool are_one_place(const needed_bytes& a, const needed_bytes& b) {
  return a.first <= b.last && b.first <= a.last && a.of->offset < b.of->offset + b.of->bytes &&
         b.of->offset < a.of->offset + a.of->bytes;
}

}  // namespace

std::string violated_arena(const network& n) {
  std::vector<needed_bytes> all = needed_by_steps(n);
  for (const needed_bytes& needed : all)
    if (needed.of->offset < 0 || needed.of->offset + needed.of->bytes > n.arena_bytes)
      return fmt::format("{} does not stand in the arena's {} bytes", needed.of->name, n.arena_bytes);
  std::ranges::sort(all, {}, &needed_bytes::first);
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i + 1; j < all.size() && all[j].first <= all[i].last; ++j)
      if (are_one_place(all[i], all[j]))
        return fmt::format("{}, which {} still reads, and {} stand in the same bytes", all[i].of->name,
                           n.steps[static_cast<std::size_t>(all[i].last)].name, all[j].of->name);
  return {};
}

}  // namespace ablate::backbone
