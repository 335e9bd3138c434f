#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ablate::reports {

/// A value in a JSON file together with its location, for error messages about unexpected values. Refers to
/// the document: must not outlive it. Every accessor throws bad_input.
class json_place {
 public:
  json_place(const nlohmann::ordered_json& value, std::string_view file, std::string pointer = "")
      : value_(&value), file_(file), pointer_(std::move(pointer)) {}

  const nlohmann::ordered_json& json() const { return *value_; }
  bool is_null() const { return value_->is_null(); }

  json_place at(std::string_view key) const;
  std::optional<json_place> find(std::string_view key) const;  ///< nothing where the key is absent
  std::vector<json_place> elements() const;
  std::vector<json_place> at_least_one(std::string_view of_what) const;  ///< elements
  std::vector<std::pair<std::string, json_place>> members() const;
  void expect_keys(const std::vector<std::string>& known) const;  ///< no others, unless they may be unknown
  /// The same place, within which expect_keys lets pass what a later version of a program may have written.
  json_place with_unknown_keys() const;

  std::string text() const;  ///< as plain_text shows it
  bool boolean() const;
  double number() const;  ///< finite
  double not_negative() const;
  double positive() const;
  long count() const;  ///< an integer, not negative
  std::int64_t integer(std::int64_t least, std::int64_t most) const;

  /// One value or an array of them, each once: "hot" is ["hot"].
  std::vector<std::string> one_or_more(const std::function<std::string(const json_place&)>& read) const;

  [[noreturn]] void refuse(std::string_view expected) const;
  /// "expected EXPECTED, found VALUE"
  [[noreturn]] void refuse_value(std::string_view expected) const;

 private:
  json_place child(std::string_view key, const nlohmann::ordered_json&) const;

  const nlohmann::ordered_json* value_;
  std::string_view file_;
  std::string pointer_;
  bool unknown_keys_ = false;
};

}  // namespace ablate::reports
