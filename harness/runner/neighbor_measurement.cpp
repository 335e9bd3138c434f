#include "harness/runner/neighbor_measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/record/neighbors.h"

namespace ablate {

/// A calibration with its input and its buffers, which stay on the device from one time to the next.
class neighbor_measurement::held_calibration {
 public:
  held_calibration(suite_case c, executor& on, const input_library& inputs)
      : spec_(std::move(c)),
        work_(spec_.operation->prepare(spec_.axes, inputs)),
        on_device_(on.hold(spec_, work_, inputs)) {}
  held_calibration(const held_calibration&) = delete;

  held_case& on_device() const { return *on_device_; }

 private:
  suite_case spec_;
  workload work_;
  std::unique_ptr<held_case> on_device_;
};

neighbor_measurement::neighbor_measurement(const run_facts& facts, const worker_place& place, executor& on)
    : facts_(facts), place_(place), on_(on), board_(*place.neighbors) {}

void neighbor_measurement::probe(const std::vector<std::size_t>& numbers, bool at_end, journal& out) {
  try {
    std::vector<std::string> names;
    std::vector<std::unique_ptr<held_calibration>> held;
    for (const std::size_t number : numbers) {
      names.push_back(facts_.cases[number].spec.id);
      held.push_back(hold(number));
    }
    const auto found = measure_influence(
        names, neighbor_rounds, [&](std::size_t i) { return time_us(*held[i]); },
        [&](bool busy) { return set_busy(busy); });
    if (found && at_end)
      out.write_neighbors_at_end(ending_of(*found, place_.specimen));
    else if (found)
      write_beginning(*found, out);
  } catch (const std::exception& failure) {
    fmt::print(stderr, "ablate: the effect of neighbors is unknown: {}\n", failure.what());
  }
  board_.wanted = neighbor_board::load::over;
}

void neighbor_measurement::be_load(std::size_t number) {
  worker_progress& progress = place_.progress();
  try {
    const auto held = hold(number);
    while (board_.wanted != neighbor_board::load::over) {
      if (board_.wanted == neighbor_board::load::busy)
        held->on_device().keep_busy(facts_.from.sampling, [&] {
          progress.started_ns = steady_ns();
          progress.is_load = true;
          return board_.wanted != neighbor_board::load::busy;
        });
      progress.is_load = false;
      rest();
    }
  } catch (const std::exception& failure) {
    fmt::print(stderr, "ablate: a neighbor could not be kept busy: {}\n", failure.what());
    board_.wanted = neighbor_board::load::over;
    progress.is_load = false;
  }
  progress.ended_ns = steady_ns();
}

void neighbor_measurement::write_beginning(const std::vector<neighbor_influence>& found, journal& out) {
  std::vector<std::string> specimens = {place_.specimen};
  for (const std::string& other : facts_.specimens)
    if (other != place_.specimen) specimens.push_back(other);
  const auto load = neighbor_probe_of(facts_.cases, place_.specimen)->load;
  const neighbor_facts result = facts_of(found, specimens, facts_.cases[load].spec.id);
  out.write_neighbors(result);
  board_.take_turns = result.in_turns;
  board_.is_known = true;
  fmt::print(stderr, "ablate: {}\n", neighbors_text(result));
}

std::unique_ptr<neighbor_measurement::held_calibration> neighbor_measurement::hold(std::size_t number) {
  place_.progress().started_ns = steady_ns();
  suite_case bare = facts_.cases[number].spec;
  bare.protocol = {.observed = std::nullopt};
  return std::make_unique<held_calibration>(std::move(bare), on_, facts_.inputs);
}

double neighbor_measurement::time_us(const held_calibration& of) {
  place_.progress().started_ns = steady_ns();
  const double us = of.on_device().time_us(neighbor_sampling(facts_.from.sampling));
  place_.progress().ended_ns = steady_ns();
  return us;
}

bool neighbor_measurement::set_busy(bool busy) {
  if (!board_.want(busy ? neighbor_board::load::busy : neighbor_board::load::idle)) return false;
  const std::size_t wanted = busy ? board_.loads.load() : 0;
  const auto are_loads = [&] {
    return static_cast<std::size_t>(std::count_if(place_.all.begin(), place_.all.end(),
                                                  [](const worker_progress& w) { return w.is_load.load(); }));
  };
  while (are_loads() != wanted) {
    if (board_.wanted == neighbor_board::load::over) return false;
    rest();
  }
  return true;
}

void neighbor_measurement::rest() {
  place_.progress().started_ns = steady_ns();
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace ablate
