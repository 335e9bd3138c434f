#include "harness/runner/output_check.h"

namespace ablate {

void output_check::expect_right(const host_outputs& outputs, const std::string& when) {
  if (first_ && *first_ == outputs) return;
  const bool is_later = first_ && work_.check_again;
  const check_result found = (is_later ? work_.check_again : work_.check)(outputs.pointers());
  if (!found.ok) throw wrong_output(when + ": " + found.message);
  if (!first_ || found.max_error > worst_.max_error) worst_ = found;
  if (!first_) first_ = outputs;
}

nlohmann::ordered_json output_check::json(std::string_view timed, const host_outputs& last) const {
  nlohmann::ordered_json json = {{"before", "ok"},
                                 {"timed", timed},
                                 {"after", "ok"},
                                 {"max_error", worst_.max_error},
                                 {"accepted_error", worst_.accepted_error},
                                 {"changed_share", last.share_unlike(first_.value())}};
  if (!work_.oracle_variant.empty()) json["against"] = work_.oracle_variant;
  return json;
}

nlohmann::ordered_json not_checked_json() {
  return {{"before", "not_checked"}, {"timed", "not_checked"}, {"after", "not_checked"}, {"max_error", 0}};
}

}  // namespace ablate
