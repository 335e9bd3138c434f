#include <algorithm>

#include "base/record/record_file.h"
#include "base/text/bad_input.h"
#include "harness/gate/launch_source.h"
#include "harness/gate/same_request.h"
#include "reports/compare/agreement.h"

namespace ablate::gate {
namespace {

namespace fs = std::filesystem;

class recorded_launches final : public launch_source {
 public:
  explicit recorded_launches(const fs::path& folder) : folder_(folder) {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.is_directory() && reports::holds_record(entry.path()))
        found.push_back(entry.path());
      else if (entry.path().extension() == ".json")
        found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end());
    for (const fs::path& path : found)
      (path.stem().string().ends_with("-check") ? checks_ : launches_)
          .push_back(fs::is_directory(path) ? path / "record.json" : path);
    if (launches_.empty())
      throw bad_input(folder.string(), "",
                      "expected records of launches, or folders that hold a record.json");
  }

  std::optional<record> check(const std::string&, const std::vector<std::string>&) override {
    if (next_check_ == checks_.size()) return std::nullopt;
    return read(checks_[next_check_++], first_check_);
  }

  launch take(const launch_order&) override {
    if (next_ == launches_.size()) throw no_more_launches(folder_.string() + " holds no more launches");
    return launch_of(read(launches_[next_++], first_launch_));
  }

  std::optional<record> any() override { return read_record(launches_.front()); }
  bool is_recorded() const override { return true; }

 private:
  /// A folder holds launches of one build on one device with the same options; anything else in it is
  /// rejected.
  record read(const fs::path& path, std::optional<record>& first_of_kind) {
    record made = read_record(path);
    if (!first_) first_ = made;
    if (!first_of_kind) first_of_kind = made;
    compare::check_side({*first_, made});
    expect_same_suite(*first_, made);
    expect_same_options(*first_of_kind, made);
    return made;
  }

  fs::path folder_;
  std::optional<record> first_, first_check_, first_launch_;
  std::vector<fs::path> launches_, checks_;
  std::size_t next_ = 0, next_check_ = 0;
};

}  // namespace

std::unique_ptr<launch_source> launches_in_folder(const fs::path& folder) {
  return std::make_unique<recorded_launches>(folder);
}

}  // namespace ablate::gate
