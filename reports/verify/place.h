#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/verify/verify.h"

namespace ablate::verify {

inline const nlohmann::ordered_json& facts_of(const checked_record& r) {
  return r.json.at("context").at("ablate");
}

/// A place of a record, and what is expected there: what does not hold becomes a finding.
class place {
 public:
  place(const checked_record& r, std::string pointer, std::vector<finding>& to)
      : file_(r.file), pointer_(std::move(pointer)), to_(to) {}

  void expect(bool holds, std::string_view at, const std::string& what,
              severity weight = severity::contradiction) const {
    if (!holds) to_.push_back({file_, pointer_ + std::string(at), what, weight});
  }

  /// `of`: where the expected value comes from.
  void expect_equal(std::string_view at, const nlohmann::ordered_json& found,
                    const nlohmann::ordered_json& wanted, std::string_view of) const {
    expect(found == wanted, at, fmt::format("expected {}, {}, found {}", wanted.dump(), of, found.dump()));
  }

  void expect_near(std::string_view at, double found, double wanted, double tolerance,
                   std::string_view of) const {
    expect(std::fabs(found - wanted) <= tolerance, at,
           fmt::format("expected {:.8g}, {}, found {:.8g}", wanted, of, found));
  }

 private:
  const std::string& file_;
  std::string pointer_;
  std::vector<finding>& to_;
};

}  // namespace ablate::verify
