#include "base/record/comparison.h"

#include <algorithm>

#include "base/text/json_place.h"
#include "base/text/names.h"

namespace ablate {
namespace {

using reports::json_place;

std::string word_of_comparison(const json_place& at) {
  std::string word = at.text();
  if (word.empty()) at.refuse_value("a name");
  return word;
}

std::string kind_of_figure(const json_place& at) {
  std::string word = at.text();
  const std::vector<std::string>& known = comparison_kinds();
  if (std::find(known.begin(), known.end(), word) == known.end())
    at.refuse(no_such("kind of figure", word, known));
  return word;
}

/// Of a record an array, which may be empty.
std::vector<std::string> axes_crossed(const json_place& at) {
  return at.json().is_array() && at.json().empty() ? std::vector<std::string>()
                                                   : at.one_or_more(word_of_comparison);
}

}  // namespace

std::vector<comparison> comparisons_of(const json_place& list) {
  std::vector<comparison> out;
  for (const json_place& at : list.elements()) {
    comparison& made = out.emplace_back();
    made.operations = at.at("operations").one_or_more(word_of_comparison);
    if (const auto across = at.find("across")) made.across = axes_crossed(*across);
    const auto draw = at.find("draw");
    made.draw = draw ? draw->one_or_more(kind_of_figure) : comparison_kinds();
  }
  return out;
}

nlohmann::ordered_json comparisons_json(const std::vector<comparison>& all) {
  auto out = nlohmann::ordered_json::array();
  for (const comparison& c : all)
    out.push_back({{"operations", c.operations}, {"across", c.across}, {"draw", c.draw}});
  return out;
}

}  // namespace ablate
