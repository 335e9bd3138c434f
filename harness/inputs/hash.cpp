#include <fmt/format.h>

#include "harness/inputs/input_library.h"

namespace ablate {

std::string hash_hex(const void* bytes, std::size_t size) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto* byte = static_cast<const unsigned char*>(bytes);
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ byte[i]) * 0x00000100000001b3;
  return fmt::format("{:016x}", hash);
}

}  // namespace ablate
