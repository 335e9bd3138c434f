#include "reports/views/launched_record.h"

#include <fmt/format.h>

#include "base/text/bad_input.h"
#include "reports/views/over_launches.h"

namespace ablate::reports {

launched_record::launched_record(const std::filesystem::path& first,
                                 const std::vector<std::filesystem::path>& further)
    : first_(read_checked_record(first)) {
  for (const std::filesystem::path& path : further) {
    further_.push_back(read_record(path));
    if (!are_launches_of_one(first_, further_.back()))
      throw bad_input(
          path.string(), "",
          fmt::format("expected a further launch of what {} measured, found another suite, build, "
                      "seed or model of device; `ablate report` takes several records",
                      first.string()));
  }
  if (further_.empty()) {
    shown_ = first_;
    return;
  }
  std::vector<const record*> more;
  for (const record& launch : further_) more.push_back(&launch);
  launches_ = std::make_shared<const case_launches>(first_, more);
  shown_ = over_launches(first_, *launches_);
}

}  // namespace ablate::reports
