#include "base/record/read_values.h"

namespace ablate {

std::vector<std::string> texts_of(const reports::json_place& at) {
  std::vector<std::string> out;
  for (const reports::json_place& element : at.elements()) out.push_back(element.text());
  return out;
}

}  // namespace ablate
