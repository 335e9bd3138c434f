#include "reports/views/launched_record.h"

#include "reports/views/over_launches.h"

namespace ablate::reports {

launched_record::launched_record(const std::filesystem::path& first,
                                 const std::vector<std::filesystem::path>& further)
    : first_(read_checked_record(first)) {
  for (const std::filesystem::path& path : further) {
    further_.push_back(read_record(path));
    expect_launch_of(first_, further_.back());
  }
  if (further_.empty()) return;
  std::vector<const record*> more;
  for (const record& launch : further_) more.push_back(&launch);
  launches_ = std::make_shared<const case_launches>(first_, more);
  shown_ = over_launches(first_, *launches_);
}

}  // namespace ablate::reports
