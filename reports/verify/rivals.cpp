#include "reports/verify/rivals.h"

#include <algorithm>

namespace ablate::verify {

bool is_rival(const nlohmann::ordered_json& facts, const nlohmann::ordered_json& entry) {
  const auto has = [](const nlohmann::ordered_json& list, const nlohmann::ordered_json& wanted) {
    return std::find(list.begin(), list.end(), wanted) != list.end();
  };
  const auto rivals = facts.find("rivals");
  return rivals != facts.end() && std::any_of(rivals->begin(), rivals->end(), [&](const auto& added) {
           return has(added.at("operations"), entry.at("operation")) &&
                  has(added.at("variants"), entry.at("variant"));
         });
}

}  // namespace ablate::verify
