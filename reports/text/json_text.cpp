#include "reports/text/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "reports/text/bad_input.h"
#include "reports/text/text_file.h"

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

/// Follows a parse only to know where it breaks off, and why.
class place_tracker : public nlohmann::json_sax<ordered_json> {
 public:
  enum class refusal { no_json, too_deep, key_again };

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
    levels_.back().key = name;
    if (levels_.back().seen.insert(name).second) return true;
    why = refusal::key_again;
    return false;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    byte = position;
    return false;
  }

  std::string pointer() const {
    std::string out;
    for (const level& l : levels_)
      if (l.is_array)
        out = child_pointer(out, std::to_string(l.index));
      else if (l.key)
        out = child_pointer(out, *l.key);
    return out;
  }

  std::size_t byte = 0;
  refusal why = refusal::no_json;

 private:
  struct level {
    bool is_array;
    std::size_t index = 0;
    std::optional<std::string> key = {};  ///< nothing between two members
    std::set<std::string> seen = {};
  };

  bool value() {
    if (levels_.empty()) return true;
    ++levels_.back().index;
    levels_.back().key.reset();
    return true;
  }
  bool open(bool is_array) {
    if (levels_.size() == most_json_levels) {
      why = refusal::too_deep;
      return false;
    }
    levels_.push_back({is_array});
    return true;
  }
  bool close() {
    levels_.pop_back();
    return value();
  }

  std::vector<level> levels_;
};

[[noreturn]] void refuse(const place_tracker& broken, const std::string& text, const std::string& file) {
  const std::string pointer = broken.pointer();
  if (broken.why == place_tracker::refusal::too_deep)
    throw bad_input(file, pointer,
                    fmt::format("expected at most {} levels of arrays and objects", most_json_levels));
  if (broken.why == place_tracker::refusal::key_again)
    throw bad_input(file, pointer, "expected this key once in its object, found it again");
  const std::size_t read = std::min(broken.byte, text.size());
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(read), '\n');
  const bool ends_early = broken.byte > text.size();
  throw bad_input(file, fmt::format("line {}, {}", line, pointer.empty() ? "/" : pointer),
                  ends_early ? "expected more: the file ends before its JSON does"
                             : "expected JSON (numbers are finite: neither NaN nor Infinity)");
}

}  // namespace

std::string child_pointer(const std::string& parent, std::string_view key) {
  std::string out = parent + "/";
  for (char c : key)
    if (c == '~')
      out += "~0";
    else if (c == '/')
      out += "~1";
    else
      out += c;
  return out;
}

ordered_json parse_json(const std::string& text, const std::string& file) {
  place_tracker tracker;
  if (!ordered_json::sax_parse(text, &tracker)) refuse(tracker, text, file);
  return ordered_json::parse(text);
}

ordered_json parse_json_file(const std::filesystem::path& path) {
  return parse_json(read_text_file(path), path.string());
}

std::optional<ordered_json> parse_json_line(const std::string& line) {
  place_tracker tracker;
  if (!ordered_json::sax_parse(line, &tracker)) return std::nullopt;
  return ordered_json::parse(line);
}

std::string json_text(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace ablate::reports
