#include "base/record/redact.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <vector>

namespace ablate {
namespace {

using nlohmann::ordered_json;

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("._-+@#~").find(c) != std::string_view::npos;
}

/// Whether a path may begin after this character; otherwise a quotient, an id or a relative path continues.
bool may_precede_path(char c) {
  return !is_name_character(c) && c != '/' && c != ')' && c != ']' && c != '>';
}

/// Names and what they are called instead.
class aliases {
 public:
  explicit aliases(const char* kind) : kind_(kind) {}
  void add(const std::string& name) {
    if (!name.empty()) names_.try_emplace(name, fmt::format("{}-{}", kind_, names_.size() + 1));
  }
  const std::map<std::string, std::string, std::greater<>>& all() const { return names_; }

 private:
  const char* kind_;
  std::map<std::string, std::string, std::greater<>> names_;  // a name comes after those it begins
};

/// Every whole occurrence, but not one within a longer name.
void replace_name(std::string& in, const std::string& name, const std::string& by) {
  for (std::size_t at = in.find(name); at != std::string::npos; at = in.find(name, at)) {
    const std::size_t end = at + name.size();
    const bool is_whole =
        (at == 0 || !is_name_character(in[at - 1])) &&
        (end == in.size() || !is_name_character(in[end]) || in[end] == '#' || in[end] == '.');
    if (!is_whole) {
      at = end;
      continue;
    }
    in.replace(at, name.size(), by);
    at += by.size();
  }
}

/// Of a run on the host a specimen is the host's name, with "#2" where it had several workers.
std::string without_worker(const std::string& specimen) { return specimen.substr(0, specimen.find('#')); }

class redaction {
 public:
  explicit redaction(const ordered_json& record) {
    find_names(record);
    // A specimen of a run on the host has the host's name.
    for (const std::string& specimen : specimens_)
      if (!hosts_.all().contains(without_worker(specimen))) gpus_.add(specimen);
  }

  void apply(ordered_json& to) const {
    if (to.is_object())
      for (auto& [key, value] : to.items()) apply_to_value(key, value);
    if (to.is_array())
      for (ordered_json& inner : to) apply_to_value("", inner);
  }

 private:
  /// A host may be called "gpu", so names are replaced only in fields that may contain them.
  void apply_to_value(const std::string& key, ordered_json& value) const {
    constexpr std::string_view naming[] = {"host_name",  "uuid",    "specimen",
                                           "executable", "command", "reason"};
    if (value.is_structured() && key != "specimens") return apply(value);
    if (key == "specimens" && value.is_array())
      for (ordered_json& specimen : value) apply_to_value("specimen", specimen);
    if (!value.is_string()) return;
    std::string text = without_folders(value.get_ref<const std::string&>());
    if (std::find(std::begin(naming), std::end(naming), key) != std::end(naming))
      for (const aliases* of : {&hosts_, &gpus_})
        for (const auto& [name, alias] : of->all()) replace_name(text, name, alias);
    value = std::move(text);
  }

  void find_names(const ordered_json& in) {
    if (!in.is_structured()) return;
    if (in.is_object())
      for (const auto& [key, value] : in.items()) {
        if (key == "host_name" && value.is_string()) add_hosts(value.get<std::string>());
        if ((key == "uuid" || key == "specimen") && value.is_string())
          specimens_.push_back(value.get<std::string>());
        if (key == "specimens" && value.is_array())
          for (const ordered_json& specimen : value)
            if (specimen.is_string()) specimens_.push_back(specimen.get<std::string>());
      }
    for (const ordered_json& inner : in) find_names(inner);
  }

  /// A merged record lists its hosts.
  void add_hosts(const std::string& listed) {
    for (std::size_t at = 0; at <= listed.size();) {
      const std::size_t end = std::min(listed.find(", ", at), listed.size());
      hosts_.add(listed.substr(at, end - at));
      at = end + 2;
    }
  }

  aliases hosts_{"host"}, gpus_{"GPU"};
  std::vector<std::string> specimens_;
};

}  // namespace

std::string without_folders(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const bool begins = text[at] == '/' || text.substr(at).starts_with("~/");
    if (!begins || (at > 0 && !may_precede_path(text[at - 1]))) {
      out += text[at++];
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && (text[end] == '/' || is_name_character(text[end]))) ++end;
    const std::string_view path = text.substr(at, end - at);
    const std::size_t last = path.find_last_not_of('/');
    const std::size_t folder =
        last == std::string_view::npos ? std::string_view::npos : path.rfind('/', last);
    // A single name after a slash may also be a unit or a quotient.
    const bool has_folders = folder != std::string_view::npos && folder > 0;
    out += has_folders ? path.substr(folder + 1) : path;
    at = end;
  }
  return out;
}

ordered_json redacted(ordered_json record) {
  const redaction of(record);
  of.apply(record);
  return record;
}

}  // namespace ablate
