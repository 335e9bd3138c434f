#include "harness/suite/case_words.h"

namespace ablate {

case_words case_words_of(const suite_case& c) {
  case_words out{c.id, c.operation->name, std::string(c.variant_name()), std::string(to_string(c.state)), {}};
  for (const auto& [axis, value] : c.axes) out.axes.emplace_back(axis, value);
  return out;
}

std::vector<case_words> case_words_of(const std::vector<suite_case>& cases) {
  std::vector<case_words> out;
  for (const suite_case& c : cases) out.push_back(case_words_of(c));
  return out;
}

}  // namespace ablate
