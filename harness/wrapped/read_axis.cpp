#include "harness/wrapped/read_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/text/names.h"
#include "harness/wrapped/json_values.h"

namespace ablate::wrapped {

axis read_axis(const json_place& at, std::set<std::string>& names) {
  at.expect_keys({"name", "description", "words", "minimum", "maximum", "default"});
  const std::string name = case_word(at.at("name"));
  if (!names.insert(name).second) at.at("name").refuse(fmt::format("there are two axes '{}'", name));
  const auto described = at.find("description");
  const std::string description = described ? described->text() : name;
  if (const auto words = at.find("words")) {
    std::vector<std::string> all;
    for (const json_place& word : words->at_least_one("word")) all.push_back(case_word(word));
    axis out = axis::of_words(name, std::move(all), description);
    if (const auto by_default = at.find("default")) {
      out.default_value = by_default->text();
      if (std::ranges::find(out.words, out.default_value) == out.words.end())
        by_default->refuse(no_such("word", out.default_value, out.words));
    }
    return out;
  }
  constexpr std::int64_t most = std::int64_t{1} << 40;
  const std::int64_t low = at.at("minimum").integer(0, most), high = at.at("maximum").integer(low, most);
  const auto by_default = at.find("default");
  return axis::of_integers(name, low, high, by_default ? by_default->integer(low, high) : low, description);
}

}  // namespace ablate::wrapped
