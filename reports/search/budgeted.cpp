#include "reports/search/budgeted.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text/bad_input.h"

namespace ablate::search {
namespace {

using points_of_batch = std::vector<std::size_t>;

/// Of a point, before any was measured.
constexpr double guessed_s = 1;
/// Of one run, so that neither a kill nor a wrong estimate costs much.
constexpr std::size_t most_points = 32;

points_of_batch points_in(const journalled_batch& b) {
  points_of_batch out;
  for (const answer& a : b.answers) out.push_back(a.point);
  return out;
}

}  // namespace

budgeted_measurer::budgeted_measurer(double budget_s, search_journal& journal, measure_function measure,
                                     std::function<double()> now_s)
    : budget_s_(budget_s), journal_(journal), measure_(std::move(measure)), now_s_(std::move(now_s)) {
  for (const journalled_batch& b : journal_.batches()) spent_s_ += b.seconds;
}

std::size_t budgeted_measurer::affordable(std::size_t points, bool is_first_launch) const {
  double seconds = 0, counted = 0;
  for (const journalled_batch& b : journal_.batches()) {
    // Later launches check nothing, so a point of theirs takes less.
    if (is_first_launch && b.launch != first_launch) continue;
    seconds += b.seconds;
    counted += static_cast<double>(b.answers.size());
  }
  const double of_point = counted > 0 ? std::max(seconds / counted, 1e-9) : guessed_s;
  const double left = std::max(0.0, (budget_s_ - spent_s_) / of_point);
  return left >= static_cast<double>(points) ? points : static_cast<std::size_t>(left);
}

std::vector<answer> budgeted_measurer::measured(const batch& of) {
  const double began_s = now_s_();
  std::vector<answer> answers = measure_(of);
  const double seconds = now_s_() - began_s;
  spent_s_ += seconds;
  journal_.add({of.launch, answers, seconds});
  return answers;
}

std::vector<answer> budgeted_measurer::check(const std::vector<std::size_t>& points) {
  std::vector<answer> out;
  points_of_batch before, left;
  for (const journalled_batch& b : journal_.batches()) {
    if (b.launch != first_launch) continue;
    for (const answer& a : b.answers) {
      before.push_back(a.point);
      if (std::ranges::find(points, a.point) != points.end()) out.push_back(a);
    }
  }
  replayed_ += out.size();
  for (const std::size_t p : points)
    if (std::ranges::find(before, p) == before.end()) left.push_back(p);
  while (!left.empty()) {
    const std::size_t count = affordable(std::min(left.size(), most_points), true);
    if (count == 0) break;
    const auto end = left.begin() + static_cast<std::ptrdiff_t>(count);
    const std::vector<answer> answers = measured({first_launch, {left.begin(), end}, before});
    for (const answer& a : answers) before.push_back(a.point);
    out.insert(out.end(), answers.begin(), answers.end());
    left.erase(left.begin(), end);
  }
  return out;
}

std::vector<answer> budgeted_measurer::time_again(const std::vector<std::size_t>& points) {
  const std::size_t launch = first_launch + ++further_launches_;
  for (const journalled_batch& b : journal_.batches())
    if (b.launch == launch) {
      if (points_in(b) != points)
        throw bad_input(journal_.path().string(), fmt::format("launch {}", launch),
                        "has other points than this search would time; expected another --out");
      replayed_ += b.answers.size();
      return b.answers;
    }
  if (affordable(points.size(), false) < points.size()) return {};
  return measured({launch, points, {}});
}

}  // namespace ablate::search
