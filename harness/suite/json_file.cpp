#include "harness/suite/json_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "reports/text/bad_input.h"
#include "reports/text/json_text.h"

namespace ablate {

namespace {

/// Where the parser is: one level for each object or array that is open.
struct level {
  bool is_array = false;
  std::size_t index = 0;
  std::string key;
  std::set<std::string> seen;
};

class duplicate_key_finder {
 public:
  explicit duplicate_key_finder(const std::string& file) : file_(file) {}

  bool operator()(int, nlohmann::ordered_json::parse_event_t event, nlohmann::ordered_json& value) {
    using event_t = nlohmann::ordered_json::parse_event_t;
    switch (event) {
      case event_t::object_start:
      case event_t::array_start:
        if (levels_.size() == reports::most_json_levels)
          throw bad_input(
              file_, pointer(),
              fmt::format("expected at most {} levels of arrays and objects", reports::most_json_levels));
        levels_.push_back({});
        levels_.back().is_array = event == event_t::array_start;
        break;
      case event_t::key:
        take_key(value.get<std::string>());
        break;
      case event_t::object_end:
      case event_t::array_end:
        levels_.pop_back();
        step();
        break;
      case event_t::value:
        step();
        break;
    }
    return true;
  }

  /// Where the parser is.
  std::string pointer() const {
    std::string path;
    for (const level& l : levels_) path = child_pointer(path, l.is_array ? std::to_string(l.index) : l.key);
    return path;
  }

 private:
  void take_key(const std::string& key) {
    levels_.back().key = key;
    if (!levels_.back().seen.insert(key).second)
      throw bad_input(file_, pointer(), "this key stands twice in one object; expected it once");
  }
  void step() {
    if (!levels_.empty() && levels_.back().is_array) ++levels_.back().index;
  }

  std::string file_;
  std::vector<level> levels_;
};

}  // namespace

std::string child_pointer(const std::string& parent, const std::string& key) {
  std::string escaped;
  for (char c : key) escaped += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return parent + "/" + escaped;
}

nlohmann::ordered_json parse_written_json(const std::string& text, const std::string& file) {
  // The parser copies its callback, so the finder is held outside of it.
  const auto finder = std::make_shared<duplicate_key_finder>(file);
  try {
    return nlohmann::ordered_json::parse(
        text, [finder](int depth, nlohmann::ordered_json::parse_event_t event,
                       nlohmann::ordered_json& value) { return (*finder)(depth, event, value); });
  } catch (const nlohmann::ordered_json::parse_error& e) {
    const std::size_t byte = std::min(e.byte > 0 ? e.byte - 1 : 0, text.size());
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(byte);
    const auto line = std::count(text.begin(), end, '\n') + 1;
    const std::size_t line_start = byte == 0 ? std::string::npos : text.rfind('\n', byte - 1);
    const std::size_t column = byte - (line_start == std::string::npos ? 0 : line_start + 1) + 1;
    throw bad_input(file, fmt::format("line {}, column {}", line, column),
                    "not JSON here; expected a JSON value, ',' or a closing bracket");
  } catch (const nlohmann::ordered_json::out_of_range&) {
    throw bad_input(file, finder->pointer(), "expected a number that a double can hold");
  }
}

}  // namespace ablate
