#include "reports/claims/claims_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace ablate {
namespace {

using words = std::vector<std::string>;

words words_of(std::string_view id) {
  words out;
  for (std::size_t begin = 0; begin <= id.size();) {
    const std::size_t end = std::min(id.find('/', begin), id.size());
    out.emplace_back(id.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

/// Where the value of an axis begins in "points=8"; 0 in a name, such as that of the point "warp+threads=64".
std::size_t begin_of_value(const std::string& word) {
  const std::size_t equals = word.find('=');
  return equals == word.npos || word.find('+') < equals ? 0 : equals + 1;
}

/// "points=*", "*"
std::string starred(const std::string& word) { return word.substr(0, begin_of_value(word)) + "*"; }

/// The first id of each figure, with stars; an empty list if ids of different lengths share no pattern.
words pattern_of(const std::vector<words>& ids) {
  words out = ids.front();
  for (const words& id : ids) {
    if (id.size() != out.size()) return {};
    for (std::size_t i = 0; i < id.size(); ++i)
      if (id[i] != out[i]) out[i] = starred(out[i]);
  }
  return out;
}

/// All words at one position, with the part before the = only once.
std::string words_at(const std::vector<words>& ids, std::size_t place) {
  words out;
  const std::string& first = ids.front()[place];
  const std::size_t begin = begin_of_value(first);
  for (const words& id : ids)
    if (const std::string word = id[place].substr(begin);
        std::find(out.begin(), out.end(), word) == out.end())
      out.push_back(word);
  return fmt::format("{}{}", first.substr(0, begin), fmt::join(out, ", "));
}

std::string at_stars(const words& id, const words& pattern) {
  words out;
  for (std::size_t i = 0; i < id.size(); ++i)
    if (pattern.empty() || pattern[i] != id[i]) out.push_back(id[i]);
  return fmt::format("{}", fmt::join(out, pattern.empty() ? "/" : ", "));
}

std::string difference(const words& from, const words& to) {
  if (from.size() != to.size()) return fmt::format("{}", fmt::join(to, "/"));
  words out;
  for (std::size_t i = 0; i < to.size(); ++i)
    if (from[i] != to[i]) out.push_back(to[i]);
  return out.empty() ? "itself" : fmt::format("{}", fmt::join(out, ", "));
}

}  // namespace

grouped_cases group_cases(const std::vector<std::vector<std::string>>& cases) {
  std::vector<words> ids, counterparts;
  for (const auto& figure : cases) {
    ids.push_back(words_of(figure.front()));
    if (figure.size() == 2) counterparts.push_back(words_of(figure.back()));
  }
  const words pattern = pattern_of(ids);
  words differences;
  for (std::size_t i = 0; i < counterparts.size(); ++i)
    differences.push_back(difference(ids[i], counterparts[i]));
  const bool is_one = !differences.empty() && std::all_of(differences.begin(), differences.end(),
                                                          [&](auto& d) { return d == differences.front(); });

  grouped_cases out{fmt::format("{}", fmt::join(pattern, "/")), is_one ? differences.front() : "", {}, {}};
  for (std::size_t place = 0; place < pattern.size(); ++place)
    if (pattern[place] != ids.front()[place]) out.words.push_back(words_at(ids, place));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    std::string label = at_stars(ids[i], pattern);
    if (!differences.empty() && !is_one) label += (label.empty() ? "" : ", against ") + differences[i];
    out.labels.push_back(label);
  }
  return out;
}

}  // namespace ablate
