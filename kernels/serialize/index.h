#pragma once

#include <cstdint>

#include "kernels/serialize/serialize.h"

namespace ablate::serialize {

/// Calls `act(Index{})` with the problem's index type.
template <class Act>
void with_index(const problem& p, Act act) {
  if (p.index_bytes == 4)
    act(std::int32_t{});
  else
    act(std::int64_t{});
}

/// Element `i` of one of the problem's index arrays, on the host.
inline std::int64_t index_at(const problem& p, const void* indices, std::int64_t i) {
  if (p.index_bytes == 4) return static_cast<const std::int32_t*>(indices)[i];
  return static_cast<const std::int64_t*>(indices)[i];
}

inline void set_index(const problem& p, void* indices, std::int64_t i, std::int64_t value) {
  if (p.index_bytes == 4)
    static_cast<std::int32_t*>(indices)[i] = static_cast<std::int32_t>(value);
  else
    static_cast<std::int64_t*>(indices)[i] = value;
}

}  // namespace ablate::serialize
