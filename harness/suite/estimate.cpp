#include "harness/suite/estimate.h"

#include <algorithm>
#include <exception>
#include <numeric>
#include <set>
#include <string>

#include "harness/counters/metric_groups.h"
#include "harness/counters/pass_plan.h"
#include "harness/registry/case_id.h"

namespace ablate {

namespace {

constexpr double host_seconds_per_byte = 1e-9;
constexpr double set_up_seconds = 0.1;
constexpr double launch_seconds = 10e-6;
constexpr double steady_clock_seconds = 0.4;  // the least that shows one
constexpr double energy_seconds = 2.5;        // of a loop that is metered
constexpr double unmeasured_seconds = 1e-3;

double sampling_seconds(std::size_t bytes, const suite_case& c, const chip& on, const sampling& until) {
  const double moved = static_cast<double>(bytes + flush_bytes(c.state, on));
  const double sample = launch_seconds + moved / on.dram_bytes_per_s;
  return std::max({until.minimum_samples * sample, c.protocol.steady_clock_s > 0 ? steady_clock_seconds : 0,
                   std::min(until.maximum_seconds, until.maximum_samples * sample)});
}

}  // namespace

std::size_t buffer_bytes(const suite_case& c, const input_library& inputs) {
  const std::vector<buffer> buffers = c.operation->buffers_of(c.variant, c.axes, inputs);
  return std::accumulate(buffers.begin(), buffers.end(), std::size_t{0},
                         [](std::size_t sum, const buffer& b) { return sum + b.bytes; });
}

std::size_t flush_bytes(cache_state state, const chip& on) {
  return state == cache_state::cold_clean ? 4 * on.l2_bytes : 0;
}

double estimated_seconds(const suite_case& c, std::size_t bytes, bool makes_input, const chip& on,
                         const sampling& until) {
  double seconds = set_up_seconds + sampling_seconds(bytes, c, on, until);
  if (c.protocol.wanted().energy) seconds += energy_seconds * (c.state == cache_state::cold_clean ? 2 : 1);
  if (makes_input) seconds += host_seconds_per_byte * static_cast<double>(bytes);
  const observations wanted = c.protocol.wanted();
  if (wanted.counters != no_counters)
    seconds += counting_seconds(chosen_groups(wanted.counters, on.silicon).size());
  if (wanted.sampled) seconds += sampling_forwards_seconds;
  return seconds;
}

std::vector<double> estimated_seconds(const std::vector<suite_case>& cases, const input_library& inputs,
                                      const chip& on, const sampling& until) {
  std::vector<double> out;
  std::set<std::string> made;
  for (const suite_case& c : cases) {
    out.push_back(unmeasured_seconds);
    if (c.not_applicable) continue;
    try {
      const bool is_first = made.insert(case_id(c.operation->name, "", c.axes, "")).second;
      out.back() = estimated_seconds(c, buffer_bytes(c, inputs), is_first, on, until);
    } catch (const std::exception&) {
      // Its input is missing, broken or unfit: it will end at once, with the reason.
    }
  }
  return out;
}

}  // namespace ablate
