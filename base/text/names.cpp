#include "base/text/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace ablate {

namespace {

std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& known) {
  std::optional<std::string> best;
  // Beyond half of the name it is another word, not a slip of the fingers.
  std::size_t fewest = std::max<std::size_t>(2, name.size() / 2) + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = edits(name, candidate);
    if (distance < fewest && distance < candidate.size()) {
      fewest = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& known) {
  const std::optional<std::string> near = nearest(name, known);
  return near ? fmt::format(" (did you mean '{}'?)", *near) : std::string();
}

std::string no_such(std::string_view kind, std::string_view name, const std::vector<std::string>& known) {
  std::string list;
  for (const std::string& candidate : known) list += (list.empty() ? "'" : ", '") + candidate + "'";
  return fmt::format("no {} '{}'{}; {}", kind, name, did_you_mean(name, known),
                     known.empty() ? "there is none" : "expected one of " + list);
}

}  // namespace ablate
