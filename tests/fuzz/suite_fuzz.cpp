#include <algorithm>

#include "harness/cli/suite_report.h"
#include "harness/device/chip.h"
#include "harness/inputs/input_library.h"
#include "harness/suite/plan.h"
#include "harness/suite/suite.h"
#include "tests/fuzz/target.h"

namespace ablate::fuzz {
namespace {

/// A larger plan may rightly take longer.
constexpr std::size_t max_cases = 100;

/// As `ablate plan` does.
void feed_suite(const std::filesystem::path& file) {
  suite of = with_checked_report(read_suite(file));
  of.maximum_cases = std::min(of.maximum_cases, max_cases);
  const input_library inputs(of.seed, of.point_files, {});
  const plan made = make_plan(of, *find_chip("h200"), inputs);
  to_text(made, of);
  to_json(made, of).dump();
}

const registered suite_target("suite", feed_suite);

}  // namespace
}  // namespace ablate::fuzz
