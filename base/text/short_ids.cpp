#include "base/text/short_ids.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace ablate::reports {
namespace {

using id_parts = std::vector<std::string>;

id_parts split_id(const std::string& id) {
  id_parts out;
  std::istringstream in(id);
  for (std::string part; std::getline(in, part, '/');) out.push_back(part);
  return out;
}

/// The first two parts are operation and variant. Of the others "points=4096" is of kind "points", and "@hot"
/// of kind "@", the cache state.
std::string kind_of_part(const id_parts& parts, std::size_t i) {
  if (i < 2) return i == 0 ? "operation" : "variant";
  return parts[i].starts_with("@") ? "@" : parts[i].substr(0, parts[i].find('='));
}

std::string without_at(const std::string& part) { return part.starts_with("@") ? part.substr(1) : part; }

}  // namespace

const std::string& short_ids::of(const std::string& id) const {
  const auto found = by_id.find(id);
  return found == by_id.end() ? id : found->second;
}

std::string short_ids::in(const std::string& sentence, const std::string& id) const {
  return sentence.starts_with(id) ? of(id) + sentence.substr(id.size()) : sentence;
}

std::string short_ids::shared_text() const {
  std::string out;
  for (const std::string& line : shared) out += "Common to the cases shown of " + line + "\n";
  return out;
}

short_ids shortened(const std::vector<std::string>& ids) {
  short_ids out;
  std::vector<std::string> operations;
  std::map<std::string, std::vector<std::string>> ids_by_operation;
  for (const std::string& id : ids) {
    const std::string operation = id.substr(0, id.find('/'));
    if (std::find(operations.begin(), operations.end(), operation) == operations.end())
      operations.push_back(operation);
    auto& of = ids_by_operation[operation];
    if (std::find(of.begin(), of.end(), id) == of.end()) of.push_back(id);
  }
  for (const std::string& operation : operations) {
    const auto& all = ids_by_operation.at(operation);
    std::map<std::string, std::set<std::string>> values;
    std::map<std::string, std::size_t> uses;
    for (const std::string& id : all) {
      const id_parts parts = split_id(id);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        values[kind_of_part(parts, i)].insert(parts[i]);
        ++uses[kind_of_part(parts, i)];
      }
    }
    // Operation and variant stay: they say what is meant, and are not long.
    const auto is_shared = [&](const id_parts& parts, std::size_t i) {
      const std::string kind = kind_of_part(parts, i);
      return i >= 2 && all.size() > 1 && values.at(kind).size() == 1 && uses.at(kind) == all.size();
    };
    for (const std::string& id : all) {
      const id_parts parts = split_id(id);
      std::string text;
      for (std::size_t i = 0; i < parts.size(); ++i)
        if (!is_shared(parts, i)) text += (text.empty() ? "" : "/") + parts[i];
      out.by_id[id] = text;
    }
    const id_parts parts = split_id(all.front());
    std::string shared;
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (is_shared(parts, i)) shared += (shared.empty() ? "" : ", ") + without_at(parts[i]);
    if (!shared.empty()) out.shared.push_back(operation + ": " + shared);
  }
  return out;
}

}  // namespace ablate::reports
