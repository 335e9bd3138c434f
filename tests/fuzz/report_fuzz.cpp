#include "reports/report/report.h"

#include "tests/fuzz/target.h"

namespace ablate::fuzz {
namespace {

/// As `ablate report` does. For many runs, point ABLATE_REPORTS_DIR at an empty folder, or node draws the
/// plots each time. The folder is removed first: its files are named after what the record names, and would
/// fill the disk.
void feed_report(const std::filesystem::path& file) {
  const std::filesystem::path out = file.parent_path() / "report";
  std::filesystem::remove_all(out);
  write_report({file}, out);
}

const registered report_target("report", feed_report);

}  // namespace
}  // namespace ablate::fuzz
