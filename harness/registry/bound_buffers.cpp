#include "harness/registry/bound_buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace ABLATE_ABI {

bound_buffer unbound(std::string name, std::size_t bytes, buffer_role role, buffer_reset reset) {
  return {{std::move(name), bytes, role, reset}};
}

std::vector<buffer> without_members(const bound_buffers& bound) {
  std::vector<buffer> buffers;
  for (const bound_buffer& b : bound) buffers.push_back(b.what);
  return buffers;
}

void put_addresses(const bound_buffers& bound, std::span<void* const> addresses) {
  if (addresses.empty()) return;
  if (addresses.size() != bound.size())
    throw std::logic_error(fmt::format("{} addresses for {} buffers", addresses.size(), bound.size()));
  for (std::size_t i = 0; i < bound.size(); ++i)
    if (bound[i].member != nullptr) bound[i].put(bound[i].member, addresses[i]);
}

std::vector<std::span<const std::byte>> contents_of(const bound_buffers& bound, named_contents named) {
  std::vector<std::span<const std::byte>> contents(bound.size());
  for (const auto& [name, bytes] : named) {
    const auto at =
        std::ranges::find(bound, name, [](const bound_buffer& b) { return std::string_view(b.what.name); });
    if (at == bound.end()) throw std::logic_error(fmt::format("no buffer '{}' to fill", name));
    contents[static_cast<std::size_t>(at - bound.begin())] = bytes;
  }
  return contents;
}

}  // namespace ABLATE_ABI
