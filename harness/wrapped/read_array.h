#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/registry/array_operation.h"
#include "harness/wrapped/element_type.h"
#include "harness/wrapped/expression.h"
#include "harness/wrapped/json_values.h"

namespace ablate::wrapped {

/// Makes the contents of an input.
using array_fill =
    std::function<std::vector<std::byte>(const axis_values&, std::int64_t count, std::uint64_t seed)>;

/// An array as the file describes it, before its axes have values.
struct array_entry {
  std::string name;
  buffer_role role = buffer_role::input;
  const element_type* type = nullptr;
  expression count = expression::constant(0);
  double tolerance = 0;
  /// Of an input: its contents.
  array_fill fill = {};
  bool may_change = false;
  /// Of an output: the file that holds what is right.
  std::optional<path_pattern> expected = {};

  std::int64_t count_at(const axis_values&) const;
  kernel_array at(const axis_values&) const;
};

/// What has been read of a file of wrapped kernels, for what refers to it.
struct file_scope {
  std::filesystem::path folder;
  std::vector<axis> axes = {};
  std::vector<std::string> integer_axes = {};  ///< those that expressions may use
  std::vector<array_entry> arrays = {};
  std::map<std::string, std::size_t> array_places = {};

  void add(axis);
  void add(array_entry);
};

array_entry read_array(const json_place&, const file_scope&);

/// Empty where no file holds what is right; files that do so hold it for all outputs.
decltype(array_definition::answer) answer_of(const std::vector<array_entry>&, const json_place& at);

}  // namespace ablate::wrapped
