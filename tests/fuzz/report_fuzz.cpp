#include "reports/report.h"

#include "tests/fuzz/target.h"

namespace ablate::fuzz {
namespace {

/// As `ablate report` does; whoever runs it many times names an empty folder in ABLATE_REPORTS_DIR, or node
/// draws the plots each time.
void report(const std::filesystem::path& file) { write_report({file}, file.parent_path() / "report"); }

const registered report_target("report", report);

}  // namespace
}  // namespace ablate::fuzz
