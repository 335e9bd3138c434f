#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "reports/gate/policy.h"
#include "tests/simulation/rates.h"
#include "tests/support/paths.h"

/// Plays a policy of the gate against simulated noise with known effects, and prints how often it raises a
/// false alarm and how often it finds a true change.
int main(int argc, char** argv) {
  using namespace ablate;
  CLI::App app("Plays a policy of the gate against simulated noise, and the usual test on single launches.",
               "ablate_gate_simulation");
  std::string policy_file = test_support::source_path("suites/gates/default.json");
  std::size_t trials = 4000;
  std::uint64_t seed = 1;
  bool check = false;
  app.add_option("--policy", policy_file, "The policy; default: suites/gates/default.json");
  app.add_option("--trials", trials, "Of each setting and effect")->check(CLI::Range(1, 10000000));
  app.add_option("--seed", seed, "Of all draws");
  app.add_flag("--check", check, "Exit with 1 when a rate of the shipped policy did not stay");
  CLI11_PARSE(app, argc, argv);
  try {
    const gate::gate_policy policy = gate::read_policy(policy_file);
    std::vector<simulation::cell> cells;
    for (const auto& noise : simulation::noise_settings())
      for (double effect : simulation::played_effects_pct())
        cells.push_back(simulation::play_cell(policy, noise, effect, trials, seed));
    fmt::print("{}", simulation::rates_table(cells));
    if (!check) return 0;
    const std::vector<std::string> broken = simulation::broken_promises(cells);
    for (const std::string& line : broken) fmt::print("{}\n", line);
    return broken.empty() ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "ablate_gate_simulation: %s\n", e.what());
    return 2;
  }
}
