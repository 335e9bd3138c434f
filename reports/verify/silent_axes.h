#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace ablate::verify {

/// Axes that names leave out at one value, the default of an axis that an operation got later. A record does
/// not say which these are; its names do: of an axis that some of an operation's names lack, the value is
/// that of most of them.
class silent_axes {
 public:
  /// `benchmarks`: of a record.
  explicit silent_axes(const nlohmann::ordered_json& benchmarks);

  /// Whether names of the operation's cases lack the axis at this value.
  bool is_left_out(const std::string& operation, const std::string& axis, const std::string& value) const;

 private:
  std::map<std::pair<std::string, std::string>, std::string> value_;
};

}  // namespace ablate::verify
