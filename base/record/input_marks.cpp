#include "base/record/input_marks.h"

#include <fmt/format.h>

#include <vector>

#include "base/record/facts.h"
#include "base/text/text.h"

namespace ablate::reports {
namespace {

constexpr double least_valid = 0.5, max_zero_returns = 0.01, least_positions = 0.95;

/// Never "50 %" of what is less than half, nor "0 %" of something.
std::string percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

}  // namespace

std::string input_mark(const measured_case& c) {
  const auto number = [&](const char* key) { return number_fact(c.input, key); };
  const auto points = number("points");
  if (points && *points == 0) return " (no points)";

  std::vector<std::string> marks;
  const auto valid = number("valid");
  if (points && valid && *valid < least_valid * *points)
    marks.push_back(percent(*valid / *points) + " of points in grid");
  const auto in_file = number("file_points") ? number("file_points") : points;
  const auto skipped = number("skipped_points");
  if (in_file && skipped && *in_file - *skipped < least_valid * *in_file)
    marks.push_back(percent(1 - *skipped / *in_file) + " of points in range");
  if (valid && *valid > 1 && number("occupied") == 1) marks.emplace_back("all points in one cell");
  const auto positions = number("positions"), in_fp16 = number("fp16_positions");
  if (points && *points > 1 && positions == 1) marks.emplace_back("all points in one place");
  if (positions && in_fp16 && *in_fp16 < least_positions * *positions)
    marks.push_back(percent(*in_fp16 / *positions) + " of positions left by fp16");
  // Of a file's voxels all zero returns are one, which is no matter.
  const auto zero_returns = number("zero_returns");
  if (points && zero_returns && !skipped && *zero_returns >= max_zero_returns * *points)
    marks.push_back(percent(*zero_returns / *points) + " zero returns");
  return marks.empty() ? "" : " (" + joined(marks, ", ") + ")";
}

}  // namespace ablate::reports
