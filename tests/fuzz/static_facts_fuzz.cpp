#include "reports/gate/static_facts.h"

#include "reports/gate/static_gate.h"
#include "tests/fuzz/target.h"

namespace ablate::fuzz {
namespace {

/// As `ablate static check` does, with the file as the baseline.
void feed_static_facts(const std::filesystem::path& file) {
  static const gate::static_facts_file candidate =
      gate::read_static_facts(seed("static_facts/baseline.json"));
  const gate::static_facts_file baseline = gate::read_static_facts(file);
  gate::static_facts_text(baseline);
  const gate::gate_report report =
      gate::compare_static_facts(baseline, candidate, {}, gate::static_gate_options{});
  gate::report_text(report);
  gate::report_junit(report);
  gate::report_markdown(report);
  gate::report_annotations(report);
  gate::report_json(report).dump();
}

const registered static_facts_target("static_facts", feed_static_facts);

}  // namespace
}  // namespace ablate::fuzz
