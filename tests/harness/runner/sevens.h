#pragma once

#include <cstddef>
#include <span>

#include "harness/registry/define.h"

namespace ablate::sampled_gpu_test {

/// The workload of `occupy`: no input, and 7 is the right output.
inline workload sevens() {
  workload w;
  w.contents = {{}};
  w.check = [](std::span<const std::byte* const> out) -> check_result {
    if (*reinterpret_cast<const unsigned*>(out[0]) != 7) return {false, "expected 7", 1};
    return {.ok = true};
  };
  w.input = {{"hash", "0123456789abcdef"}};
  return w;
}

}  // namespace ablate::sampled_gpu_test
