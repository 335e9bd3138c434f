#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "reports/gate/policy.h"
#include "tests/simulation/rates.h"
#include "tests/simulation/sweep.h"
#include "tests/support/paths.h"

/// Plays a policy of the gate against simulated noise with known effects, and prints how often it raises a
/// false alarm and how often it finds a true change.
int main(int argc, char** argv) {
  using namespace ablate;
  CLI::App app("Plays a policy of the gate against simulated noise, and the usual test on single launches.",
               "ablate_gate_simulation");
  std::string policy_file = test_support::source_path("suites/gates/default.json");
  std::size_t trials = 4000, gates = 500;
  std::uint64_t seed = 1;
  bool check = false, mutants = false;
  app.add_option("--policy", policy_file, "The policy; default: suites/gates/default.json");
  app.add_option("--trials", trials, "Of each setting and effect")->check(CLI::Range(1, 10000000));
  app.add_option("--gates", gates, "Whole gates of 28 cases, in each setting of the sweep")
      ->check(CLI::Range(1, 10000000));
  app.add_flag("--mutants", mutants, "Instead: exit with 1 when a worse policy passes --check");
  app.add_option("--seed", seed, "Of all draws");
  app.add_flag("--check", check, "Exit with 1 when a rate of the shipped policy did not stay");
  CLI11_PARSE(app, argc, argv);
  try {
    const gate::gate_policy policy = gate::read_policy(policy_file);
    if (mutants) {
      const std::vector<std::string> surviving = simulation::surviving_mutants(policy, gates, seed);
      for (const std::string& line : surviving) fmt::print("{}\n", line);
      return surviving.empty() ? 0 : 1;
    }
    std::vector<simulation::cell> cells;
    for (const auto& noise : simulation::noise_settings())
      for (double effect : simulation::played_effects_pct())
        cells.push_back(simulation::play_cell(policy, noise, effect, trials, seed));
    const std::vector<simulation::swept_gates> swept = simulation::sweep_all(policy, gates, seed);
    fmt::print("{}\n{}", simulation::rates_table(cells), simulation::sweep_table(swept));
    if (!check) return 0;
    std::vector<std::string> broken = simulation::broken_promises(cells);
    for (std::string& line : simulation::broken_limits(swept)) broken.push_back(std::move(line));
    for (const std::string& line : broken) fmt::print("{}\n", line);
    return broken.empty() ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "ablate_gate_simulation: %s\n", e.what());
    return 2;
  }
}
