#include "reports/predict/sizes.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

namespace ablate::predict {
namespace {

double work_of(const seen_case& c) { return c.floors ? c.floors->of_work() : 0; }

double on_a_line(double x, double x0, double y0, double x1, double y1) {
  return y0 + (y1 - y0) * (x - x0) / (x1 - x0);
}

/// Through two points in logarithms.
double power_law(double size, double n0, double y0, double n1, double y1) {
  return std::exp(on_a_line(std::log(size), std::log(n0), std::log(y0), std::log(n1), std::log(y1)));
}

/// Works that differ by less are one: the size does not change what is to be done.
constexpr double equal_work = 1e-3;
/// A line that falls to less of the lesser time than this is no time.
constexpr double least_of_lesser = 0.3;

std::optional<sized_time> from_two(double size, const sized_case& low, const sized_case& high) {
  const double w0 = work_of(*low.of), w1 = work_of(*high.of);
  if (!(w0 > 0) || !(w1 > 0)) return std::nullopt;
  const double law = power_law_us(size, low, high);
  double us = law;
  if (std::fabs(w1 / w0 - 1) > equal_work) {
    us = on_a_line(power_law(size, low.size, w0, high.size, w1), w0, low.of->us, w1, high.of->us);
    // Beyond the last size a line may fall to nothing.
    if (us < least_of_lesser * std::min(low.of->us, high.of->us)) us = law;
  }
  return sized_time{
      us, std::fabs(std::log(us / law)), size < low.size || size > high.size, {low.of, high.of}};
}

}  // namespace

std::optional<double> size_of(const std::string& value) {
  long out = 0;
  const char* end = value.data() + value.size();
  const auto [stopped, error] = std::from_chars(value.data(), end, out);
  if (error != std::errc() || stopped != end || out <= 0) return std::nullopt;
  return static_cast<double>(out);
}

std::vector<size_series> series_in(const seen_record& r, std::size_t least) {
  std::map<std::string, size_series> found;
  for (const seen_case& c : r.cases)
    for (std::size_t i = 0; i < c.axes.size(); ++i) {
      const auto size = size_of(c.axes[i].second);
      if (!size) continue;
      seen_case without = c;
      without.axes.erase(without.axes.begin() + static_cast<std::ptrdiff_t>(i));
      size_series& series = found[c.axes[i].first + "@" + key_of(without)];
      series.axis = c.axes[i].first;
      if (std::none_of(series.cases.begin(), series.cases.end(),
                       [&](const sized_case& s) { return s.size == *size; }))
        series.cases.push_back({*size, &c});
    }
  std::vector<size_series> out;
  for (auto& [key, series] : found) {
    if (series.cases.size() < least) continue;
    std::sort(series.cases.begin(), series.cases.end(),
              [](const sized_case& a, const sized_case& b) { return a.size < b.size; });
    out.push_back(std::move(series));
  }
  return out;
}

double power_law_us(double size, const sized_case& a, const sized_case& b) {
  return power_law(size, a.size, a.of->us, b.size, b.of->us);
}

std::optional<sized_time> time_at(double size, const std::vector<sized_case>& by_size) {
  if (by_size.size() < 2) return std::nullopt;
  const auto next =
      std::find_if(by_size.begin(), by_size.end(), [&](const sized_case& c) { return c.size >= size; });
  auto high = std::clamp(next, by_size.begin() + 1, by_size.end() - 1);
  const sized_case &a = *(high - 1), &b = *high;
  const double farthest = std::max({b.size / a.size, size / b.size, a.size / size});
  const bool between = size > a.size && size < b.size;
  if (farthest > (between ? most_step * most_step : most_step)) return std::nullopt;
  return from_two(size, a, b);
}

}  // namespace ablate::predict
