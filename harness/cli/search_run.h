#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "harness/cli/later_launch.h"
#include "harness/cli/searched_space.h"
#include "reports/search/result.h"

namespace ablate {

/// How a search is run.
struct search_options {
  std::string strategy = "halving";  ///< or random
  double budget_s = 0;
  std::uint64_t seed = 1;
  bool resume = false;
  std::filesystem::path t4;  ///< to import; empty: none
  std::string gpu;           ///< its UUID: a search stays on one
  run_options run;           ///< `out`, device and command
};

/// What it is run with; tests put their own here.
struct search_tools {
  run_one_launch run = run_suite;
  std::function<void()> wait = wait_for_another_second;
  std::function<double()> now_s;  ///< a steady clock
};

/// Searches, and leaves records and `search.jsonl` in `options.run.out`. The result refers to the space.
/// Throws bad_input as search_journal and read_t4 do, and what search_launches does.
search::result run_search(const operation&, const searched_space&, const search_options&,
                          const search_tools&);

/// 3 if a point's output was wrong, 75 if one failed or hung, 4 if none could be measured, otherwise 0.
int exit_code_of(const search::result&);

}  // namespace ablate
