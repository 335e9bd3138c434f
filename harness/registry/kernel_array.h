#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <typeinfo>
#include <vector>

#include "harness/registry/buffer.h"
#include "harness/version.h"

namespace ABLATE_ABI {

/// How two outputs of an array compare.
struct array_difference {
  std::int64_t first = -1;  ///< first element that is wrong; -1: none
  double greatest = 0;      ///< greatest |found - right| / max(1, |right|) of the others
};

/// One array of a kernel without a problem struct; of the types of C++ made by define_kernel.h's functions.
struct kernel_array {
  std::string name;
  std::int64_t count = 0;
  std::size_t element_bytes = 0;
  const std::type_info* type = nullptr;
  buffer_role role = buffer_role::input;
  /// Of an input: its contents for a seed.
  std::function<std::vector<std::byte>(std::uint64_t seed)> contents = {};
  /// Of an input: an element may have the value of any other. Then timed launches get inputs that differ in a
  /// few elements (input_editions).
  bool may_change = false;
  /// Of an output: how what was found compares with what is right, and an element as text.
  std::function<array_difference(const std::byte* right, const std::byte* found)> compare = {};
  std::function<std::string(const std::byte*, std::int64_t element)> text = {};
  /// Of an output: the first element that was not written, as far as its type tells; -1: none.
  std::function<std::int64_t(const std::byte* found)> first_unwritten = {};
  double tolerance = 0;
};

}  // namespace ABLATE_ABI
