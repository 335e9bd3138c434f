#include "harness/runner/buffers.h"

#include <algorithm>
#include <cstring>

#include "kernels/common/poison.h"

namespace ablate {

namespace {

// Not by std::equal, which takes bytes one at a time: a second for a GB, which every case of a large output
// would pay several times. What is empty has no address.
bool are_alike(const host_bytes& a, const host_bytes& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

/// Whether it counts toward a variant's memory.
bool is_of_variant(const buffer& b) {
  return b.role != buffer_role::instruments && b.role != buffer_role::reference;
}

}  // namespace

std::optional<int> reset_byte(const buffer& b) {
  if (b.role == buffer_role::input) return std::nullopt;
  switch (b.reset) {
    case buffer_reset::zeros:
      return 0;
    case buffer_reset::poison:
    case buffer_reset::background:
      return poison_byte;
    case buffer_reset::none:
    case buffer_reset::zeros_once:
      break;
  }
  return std::nullopt;
}

std::size_t footprint(const std::vector<buffer>& buffers) {
  std::size_t bytes = 0;
  for (const buffer& b : buffers)
    if (is_of_variant(b)) bytes += b.bytes;
  return bytes;
}

std::size_t buffer_sets(cache_state state, const std::vector<buffer>& buffers, std::size_t l2_bytes) {
  if (state != cache_state::rotating) return 1;
  return 3 * l2_bytes / std::max<std::size_t>(footprint(buffers), 1) + 1;
}

measured_case::device_memory_use memory_of(const std::vector<buffer>& buffers) {
  measured_case::device_memory_use out{static_cast<double>(footprint(buffers)), {}};
  for (const buffer& b : buffers)
    if (is_of_variant(b) && b.bytes > 0) out.by_buffer.emplace_back(b.name, static_cast<double>(b.bytes));
  return out;
}

host_outputs::host_outputs(const std::vector<buffer>& buffers) {
  for (const buffer& b : buffers) {
    storage_.emplace_back(b.is_checked() ? b.bytes : 0);
    is_found_.push_back(b.role == buffer_role::finding);
  }
}

std::vector<const std::byte*> host_outputs::pointers() const {
  std::vector<const std::byte*> all;
  for (const auto& bytes : storage_) all.push_back(bytes.data());
  return all;
}

bool host_outputs::operator==(const host_outputs& other) const {
  return std::equal(storage_.begin(), storage_.end(), other.storage_.begin(), other.storage_.end(),
                    are_alike);
}

differing_bytes host_outputs::unlike(const host_outputs& other) const {
  differing_bytes found;
  for (std::size_t i = 0; i < storage_.size(); ++i) {
    if (is_found_[i]) continue;
    found.all += storage_[i].size();
    // Most are the bytes that were kept.
    if (this == &other || are_alike(storage_[i], other.storage_[i])) continue;
    const std::byte *const own = storage_[i].data(), *const others = other.storage_[i].data();
    for (std::size_t k = 0; k < storage_[i].size(); ++k) found.differing += own[k] != others[k];
  }
  return found;
}

}  // namespace ablate
