#include "harness/runner/buffers.h"

namespace ablate {

std::size_t footprint(const std::vector<buffer>& buffers) {
  std::size_t bytes = 0;
  for (const buffer& b : buffers)
    if (b.role != buffer_role::instruments) bytes += b.bytes;
  return bytes;
}

host_outputs::host_outputs(const std::vector<buffer>& buffers) {
  for (const buffer& b : buffers) storage_.emplace_back(b.role == buffer_role::output ? b.bytes : 0);
}

std::vector<const std::byte*> host_outputs::pointers() const {
  std::vector<const std::byte*> all;
  for (const auto& bytes : storage_) all.push_back(bytes.empty() ? nullptr : bytes.data());
  return all;
}

}  // namespace ablate
