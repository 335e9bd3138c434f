#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.h"
#include "harness/suite/plan.h"
#include "harness/suite/shards.h"

namespace ablate {

using nlohmann::ordered_json;

namespace {

std::size_t bundles_in(const shard_plan& plan, long shard) {
  return static_cast<std::size_t>(std::count_if(plan.bundles.begin(), plan.bundles.end(),
                                                [&](const auto& bundle) { return bundle.shard == shard; }));
}

}  // namespace

ordered_json to_json(const shard_plan& plan) {
  ordered_json shards = ordered_json::array();
  for (long i = 1; i <= plan.count; ++i)
    shards.push_back({{"shard", i},
                      {"bundles", bundles_in(plan, i)},
                      {"cases", plan.cases_of(i)},
                      {"seconds", plan.seconds_of(i)}});
  ordered_json of_case = ordered_json::object();
  for (std::size_t i = 0; i < plan.names.size(); ++i) of_case[plan.names[i]] = plan.shards[i];
  return {{"plan", plan.hash},
          {"count", plan.count},
          {"devices", plan.devices},
          {"bundles", plan.bundles.size()},
          {"calibration_seconds", plan.calibration_seconds},
          {"bound_seconds", plan.bound_seconds()},
          {"shards", std::move(shards)},
          {"shard_of_case", std::move(of_case)}};
}

std::string to_text(const shard_plan& plan) {
  std::string text = fmt::format("shards            {} of {} bundles, plan {}\n", plan.count,
                                 plan.bundles.size(), plan.hash);
  std::vector<std::vector<std::string>> rows = {{"shard", "bundles", "cases", "time"}};
  double slowest = 0;
  for (long i = 1; i <= plan.count; ++i) {
    rows.push_back({fmt::format("{}", i), fmt::format("{}", bundles_in(plan, i)),
                    fmt::format("{}", plan.cases_of(i)), seconds_text(plan.seconds_of(i))});
    slowest = std::max(slowest, plan.seconds_of(i));
  }
  text += reports::columns(rows, "  ");
  text += fmt::format("  {}slowest {}, at least {}; every shard also runs the calibrations, {}\n",
                      plan.devices > 1 ? fmt::format("on {} GPUs each: ", plan.devices) : "",
                      seconds_text(slowest), seconds_text(plan.bound_seconds()),
                      seconds_text(plan.calibration_seconds));
  return text;
}

}  // namespace ablate
