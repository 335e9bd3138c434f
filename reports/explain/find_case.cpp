#include "reports/explain/find_case.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/text/bad_input.h"
#include "reports/text/names.h"

namespace ablate::explain {
namespace {

constexpr std::size_t most_listed = 20;

std::vector<std::string> all_names(const record& from) {
  std::vector<std::string> out;
  for (const measured_case& c : from.cases) out.push_back(c.name);
  for (const unmeasured_case& c : from.unmeasured) out.push_back(c.name);
  return out;
}

}  // namespace

std::vector<std::string> cases_with(const record& from, const std::vector<std::string>& parts) {
  std::vector<std::string> out;
  for (const std::string& name : all_names(from)) {
    const auto is_in = [&](const std::string& part) { return name.find(part) != std::string::npos; };
    if (!std::all_of(parts.begin(), parts.end(), is_in)) continue;
    if (std::find(parts.begin(), parts.end(), name) != parts.end()) return {name};
    out.push_back(name);
  }
  return out;
}

std::string ambiguity_text(const std::vector<std::string>& found) {
  std::string out =
      fmt::format("{} cases fit; expected a name, or parts, that one case has alone:\n", found.size());
  for (std::size_t i = 0; i < std::min(found.size(), most_listed); ++i) out += "  " + found[i] + "\n";
  if (found.size() > most_listed) out += fmt::format("  and {} more\n", found.size() - most_listed);
  return out;
}

void refuse_none(const record& from, const std::vector<std::string>& parts,
                 const std::vector<std::string>& found) {
  if (!found.empty()) return;
  const std::string asked = fmt::format("{}", fmt::join(parts, " "));
  throw bad_input(
      from.path.string(), "",
      fmt::format("no case '{}'{}; expected a name, or a part of one, of its {} cases", asked,
                  did_you_mean(asked, all_names(from)), from.cases.size() + from.unmeasured.size()));
}

}  // namespace ablate::explain
