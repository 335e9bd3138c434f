#include "reports/explain/find_case.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/record/selection.h"
#include "base/text/bad_input.h"

namespace ablate::explain {
namespace {

constexpr std::size_t max_listed = 20;

}  // namespace

std::vector<std::string> cases_with(const record& from, const std::vector<std::string>& words) {
  const std::vector<case_words> cases = all_case_words(from);
  const selection chosen(words, cases, from.path.string());
  std::vector<std::string> out;
  for (const case_words& c : cases)
    if (chosen.selects(c)) out.push_back(c.id);
  if (out.empty()) throw bad_input(from.path.string(), "", chosen.why_none(cases));
  return out;
}

std::string ambiguity_text(const std::vector<std::string>& found) {
  std::string out =
      fmt::format("{} cases fit; expected an id, or words, that one case has alone:\n", found.size());
  for (std::size_t i = 0; i < std::min(found.size(), max_listed); ++i) out += "  " + found[i] + "\n";
  if (found.size() > max_listed) out += fmt::format("  and {} more\n", found.size() - max_listed);
  return out;
}

}  // namespace ablate::explain
