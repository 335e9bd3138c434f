#include "harness/runner/output_check.h"

#include <fmt/format.h>

#include <utility>

namespace ablate {

namespace {

/// The workload is asked about changed inputs as long as this lives.
struct about_edition {
  about_edition(const input_editions& of, std::uint64_t edition)
      : of(of), is_to_be_learned(of.turn_to(edition)) {}
  about_edition(const about_edition&) = delete;
  ~about_edition() { of.turn_to(0); }

  const input_editions& of;
  bool is_to_be_learned;
};

}  // namespace

check_result output_check::judge(const host_outputs& outputs, const std::string& when) {
  const bool is_later = has_first_ && work_.check_again;
  const check_result found = (is_later ? work_.check_again : work_.check)(outputs.pointers());
  if (!found.ok) throw wrong_output(when + ": " + found.message);
  if (!has_first_ || found.max_error > worst_.max_error) worst_ = found;
  return found;
}

void output_check::see_again() {
  if (!has_first_) worst_ = right_.found;
  has_first_ = true;
}

void output_check::see_first(host_outputs outputs, const check_result& found) {
  right_ = {std::move(outputs), found};
  has_first_ = true;
}

void output_check::expect_right(const host_outputs& outputs, const std::string& when) {
  if (right_.bytes && *right_.bytes == outputs) return see_again();
  const check_result found = judge(outputs, when);
  if (!has_first_) see_first(outputs, found);
}

void output_check::expect_right(const found_outputs& found, const std::string& when) {
  if (found.edition() != 0) return judge_edition(found, when);
  const bool is_first = !has_first_;
  judge_found(found, when);
  if (is_first)
    found.keep_results();
  else
    look_for_changes(found, when);
}

void output_check::look_for_changes(const found_outputs& found, const std::string& when) {
  changed_results_ = found.changed_results();
  if (!same_bits_) return;
  const auto expect_none = [&](const differing_bytes& changed, const char* of) {
    if (changed.differing > 0)
      throw wrong_output(fmt::format(
          "{}: {} of {} bytes of {} differ from the first launch's, and the variant promises the same bits",
          when, changed.differing, changed.all, of));
  };
  expect_none(last().unlike(right_.bytes.value()), "outputs");
  if (changed_results_) expect_none(*changed_results_, "results");
}

void output_check::judge_edition(const found_outputs& found, const std::string& when) {
  host_outputs seen = found.room();
  found.copy_to(seen);  // before the oracle writes there
  const about_edition about(work_.editions.value(), found.edition());
  if (about.is_to_be_learned) learn_();
  judge(seen, when + ", with a few elements of the inputs changed");
}

void output_check::judge_found(const found_outputs& found, const std::string& when) {
  if (last_) spare_ = std::exchange(last_, std::nullopt);
  if (right_.bytes && found.are_kept()) return see_again();
  host_outputs seen = spare_ ? std::move(*spare_) : found.room();
  spare_.reset();
  found.copy_to(seen);
  if (right_.bytes && *right_.bytes == seen) {
    spare_ = std::move(seen);
    return see_again();
  }
  const check_result judged = judge(seen, when);
  if (has_first_) {
    last_ = std::move(seen);
    return;
  }
  see_first(std::move(seen), judged);
  found.keep();
}

measured_case::output_check output_check::found(std::string_view timed, const host_outputs& last) const {
  measured_case::output_check out;
  out.timed = timed;
  out.max_error = worst_.max_error;
  out.accepted_error = worst_.accepted_error;
  if (changed_results_) {
    const differing_bytes outputs = last.unlike(right_.bytes.value());
    out.changed_share =
        differing_bytes{outputs.differing + changed_results_->differing, outputs.all + changed_results_->all}
            .share();
  }
  out.against = work_.oracle_variant;
  return out;
}

measured_case::output_check not_checked() {
  measured_case::output_check out;
  out.before = out.timed = out.after = "not_checked";
  out.max_error = 0;
  return out;
}

}  // namespace ablate
