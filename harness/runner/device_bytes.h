#pragma once

#include <cstddef>

namespace ablate {

/// Device memory of someone else, aligned as by cudaMalloc.
struct device_bytes {
  const void* address;
  std::size_t size;
};

}  // namespace ablate
