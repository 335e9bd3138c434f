#include "reports/best/asked.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "reports/text/bad_input.h"

namespace ablate::best {

std::vector<asked_values> asked_of(const std::vector<std::string>& words) {
  std::vector<asked_values> out;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    asked_values asked{word.substr(0, equals), {}};
    if (equals != std::string::npos) {
      std::istringstream in(word.substr(equals + 1));
      for (std::string value; std::getline(in, value, ',');)
        if (!value.empty()) asked.values.push_back(value);
    }
    if (asked.name.empty() || asked.values.empty())
      throw bad_input("best", "", fmt::format("expected AXIS=VALUE, found '{}'", word));
    if (std::any_of(out.begin(), out.end(), [&](const auto& other) { return other.name == asked.name; }))
      throw bad_input(
          "best", "",
          fmt::format("'{}' is given twice; expected its values together, separated by commas", asked.name));
    out.push_back(std::move(asked));
  }
  return out;
}

}  // namespace ablate::best
