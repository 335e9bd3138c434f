#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/registry/operation.h"
#include "harness/version.h"

// A buffer is written once: its name, the problem's member that gets its address, its bytes, role and reset.

namespace ABLATE_ABI {

struct bound_buffer {
  buffer what;
  void* member = nullptr;  ///< null: no kernel gets this buffer
  void (*put)(void* member, void* address) = nullptr;
};

/// In the order in which they are allocated. Members are those of the problem that `buffers` was called with.
using bound_buffers = std::vector<bound_buffer>;

/// `bind("keys", p.keys, bytes)`, of any pointer in `p`: a member, an element of an array, a member's member.
template <class T>
bound_buffer bind(std::string name, T*& member, std::size_t bytes, buffer_role role = buffer_role::input,
                  buffer_reset reset = buffer_reset::none) {
  return {{std::move(name), bytes, role, reset}, &member, [](void* at, void* address) {
            *static_cast<T**>(at) = static_cast<T*>(address);
          }};
}

/// A buffer whose address `Put(problem, address)` puts into several members, or into some only.
template <auto Put, class Problem>
bound_buffer bind_by(std::string name, Problem& p, std::size_t bytes, buffer_role role = buffer_role::input,
                     buffer_reset reset = buffer_reset::none) {
  return {{std::move(name), bytes, role, reset}, &p, [](void* to, void* address) {
            Put(*static_cast<Problem*>(to), address);
          }};
}

/// A buffer of no member.
bound_buffer unbound(std::string name, std::size_t bytes, buffer_role role = buffer_role::input,
                     buffer_reset reset = buffer_reset::none);

/// The buffers without their members.
std::vector<buffer> without_members(const bound_buffers&);

/// The addresses, in the order of the buffers, into their members; none: they keep what they have. Throws
/// std::logic_error where there are not as many of them.
void put_addresses(const bound_buffers&, std::span<void* const> addresses);

/// The problem with these addresses in its members.
template <class Problem>
Problem attached(Problem p, bound_buffers (*buffers)(Problem&), std::span<void* const> addresses) {
  put_addresses(buffers(p), addresses);
  return p;
}

/// The same from outputs, which a check only reads.
template <class Problem>
Problem attached(Problem p, bound_buffers (*buffers)(Problem&), std::span<const std::byte* const> outputs) {
  std::vector<void*> addresses;
  for (const std::byte* bytes : outputs) addresses.push_back(const_cast<std::byte*>(bytes));
  put_addresses(buffers(p), addresses);
  return p;
}

using named_contents = std::initializer_list<std::pair<std::string_view, std::span<const std::byte>>>;

/// workload::contents: what the buffers named here are filled with; nothing for the others. Throws
/// std::logic_error naming a buffer that there is not.
std::vector<std::span<const std::byte>> contents_of(const bound_buffers&, named_contents);

template <class Problem>
std::vector<std::span<const std::byte>> contents_of(Problem p, bound_buffers (*buffers)(Problem&),
                                                    named_contents named) {
  return contents_of(buffers(p), named);
}

}  // namespace ABLATE_ABI
