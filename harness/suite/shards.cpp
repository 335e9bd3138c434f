#include "harness/suite/shards.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/record/bundles.h"
#include "base/record/plan_hash.h"
#include "base/record/record.h"
#include "base/text/bad_input.h"
#include "harness/suite/estimate.h"

namespace ablate {

namespace {

/// To the microsecond: the plan must not depend on the last bit of a sum.
long microseconds(double seconds) { return static_cast<long>(seconds * 1e6 + 0.5); }

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::map<std::string, double> elapsed_seconds(const std::vector<std::filesystem::path>& records) {
  std::map<std::string, double> out;
  for (const std::filesystem::path& path : records) {
    const record read = read_record(path);
    const std::size_t before = out.size();
    const auto take = [&](const auto& c) {
      if (c.elapsed_s) out[c.name] = *c.elapsed_s;
    };
    for (const measured_case& c : read.cases) take(c);
    for (const unmeasured_case& c : read.unmeasured) take(c);
    if (out.size() == before)
      throw bad_input(path.string(), "/benchmarks",
                      "expected cases with elapsed_s, which records have since version 1.12");
  }
  return out;
}

/// Longest first, each to the shard that has least; of equal ones the first.
void assign(std::vector<shard_plan::bundle>& bundles, long count) {
  std::vector<std::size_t> order(bundles.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return microseconds(bundles[a].seconds) > microseconds(bundles[b].seconds);
  });
  std::vector<long> load(static_cast<std::size_t>(count), 0);
  for (const std::size_t i : order) {
    const auto emptiest = std::min_element(load.begin(), load.end());
    *emptiest += microseconds(bundles[i].seconds);
    bundles[i].shard = emptiest - load.begin() + 1;
  }
}

std::string hash_of(const shard_plan& plan, const std::string& about) {
  planned_cases cases;
  for (std::size_t i = 0; i < plan.names.size(); ++i)
    if (plan.shards[i] != 0) cases.emplace_back(plan.names[i], plan.shards[i]);
  return plan_hash(about, plan.count, cases);
}

}  // namespace

std::size_t shard_plan::cases_of(long shard) const {
  return static_cast<std::size_t>(std::count(shards.begin(), shards.end(), shard));
}

double shard_plan::seconds_of(long shard) const {
  std::vector<bundle> own;
  for (const bundle& b : bundles)
    if (b.shard == shard) own.push_back(b);
  assign(own, devices);
  std::vector<double> of_device(static_cast<std::size_t>(devices), 0.0);
  for (const bundle& b : own) of_device[static_cast<std::size_t>(b.shard - 1)] += b.seconds;
  return calibration_seconds + *std::max_element(of_device.begin(), of_device.end());
}

double shard_plan::bound_seconds() const {
  double sum = 0, longest = 0;
  for (const bundle& b : bundles) {
    sum += b.seconds;
    longest = std::max(longest, b.seconds);
  }
  return calibration_seconds + std::max(longest, sum / static_cast<double>(count * devices));
}

std::vector<std::size_t> bundle_numbers(const std::vector<suite_case>& cases, const suite& from) {
  std::vector<bundle_member> members;
  for (const suite_case& c : cases)
    members.push_back({c.operation->name, named_words(c.axes.begin(), c.axes.end()), !c.ceiling.empty()});
  std::vector<bundle_join> joins = from.joins;
  if (from.keeps_operations_together)
    for (bundle_join& join : operation_joins(members)) joins.push_back(std::move(join));
  return bundles_of(members, joins);
}

shard_plan divided(const std::vector<suite_case>& cases, const suite& from,
                   const std::vector<double>& seconds, long count, const std::string& about) {
  shard_plan plan;
  plan.count = count;
  const std::vector<std::size_t> numbers = bundle_numbers(cases, from);
  std::map<std::size_t, std::size_t> places;  // of bundles in the plan
  for (std::size_t i = 0; i < cases.size(); ++i) {
    plan.names.push_back(cases[i].id);
    if (!cases[i].ceiling.empty()) {
      plan.calibration_seconds += seconds[i];
      continue;
    }
    const auto [place, is_new] = places.emplace(numbers[i], plan.bundles.size());
    if (is_new) plan.bundles.emplace_back();
    ++plan.bundles[place->second].cases;
    plan.bundles[place->second].seconds += seconds[i];
  }
  assign(plan.bundles, count);
  for (std::size_t i = 0; i < cases.size(); ++i)
    plan.shards.push_back(cases[i].ceiling.empty() ? plan.bundles[places.at(numbers[i])].shard : 0);
  plan.hash = hash_of(plan, about);
  return plan;
}

void keep_shard(std::vector<suite_case>& cases, const shard_plan& plan, long index) {
  std::map<std::string, long> shards;
  for (std::size_t i = 0; i < plan.names.size(); ++i) shards.emplace(plan.names[i], plan.shards[i]);
  std::erase_if(cases, [&](const suite_case& c) { return c.ceiling.empty() && shards.at(c.id) != index; });
}

std::vector<double> shard_seconds(const std::vector<suite_case>& cases, const input_library& inputs,
                                  const chip& on, const sampling& until,
                                  const std::vector<std::filesystem::path>& durations) {
  if (durations.empty()) return estimated_seconds(cases, inputs, on, until);
  const std::map<std::string, double> known = elapsed_seconds(durations);
  std::vector<double> all;
  for (const auto& [name, seconds] : known) all.push_back(seconds);
  const double unknown = median_of(std::move(all));
  std::vector<double> out;
  for (const suite_case& c : cases) {
    const auto found = known.find(c.id);
    out.push_back(found == known.end() ? unknown : found->second);
  }
  return out;
}

}  // namespace ablate
