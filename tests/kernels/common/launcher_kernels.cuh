#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "kernels/common/launcher.h"
#include "kernels/common/switches.h"

namespace ablate::test_support {

constexpr int sorted_keys = 1 << 20;
constexpr std::size_t sorting_room = std::size_t{32} << 20;
constexpr const char* sorting_library = "cub::DeviceRadixSort";

/// Keys sorted by a library.
struct sorting_problem {
  const unsigned* in = nullptr;
  unsigned* out = nullptr;
  void* memory = nullptr;
  std::size_t room = sorting_room;
};

/// Throws launch_error where the library fails, or where it needs more memory.
void launch_sorting(launcher& to, const sorting_problem& p, const switches&);

__global__ void write_word(int value, int* to);

}  // namespace ablate::test_support
