#include "reports/explain/explanation.h"

#include "reports/explain/outputs.h"
#include "tests/fuzz/target.h"

namespace ablate::fuzz {
namespace {

/// As `ablate explain` does, for every case of a record.
void feed_explain(const std::filesystem::path& file) {
  static const explain::counter_meanings meanings = {{"dram__bytes_read.sum", {"bytes read", "bytes"}}};
  const record from = read_checked_record(file);
  const auto explain = [&](const std::string& name) {
    const explain::explanation made = explain::explain_case(from, name, meanings);
    explain::explanation_text(made, true);
    explain::explanation_json(made).dump();
  };
  for (const measured_case& c : from.cases) explain(c.name);
  for (const unmeasured_case& c : from.unmeasured) explain(c.name);
}

const registered explain_target("explain", feed_explain);

}  // namespace
}  // namespace ablate::fuzz
