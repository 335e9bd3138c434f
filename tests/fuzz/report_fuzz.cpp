#include "reports/report/report.h"

#include "tests/fuzz/target.h"

namespace ablate::fuzz {
namespace {

/// As `ablate report` does; whoever runs it many times names an empty folder in ABLATE_REPORTS_DIR, or node
/// draws the plots each time. Files are named after what the record names, so they would fill the disk.
void feed_report(const std::filesystem::path& file) {
  const std::filesystem::path out = file.parent_path() / "report";
  std::filesystem::remove_all(out);
  write_report({file}, out);
}

const registered report_target("report", feed_report);

}  // namespace
}  // namespace ablate::fuzz
