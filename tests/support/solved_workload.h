#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/registry/registry.h"
#include "kernels/common/poison.h"
#include "tests/support/axis_values.h"

namespace ablate::test_support {

/// An input of an operation on the host, with the outputs that its host reference writes over poison.
struct solved_workload {
  static constexpr std::byte poison{poison_byte};

  solved_workload(const operation& op, const axis_values& given,
                  const input_library& inputs = input_library(1, {}, {})) {
    const axis_values at = values_of(op, given);
    work = op.prepare(at, inputs);
    buffers = op.buffers(at, inputs);
    std::vector<void*> addresses;
    for (const buffer& b : buffers) {
      const bool is_output = b.is_checked();
      bytes.emplace_back(is_output ? b.bytes : 0, poison);
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
  /// Of outputs that nobody wrote.
  check_result check_poison() const {
    solved_workload unwritten = *this;
    for (auto& of_buffer : unwritten.bytes) std::ranges::fill(of_buffer, poison);
    return unwritten.check();
  }
  std::int64_t fact(const char* name) const { return work.input.at(name); }
  nlohmann::ordered_json quality() const { return work.quality(outputs()); }

  /// The output buffer of this name or place, to be read or spoiled.
  template <class T>
  std::span<T> output(const std::string& name) {
    for (std::size_t i = 0; i < buffers.size(); ++i)
      if (buffers[i].name == name && buffers[i].is_checked()) return output<T>(i);
    throw std::out_of_range("no output '" + name + "'");
  }
  template <class T>
  std::span<T> output(std::size_t place) {
    return {reinterpret_cast<T*>(bytes[place].data()), bytes[place].size() / sizeof(T)};
  }

  /// The contents of an input.
  template <class T>
  std::vector<T> input(std::size_t place) const {
    const auto& of_buffer = work.contents[place];
    std::vector<T> values(of_buffer.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), of_buffer.data(), of_buffer.size());
    return values;
  }

  workload work;
  std::vector<buffer> buffers;
  std::vector<std::vector<std::byte>> bytes;  ///< of each output; empty for others
};

}  // namespace ablate::test_support
