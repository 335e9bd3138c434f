#include "reports/text/json_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "reports/text/bad_input.h"
#include "reports/text/json_text.h"

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

std::string escaped(std::string_view key) {
  std::string out;
  for (char c : key)
    if (c == '~')
      out += "~0";
    else if (c == '/')
      out += "~1";
    else
      out += c;
  return out;
}

/// Follows a parse only to know where it breaks off.
class place_tracker : public nlohmann::json_sax<ordered_json> {
 public:
  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }
  bool start_object(std::size_t) override { return open(false); }
  bool start_array(std::size_t) override { return open(true); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    levels_.back().key = "/" + escaped(name);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    byte = position;
    return false;
  }

  std::string pointer() const {
    std::string out;
    for (const level& l : levels_) out += l.is_array ? "/" + std::to_string(l.index) : l.key;
    return out;
  }

  std::size_t byte = 0;
  bool is_too_deep = false;

 private:
  struct level {
    bool is_array;
    std::size_t index = 0;
    std::string key = {};  ///< as the pointer has it; empty between two members
  };

  bool value() {
    if (levels_.empty()) return true;
    ++levels_.back().index;
    levels_.back().key.clear();
    return true;
  }
  bool open(bool is_array) {
    is_too_deep = levels_.size() == most_json_levels;
    if (!is_too_deep) levels_.push_back({is_array});
    return !is_too_deep;
  }
  bool close() {
    levels_.pop_back();
    return value();
  }

  std::vector<level> levels_;
};

}  // namespace

ordered_json parse_json_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || std::filesystem::is_directory(path))
    throw bad_input(path.string(), "", "expected a readable file");
  std::ostringstream buffer;
  buffer << in.rdbuf();
  const std::string text = buffer.str();

  place_tracker tracker;
  if (!ordered_json::sax_parse(text, &tracker)) {
    if (tracker.is_too_deep)
      throw bad_input(path.string(), tracker.pointer(),
                      fmt::format("expected at most {} levels of arrays and objects", most_json_levels));
    const std::size_t read = std::min(tracker.byte, text.size());
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(read), '\n');
    const bool ends_early = tracker.byte > text.size();
    throw bad_input(path.string(),
                    fmt::format("line {}, {}", line, tracker.pointer().empty() ? "/" : tracker.pointer()),
                    ends_early ? "expected more: the file ends before its JSON does"
                               : "expected JSON (numbers are finite: neither NaN nor Infinity)");
  }
  return ordered_json::parse(text);
}

std::optional<ordered_json> parse_json_line(const std::string& line) {
  place_tracker tracker;
  if (!ordered_json::sax_parse(line, &tracker)) return std::nullopt;
  return ordered_json::parse(line);
}

json_place json_place::child(std::string_view key, const ordered_json& value) const {
  return {value, file_, pointer_ + "/" + escaped(key)};
}

void json_place::refuse(std::string_view expected) const {
  throw bad_input(std::string(file_), pointer_.empty() ? "/" : pointer_, std::string(expected));
}

std::optional<json_place> json_place::find(std::string_view key) const {
  if (!value_->is_object()) refuse(fmt::format("expected an object, found {}", value_->type_name()));
  const auto found = value_->find(std::string(key));
  if (found == value_->end()) return std::nullopt;
  return child(key, *found);
}

json_place json_place::at(std::string_view key) const {
  const std::optional<json_place> found = find(key);
  if (!found) refuse(fmt::format("expected a key '{}', found none", key));
  return *found;
}

std::vector<json_place> json_place::elements() const {
  if (!value_->is_array()) refuse(fmt::format("expected an array, found {}", value_->type_name()));
  std::vector<json_place> out;
  for (std::size_t i = 0; i < value_->size(); ++i) out.push_back(child(std::to_string(i), (*value_)[i]));
  return out;
}

std::vector<std::pair<std::string, json_place>> json_place::members() const {
  if (!value_->is_object()) refuse(fmt::format("expected an object, found {}", value_->type_name()));
  std::vector<std::pair<std::string, json_place>> out;
  for (const auto& [key, value] : value_->items()) out.emplace_back(key, child(key, value));
  return out;
}

std::string json_place::text() const {
  if (!value_->is_string()) refuse(fmt::format("expected a string, found {}", value_->type_name()));
  return value_->get<std::string>();
}

bool json_place::boolean() const {
  if (!value_->is_boolean()) refuse(fmt::format("expected true or false, found {}", value_->type_name()));
  return value_->get<bool>();
}

double json_place::number() const {
  if (!value_->is_number()) refuse(fmt::format("expected a number, found {}", value_->type_name()));
  const double number = value_->get<double>();
  if (!std::isfinite(number)) refuse("expected a finite number");
  return number;
}

double json_place::not_negative() const {
  const double value = number();
  if (!(value >= 0)) refuse(fmt::format("expected a number of at least 0, found {}", value));
  return value;
}

double json_place::positive() const {
  const double value = number();
  if (!(value > 0)) refuse(fmt::format("expected a number above 0, found {}", value));
  return value;
}

long json_place::count() const {
  const double value = not_negative();
  if (value != std::floor(value) || !(value < 9e15)) refuse(fmt::format("expected a count, found {}", value));
  return static_cast<long>(value);
}

}  // namespace ablate::reports
