#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "kernels/network/network.h"

// What gradients of parameters need while they run beside other steps, by the tensors' places in the arena.

namespace ablate::backbone {

inline std::vector<int> written_by(const step& s) {
  std::vector<int> all = {s.out, s.scratch, s.lse, s.normed, s.product};
  if (s.kind == step_kind::batch_norm) all.push_back(s.written);
  std::erase_if(all, [](int number) { return number < 0; });
  return all;
}

/// Of a step's gradients of parameters: what they read, and where they are summed up.
inline std::vector<int> needed_beside(const network& n, const step& s) {
  if (s.kind == step_kind::norm_gradient) return {s.scratch};
  std::vector<int> all = {s.scratch, s.in, s.kept, n.workspace_beside};
  std::erase_if(all, [](int number) { return number < 0; });
  return all;
}

/// Steps that write to what is needed beside them, each with the one whose gradients need it.
inline std::vector<std::string> spoiled_beside(const network& n) {
  const auto tensor_at = [&](int number) { return n.tensors[static_cast<std::size_t>(number)]; };
  const auto overlap = [](const tensor& a, const tensor& b) {
    return a.at == tensor::home::arena && b.at == tensor::home::arena && a.offset < b.offset + b.bytes &&
           b.offset < a.offset + a.bytes;
  };
  std::vector<std::string> spoiled;
  for (std::size_t i = 0; i < n.steps.size(); ++i) {
    if (!has_work_beside(n.steps[i].kind)) continue;
    const std::vector<int> needed = needed_beside(n, n.steps[i]);
    for (std::size_t j = i + 1; j < n.steps.size(); ++j) {
      const std::vector<int> written = written_by(n.steps[j]);
      if (std::ranges::any_of(written, [&](int to) {
            return std::ranges::any_of(needed,
                                       [&](int from) { return overlap(tensor_at(to), tensor_at(from)); });
          }))
        spoiled.push_back(n.steps[i].name + " by " + n.steps[j].name);
      if (n.waits_for_work_beside(n.steps[j])) break;
    }
  }
  return spoiled;
}

}  // namespace ablate::backbone
