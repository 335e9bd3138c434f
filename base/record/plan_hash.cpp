#include "base/record/plan_hash.h"

#include <fmt/format.h>

#include "base/record/identity.h"

namespace ablate {

std::string plan_hash(const std::string& about, long count, const planned_cases& cases) {
  std::string all = fmt::format("{}|{}", about, count);
  for (const auto& [name, shard] : cases) all += fmt::format("|{} {}", name, shard);
  return history::short_hash(all);
}

}  // namespace ablate
