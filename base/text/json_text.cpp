#include "base/text/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/text/bad_input.h"
#include "base/text/text_file.h"

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

/// By the vector's own function, which does not look for the key.
ordered_json& added_member(ordered_json& object, std::string key, ordered_json value) {
  std::vector<ordered_json::object_t::value_type>& members = object.get_ref<ordered_json::object_t&>();
  return members.emplace_back(std::move(key), std::move(value)).second;
}

/// Builds a document, and knows where a parse breaks off and why. The JSON library's own builder looks for
/// each key among those before it, which takes minutes for an object of 10^6 keys; here the sets of keys do
/// that.
class document_builder : public nlohmann::json_sax<ordered_json> {
 public:
  enum class refusal { no_json, too_deep, key_again };

  bool null() override { return value(nullptr); }
  bool boolean(bool v) override { return value(v); }
  bool number_integer(number_integer_t v) override { return value(v); }
  bool number_unsigned(number_unsigned_t v) override { return value(v); }
  bool number_float(number_float_t v, const string_t&) override { return value(v); }
  bool string(string_t& v) override { return value(std::move(v)); }
  bool binary(binary_t& v) override { return value(std::move(v)); }
  bool start_object(std::size_t) override { return open(ordered_json::object()); }
  bool start_array(std::size_t) override { return open(ordered_json::array()); }
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
      if (l.into->is_array())
        out = child_pointer(out, std::to_string(l.into->size() - l.is_within));
      else if (l.key)
        out = child_pointer(out, *l.key);
    return out;
  }

  ordered_json built;
  std::size_t byte = 0;
  refusal why = refusal::no_json;

 private:
  struct level {
    ordered_json* into;                   ///< stays where it is: only the last level grows
    bool is_within = false;               ///< the last value is open
    std::optional<std::string> key = {};  ///< nothing between two members
    std::unordered_set<std::string> seen = {};
  };

  ordered_json* add(ordered_json v) {
    if (levels_.empty()) return &(built = std::move(v));
    level& last = levels_.back();
    if (last.into->is_array()) {
      auto& elements = last.into->get_ref<ordered_json::array_t&>();
      return &elements.emplace_back(std::move(v));
    }
    return &added_member(*last.into, *last.key, std::move(v));
  }
  void ended() {
    if (levels_.empty()) return;
    levels_.back().is_within = false;
    levels_.back().key.reset();
  }
  bool value(ordered_json v) {
    add(std::move(v));
    ended();
    return true;
  }
  bool open(ordered_json container) {
    if (levels_.size() == max_json_levels) {
      why = refusal::too_deep;
      return false;
    }
    ordered_json* const into = add(std::move(container));
    if (!levels_.empty()) levels_.back().is_within = true;
    levels_.push_back({into});
    return true;
  }
  bool close() {
    levels_.pop_back();
    ended();
    return true;
  }

  std::vector<level> levels_;
};

[[noreturn]] void refuse(const document_builder& broken, const std::string& text, const std::string& file) {
  const std::string pointer = broken.pointer();
  if (broken.why == document_builder::refusal::too_deep)
    throw bad_input(file, pointer,
                    fmt::format("expected at most {} levels of arrays and objects", max_json_levels));
  if (broken.why == document_builder::refusal::key_again)
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
  document_builder builder;
  if (!ordered_json::sax_parse(text, &builder)) refuse(builder, text, file);
  return std::move(builder.built);
}

ordered_json parse_json_file(const std::filesystem::path& path) {
  return parse_json(read_text_file(path), path.string());
}

std::optional<ordered_json> parse_json_line(const std::string& line) {
  document_builder builder;
  if (!ordered_json::sax_parse(line, &builder)) return std::nullopt;
  return std::move(builder.built);
}

void add_member(ordered_json& object, std::string key, ordered_json value) {
  added_member(object, std::move(key), std::move(value));
}

std::string json_text(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace ablate::reports
