#include "base/record/case_name.h"

#include <algorithm>
#include <vector>

namespace ablate {

std::string case_name(const case_name_parts& of) {
  std::string out = of.operation + "/" + of.variant;
  for (const auto& [axis, value] : of.axes) out += "/" + axis + "=" + value;
  return out + "/@" + of.cache_state;
}

case_name_parts parts_of_case_name(std::string_view name) {
  std::vector<std::string> words;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find('/'), name.size());
    words.emplace_back(name.substr(0, end));
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  case_name_parts out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::size_t equals = word.find('=');
    if (i == 0)
      out.operation = word;
    else if (i == 1)
      out.variant = word;
    else if (word.starts_with("@"))
      out.cache_state = word.substr(1);
    else if (equals != std::string::npos)
      out.axes.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return out;
}

}  // namespace ablate
