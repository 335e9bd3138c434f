#include "base/record/facts.h"

#include "base/text/text.h"

namespace ablate::reports {

using nlohmann::ordered_json;

std::optional<std::string> fact(const ordered_json& facts, const char* key) {
  const auto found = facts.find(key);
  if (found == facts.end() || found->is_null()) return std::nullopt;
  return found->is_string() ? found->get<std::string>() : found->dump();
}

std::optional<double> number_fact(const ordered_json& facts, const char* key) {
  const auto found = facts.find(key);
  return found != facts.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

std::vector<std::string> word_facts(const ordered_json& facts, const char* key) {
  std::vector<std::string> out;
  const auto found = facts.find(key);
  if (found == facts.end() || !found->is_array()) return out;
  for (const ordered_json& word : *found)
    if (word.is_string()) out.push_back(word.get<std::string>());
  return out;
}

std::string suite_text(const record& r) {
  std::string out = r.suite_name;
  for (const auto& [name, values] : r.overrides)
    out += (out == r.suite_name ? " with " : " ") + name + "=" + joined(values, ",");
  return out;
}

std::string input_hash(const measured_case& c) { return fact(c.input, "hash").value_or(""); }

}  // namespace ablate::reports
