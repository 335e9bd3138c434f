#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ablate {

/// The named properties of one variant, in the order in which it states them: `{smem: on, entries: 2048}`.
/// A launch function reads its parameters from here, so what a record says of a variant is what it ran with.
class switches {
 public:
  switches() = default;
  switches(std::initializer_list<std::pair<std::string, std::string>> values) : values_(values) {}

  /// The value of `name`. Throws std::out_of_range when the variant does not state it.
  const std::string& word(std::string_view name) const;
  /// The value of `name` as an integer. Throws std::out_of_range or std::invalid_argument.
  long integer(std::string_view name) const;
  bool has(std::string_view name) const;
  /// These with `values` put over them: each in the place of its name, new names behind.
  switches with(std::initializer_list<std::pair<std::string, std::string>> values) const;

  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  bool empty() const { return values_.empty(); }

 private:
  std::vector<std::pair<std::string, std::string>> values_;
};

}  // namespace ablate
