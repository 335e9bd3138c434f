#pragma once

#include <cstdint>
#include <initializer_list>

#include "kernels/common/launcher.h"

namespace ablate {

/// Words of device memory that get the same value; the memory begins at a multiple of 16 bytes.
struct word_span {
  void* address = nullptr;
  std::int64_t words = 0;  ///< of 4 bytes
  std::uint32_t value = 0;
};

constexpr int max_filled_spans = 4;

/// Fills up to `max_filled_spans` spans in one launch. A kernel and not a memset, because profilers see
/// kernels: what is filled inside of the timed region must be counted there too.
void fill(launcher&, std::initializer_list<word_span>);

}  // namespace ablate
