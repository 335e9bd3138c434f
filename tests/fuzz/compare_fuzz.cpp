#include "reports/compare/comparison.h"

#include "reports/compare/outputs.h"
#include "tests/fuzz/target.h"

namespace ablate::fuzz {
namespace {

/// As `ablate compare` does, with the file as the baseline.
void feed_compare(const std::filesystem::path& file) {
  static const record candidate = read_record(seed("record/whole.json"));
  static const gate::gate_policy policy = gate::read_policy(seed("policy/default.json"));
  using compare::agreement;
  const std::set<agreement> all = {agreement::device, agreement::specimen, agreement::seed,
                                   agreement::method, agreement::workload, agreement::environment};
  const compare::record_comparison made =
      compare::compare_records({read_record(file)}, {candidate}, policy, all);
  compare::comparison_text(made, true);
  compare::comparison_markdown(made);
  compare::comparison_json(made, true).dump();
}

const registered compare_target("compare", feed_compare);

}  // namespace
}  // namespace ablate::fuzz
