#include "reports/rivals.h"

#include <algorithm>

namespace ablate::reports {

const record::rival_facts* rival_of(const record& r, const std::string& operation,
                                    const std::string& variant) {
  const auto has = [](const std::vector<std::string>& all, const std::string& name) {
    return std::find(all.begin(), all.end(), name) != all.end();
  };
  for (const record::rival_facts& added : r.rivals)
    if (has(added.operations, operation) && has(added.variants, variant)) return &added;
  return nullptr;
}

}  // namespace ablate::reports
