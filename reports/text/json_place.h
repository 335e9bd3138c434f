#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ablate::reports {

/// Parses a file. Throws bad_input naming the line and the JSON pointer where the text stops being JSON (NaN
/// and a file that ends early are such places).
nlohmann::ordered_json parse_json_file(const std::filesystem::path&);

/// A value in a JSON file together with where it stands, so that whoever expected something else there can
/// say so. Refers to the document: must not outlive it. Every accessor throws bad_input.
class json_place {
 public:
  json_place(const nlohmann::ordered_json& value, std::string_view file, std::string pointer = "")
      : value_(&value), file_(file), pointer_(std::move(pointer)) {}

  const nlohmann::ordered_json& json() const { return *value_; }
  bool is_null() const { return value_->is_null(); }

  json_place at(std::string_view key) const;
  std::optional<json_place> find(std::string_view key) const;  ///< nothing where the key is absent
  std::vector<json_place> elements() const;
  std::vector<std::pair<std::string, json_place>> members() const;

  std::string text() const;
  bool boolean() const;
  double number() const;  ///< finite
  double not_negative() const;
  double positive() const;
  long count() const;  ///< an integer, not negative

  [[noreturn]] void refuse(std::string_view expected) const;

 private:
  json_place child(std::string_view key, const nlohmann::ordered_json&) const;

  const nlohmann::ordered_json* value_;
  std::string_view file_;
  std::string pointer_;
};

}  // namespace ablate::reports
