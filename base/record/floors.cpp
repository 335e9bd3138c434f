#include "base/record/floors.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ablate {

namespace {

using work_amounts = measured_case::work_amounts;
using floor_times = measured_case::floor_times;

std::optional<double> rate_of(const measured_ceilings& ceilings, const std::string& name) {
  const auto found = ceilings.find(name);
  if (found == ceilings.end() || !(found->second.rate_per_s > 0)) return std::nullopt;
  return found->second.rate_per_s;
}

/// Of several ways to drive one resource (copy, read and write of device memory), the fastest is the ceiling.
std::optional<double> fastest(const measured_ceilings& ceilings, std::string_view starts,
                              std::string_view ends) {
  std::optional<double> best;
  for (const auto& [name, value] : ceilings)
    if (name.starts_with(starts) && name.ends_with(ends) && value.rate_per_s > best.value_or(0))
      best = value.rate_per_s;
  return best;
}

std::optional<double> microseconds(double amount, const std::optional<double>& rate_per_s) {
  if (amount == 0) return 0.0;
  if (!rate_per_s) return std::nullopt;
  return amount / *rate_per_s * 1e6;
}

/// `16mib` in bytes; nothing where it is no size.
std::optional<double> bytes_of(std::string_view size) {
  constexpr std::pair<std::string_view, double> units[] = {
      {"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}};
  int number = 0;
  const auto [rest, error] = std::from_chars(size.data(), size.data() + size.size(), number);
  if (error != std::errc()) return std::nullopt;
  size.remove_prefix(static_cast<std::size_t>(rest - size.data()));
  for (const auto& [unit, bytes] : units)
    if (size == unit) return number * bytes;
  return std::nullopt;
}

/// Accesses a second over a footprint: that of the largest calibrated one within it, else of the smallest.
std::optional<double> random_rate(const measured_ceilings& ceilings, const std::string& resource,
                                  double footprint_bytes) {
  std::map<double, double> rate_by_bytes;
  for (const auto& [name, value] : ceilings)
    if (name.starts_with(resource + "_"))
      if (const auto bytes = bytes_of(std::string_view(name).substr(resource.size() + 1)))
        rate_by_bytes[*bytes] = value.rate_per_s;
  if (rate_by_bytes.empty()) return std::nullopt;
  const auto above = rate_by_bytes.upper_bound(footprint_bytes);
  return above == rate_by_bytes.begin() ? above->second : std::prev(above)->second;
}

/// The greatest time over the resources whose ceilings are known; nothing where there are accesses, but none
/// of such a resource.
std::optional<double> random_microseconds(const measured_ceilings& ceilings,
                                          const std::vector<work_amounts::random_access>& accesses) {
  if (accesses.empty()) return 0.0;
  std::map<std::string, double> us_by_resource;
  for (const auto& [resource, count, footprint_bytes] : accesses)
    if (const auto us = microseconds(count, random_rate(ceilings, resource, footprint_bytes)))
      us_by_resource[resource] += *us;
  std::optional<double> greatest;
  for (const auto& [resource, us] : us_by_resource) greatest = std::max(greatest.value_or(0), us);
  return greatest;
}

/// The greatest time over the bounds whose ceilings are known; where there are none, all atomics are held
/// against distinct sectors.
std::optional<double> atomic_microseconds(const measured_ceilings& ceilings, const work_amounts& work) {
  if (work.reductions.empty()) return microseconds(work.atomics, rate_of(ceilings, "atomics_distinct"));
  std::optional<double> greatest;
  for (const auto& [name, count] : work.reductions)
    if (const auto us = microseconds(count, rate_of(ceilings, name)))
      greatest = std::max(greatest.value_or(0), *us);
  return greatest;
}

/// Exponentials a second, however they are computed.
std::optional<double> exponentials_per_s(const measured_ceilings& ceilings) {
  return fastest(ceilings, "exponentials_", "");
}

std::optional<double> greater(const std::optional<double>& a, const std::optional<double>& b) {
  return std::max(a, b);  // nothing is less than any number
}

/// Times of steps that follow one another add up, each by what takes it longest; nothing where no ceiling of
/// any of them is known.
std::optional<double> step_microseconds(const measured_ceilings& ceilings, const work_amounts& work) {
  const auto launch = ceilings.find("launch_hot");
  std::optional<double> sum;
  for (const work_amounts::step& s : work.steps) {
    std::optional<double> us;
    const auto take = [&](double amount, const std::optional<double>& rate_per_s) {
      if (amount > 0) us = greater(us, microseconds(amount, rate_per_s));
    };
    if (launch != ceilings.end()) us = s.count * launch->second.us;
    take(std::max(s.bytes - s.written_bytes, s.written_bytes), rate_of(ceilings, "l2_bytes"));
    take(s.flops, flops_per_s(ceilings, work.flop_pipe));
    take(s.exponentials, exponentials_per_s(ceilings));
    if (us) sum = sum.value_or(0) + *us;
  }
  return sum;
}

struct byte_floors {
  std::optional<double> dram_us, l2_us;
};

/// Of a hot case no byte must cross to device memory. Of a cold one all that it reads must, and what it
/// writes beyond the capacity of the L2; of a rotating one all, since each launch drives out what those
/// before it wrote. Everything goes through the L2, reads and writes at the same time.
byte_floors byte_microseconds(const measured_ceilings& ceilings, double all, double written,
                              std::string_view cache_state, double l2_capacity) {
  const double read = all - written;
  const auto l2_rate = rate_of(ceilings, "l2_bytes");
  const auto l2_us = microseconds(std::max(read, written), l2_rate);
  if (cache_state == "hot" && l2_rate) return {0, l2_us};

  const double stays = cache_state == "cold-clean" ? std::min(written, l2_capacity) : 0;
  const auto read_rate = rate_of(ceilings, "dram_read_bytes");
  const auto dram_rate = stays == written && read_rate ? read_rate : fastest(ceilings, "dram_", "_bytes");
  return {microseconds(all - stays, dram_rate), l2_us};
}

/// Every bound, in the order in which the first of equal ones counts.
struct bound_on_time {
  const char* name;
  bool is_model;
  std::optional<double> (*us)(const floor_times&);
};
constexpr bound_on_time bounds_on_time[] = {
    {"launch", false, [](const floor_times& of) { return of.launch_us; }},
    {"bytes", false, [](const floor_times& of) { return of.bytes_us; }},
    {"flops", false, [](const floor_times& of) { return of.flops_us; }},
    {"exponentials", false,
     [](const floor_times& of) -> std::optional<double> { return of.exponentials_us; }},
    {"atomics", true, [](const floor_times& of) { return of.atomics_us; }},
    {"random", true, [](const floor_times& of) -> std::optional<double> { return of.random_us; }},
    {"gathered", true, [](const floor_times& of) -> std::optional<double> { return of.gathered_us; }},
    {"steps", true, [](const floor_times& of) -> std::optional<double> { return of.steps_us; }}};

std::optional<time_bound> greatest_bound(const floor_times& times, double median_us, bool of_model) {
  std::optional<time_bound> out;
  for (const auto& [name, is_model, us_of] : bounds_on_time)
    if (const auto us = us_of(times); is_model == of_model && us && *us > (out ? out->us : 0))
      out = {name, *us, median_us / *us};
  return out;
}

/// Of a record that does not say what is written, before 1.9.0.
std::optional<double> undivided_microseconds(const measured_ceilings& ceilings, double all,
                                             std::string_view cache_state) {
  const auto l2_rate = rate_of(ceilings, "l2_bytes");
  return microseconds(all, cache_state == "hot" && l2_rate ? l2_rate : fastest(ceilings, "dram_", "_bytes"));
}

void name_what_binds(floor_times& of, double median_us) {
  const auto floor = floor_of(of, median_us), model = model_of(of, median_us);
  of.binding = floor ? std::optional(floor->name) : std::nullopt;
  of.time_over_floor = floor ? std::optional(floor->time_over) : std::nullopt;
  of.model_binding = model ? std::optional(model->name) : std::nullopt;
  of.time_over_model = model ? std::optional(model->time_over) : std::nullopt;
}

}  // namespace

std::optional<double> flops_per_s(const measured_ceilings& ceilings, std::string_view pipe) {
  return fastest(ceilings, pipe.empty() ? "" : std::string(pipe) + "_", "_flops");
}

bool is_of_model(std::string_view name) {
  return std::ranges::any_of(bounds_on_time,
                             [&](const bound_on_time& of) { return of.is_model && name == of.name; });
}

std::optional<time_bound> floor_of(const floor_times& times, double median_us) {
  return greatest_bound(times, median_us, false);
}

std::optional<time_bound> model_of(const floor_times& times, double median_us) {
  const auto model = greatest_bound(times, median_us, true), floor = greatest_bound(times, median_us, false);
  return model && (!floor || model->us > floor->us) ? model : std::nullopt;
}

std::optional<time_bound> floor_of(const measured_case& c) {
  return c.floors ? floor_of(*c.floors, c.time.median_us) : std::nullopt;
}

std::optional<time_bound> model_of(const measured_case& c) {
  return c.floors ? model_of(*c.floors, c.time.median_us) : std::nullopt;
}

std::optional<time_bound> binding_bound(const measured_case& c) {
  const auto model = model_of(c);
  return model ? model : floor_of(c);
}

std::optional<floor_times> todays_floors(const measured_case& c) {
  std::optional<floor_times> out = c.floors;
  if (out) name_what_binds(*out, c.time.median_us);
  return out;
}

floor_times before_models(floor_times of) {
  if (of.model_binding) {
    of.binding = std::exchange(of.model_binding, std::nullopt);
    of.time_over_floor = std::exchange(of.time_over_model, std::nullopt);
  }
  return of;
}

double random_accesses(double bytes, double atomics) {
  constexpr double sector_bytes = 32;
  return atomics > 0 ? atomics : bytes / sector_bytes;
}

std::optional<floor_times> floors(const measured_ceilings& ceilings, const work_amounts& work,
                                  double median_us, std::string_view cache_state, double l2_capacity) {
  if (ceilings.empty()) return std::nullopt;
  // A kernel in a graph starts sooner than one between two events.
  const bool in_graph = cache_state == "hot" || cache_state == "rotating";
  const auto launch = ceilings.find(in_graph ? "launch_hot" : "launch");
  floor_times out;
  if (work.written_bytes) {
    const byte_floors bytes =
        byte_microseconds(ceilings, work.bytes, *work.written_bytes, cache_state, l2_capacity);
    out.dram_us = bytes.dram_us;
    out.l2_us = bytes.l2_us;
    out.bytes_us = greater(bytes.dram_us, bytes.l2_us);
  } else {
    out.bytes_us = undivided_microseconds(ceilings, work.bytes, cache_state);
  }
  if (launch != ceilings.end()) out.launch_us = launch->second.us;
  out.atomics_us = atomic_microseconds(ceilings, work);
  out.flops_us = microseconds(work.flops, flops_per_s(ceilings, work.flop_pipe));
  out.random_us = random_microseconds(ceilings, work.random);
  if (work.exponentials) out.exponentials_us = microseconds(*work.exponentials, exponentials_per_s(ceilings));
  if (work.gathered_bytes)
    out.gathered_us = microseconds(*work.gathered_bytes, rate_of(ceilings, "l2_bytes"));
  if (!work.steps.empty()) out.steps_us = step_microseconds(ceilings, work);

  name_what_binds(out, median_us);
  return out;
}

std::optional<floor_times> floors(const record& of, const measured_ceilings& ceilings,
                                  const measured_case& c) {
  // Not known of every device, nor of the host.
  const auto l2 = of.device.find("l2_bytes");
  const double l2_capacity = l2 != of.device.end() && l2->is_number() ? l2->get<double>() : 0;
  return floors(ceilings, c.work, c.time.median_us, c.cache_state, l2_capacity);
}

}  // namespace ablate
