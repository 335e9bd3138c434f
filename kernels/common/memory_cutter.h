#pragma once

#include <cstddef>
#include <cstdint>

namespace ablate {

/// Cuts arrays off one piece of memory, each at a multiple of 256 bytes. Of no memory (null) the arrays are
/// null, and `used` still says how much there must be.
struct memory_cutter {
  static constexpr std::size_t alignment = 256;

  std::byte* base;
  std::size_t used = 0;

  template <class T>
  void cut(T*& array, std::int64_t count) {
    array = base == nullptr ? nullptr : reinterpret_cast<T*>(base + used);
    used += (sizeof(T) * static_cast<std::size_t>(count) + alignment - 1) / alignment * alignment;
  }
};

/// The bytes of what `cut` cuts off a problem's memory.
template <class Memory, class Problem>
std::size_t bytes_cut(Memory (*cut)(const Problem&, std::size_t* bytes), const Problem& p) {
  std::size_t bytes = 0;
  cut(p, &bytes);
  return bytes;
}

}  // namespace ablate
