#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/registry/registry.h"
#include "kernels/common/poison.h"

namespace ablate::test_support {

/// An input of an operation on the host, with the outputs that its host reference gives.
struct solved_workload {
  solved_workload(const operation& op, const axis_values& given, std::uint64_t seed = 1) {
    axis_values at;
    for (const axis& a : op.axes) at.set(a.name, a.default_value);
    for (const auto& [name, value] : given) at.set(name, value);
    const input_library inputs(seed, {}, {});
    work = op.prepare(at, inputs);
    buffers = op.buffers(at, inputs);
    std::vector<void*> addresses;
    for (const buffer& b : buffers) {
      const bool is_output = b.role == buffer_role::output;
      const int filled_with = b.reset == buffer_reset::zeros ? 0 : poison_byte;
      bytes.emplace_back(is_output ? b.bytes : 0, static_cast<std::byte>(filled_with));
      addresses.push_back(is_output ? bytes.back().data() : nullptr);
    }
    work.reference(addresses);
  }

  std::vector<const std::byte*> outputs() const {
    std::vector<const std::byte*> all;
    for (const auto& of_buffer : bytes) all.push_back(of_buffer.empty() ? nullptr : of_buffer.data());
    return all;
  }
  check_result check() const { return work.check(outputs()); }
  nlohmann::ordered_json quality() const { return work.quality(outputs()); }

  /// The output buffer of this name, to be read or spoiled.
  template <class T>
  std::span<T> output(const std::string& name) {
    for (std::size_t i = 0; i < buffers.size(); ++i)
      if (buffers[i].name == name && buffers[i].role == buffer_role::output)
        return {reinterpret_cast<T*>(bytes[i].data()), bytes[i].size() / sizeof(T)};
    throw std::out_of_range("no output '" + name + "'");
  }

  workload work;
  std::vector<buffer> buffers;
  std::vector<std::vector<std::byte>> bytes;  ///< of each output; empty for others
};

}  // namespace ablate::test_support
