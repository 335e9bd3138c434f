#include "reports/question/answer_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/statistics/quantile.h"
#include "reports/ablation/tables.h"
#include "reports/views/labels.h"
#include "reports/views/where.h"
#include "reports/views/workloads.h"

namespace ablate::reports {
namespace {

using gate::verdict;
using workloads = std::vector<const answered_workload*>;

constexpr std::size_t max_named_variants = 3;  // named in a cell

/// "s" unless there is one.
const char* plural(std::size_t count) { return count == 1 ? "" : "s"; }

workloads all_of(const answered_part& part) {
  workloads out;
  for (const answered_workload& w : part.workloads) out.push_back(&w);
  return out;
}

workload_rows rows_of(const workloads& of) {
  workload_rows out;
  for (const answered_workload* w : of) out.push_back(w->row);
  return out;
}

std::string where(const answered_part& part, const workloads& with, const workloads& without) {
  if (without.empty()) return "";
  if (std::string apart = set_apart_by(part.view, rows_of(with), rows_of(without)); !apart.empty())
    return apart;
  return with.size() == 1 ? workload_label(part, *with.front()->row) : "";
}

/// The workloads on which a family is compared with the last one, by the factor.
workloads compared(const workloads& of, std::size_t family) {
  workloads out;
  for (const answered_workload* w : of)
    if (w->best[family].over) out.push_back(w);
  std::stable_sort(out.begin(), out.end(), [&](const auto* a, const auto* b) {
    return a->best[family].over->ratio() < b->best[family].over->ratio();
  });
  return out;
}

/// What fits a family in a part: those of these workloads that have a verdict, with where.
struct verdict_words {
  verdict word;
  std::size_t count;
  std::string where;
};

std::vector<verdict_words> words_of(const answered_part& part, const workloads& of, std::size_t family) {
  std::vector<verdict_words> out;
  for (const verdict word : {verdict::faster, verdict::slower, verdict::same, verdict::inconclusive}) {
    workloads with, without;
    for (const answered_workload* w : of)
      (w->best[family].over->verdict.word == word ? with : without).push_back(w);
    if (!with.empty()) out.push_back({word, with.size(), where(part, with, without)});
  }
  return out;
}

std::size_t count_of(const std::vector<verdict_words>& words, verdict word) {
  for (const verdict_words& w : words)
    if (w.word == word) return w.count;
  return 0;
}

double median_factor(const workloads& of, std::size_t family) {
  std::vector<double> factors;
  for (const answered_workload* w : of) factors.push_back(w->best[family].over->ratio());
  return gate::median(factors);
}

std::string words_text(const std::vector<verdict_words>& words, std::size_t total) {
  std::vector<std::string> out;
  for (const verdict_words& w : words)
    out.push_back(
        fmt::format("{} {}{}", gate::name_of(w.word),
                    w.count == total && total > 1 ? fmt::format("in all {}", total) : std::to_string(w.count),
                    w.where.empty() ? "" : " (" + w.where + ")"));
  return fmt::format("{}", fmt::join(out, ", "));
}

/// Whether a question asks for one of the families, which yes or no would not name.
bool asks_which(const std::string& question) {
  return question.starts_with("Which ") || question.starts_with("Who ");
}

/// In a word, by the shares of the workloads.
std::string answer_word(const suite_question& asked, const std::vector<verdict_words>& words,
                        std::size_t total) {
  const std::size_t faster = count_of(words, verdict::faster), slower = count_of(words, verdict::slower),
                    same = count_of(words, verdict::same);
  const double share = static_cast<double>(faster) / static_cast<double>(total);
  const bool which = asks_which(asked.text);
  const std::string yes = which ? asked.families.front().name : "Yes";
  if (faster == total) return yes;
  if (slower == total) return which ? asked.families.back().name : "No";
  if (same == total) return "It makes no difference";
  if (faster + slower == 0) return "No difference is certain";
  if (faster == 0) return "No win is certain";
  constexpr double nearly_all = 0.9, rarely = 0.25;
  if (slower == 0 && share >= nearly_all) return yes + ", nearly everywhere";
  if (share < rarely && !which) return "Rarely";
  return slower > 0 ? "It depends" : "In part";
}

/// " (points ≥ 65536)" or nothing.
std::string bracketed(const std::string& text) { return text.empty() ? "" : " (" + text + ")"; }

/// "faster on 4 of 61 workloads (all points), by at most 1.12×; slower on 12, by at most 1.16×; the same on
/// 10; undecided on 35"
std::string counted_text(const std::vector<verdict_words>& words, const workloads& sorted,
                         std::size_t family) {
  std::vector<std::string> out;
  for (const verdict_words& w : words) {
    const bool is_first = out.empty();
    const std::string on =
        fmt::format(" on {}{}{}{}", w.count == sorted.size() ? "all " : "", w.count,
                    !is_first || w.count == sorted.size() ? "" : fmt::format(" of {}", sorted.size()),
                    is_first ? fmt::format(" workload{}", plural(sorted.size())) : "");
    const auto factor_of = [&](const answered_workload* w) { return w->best[family].over->ratio(); };
    // If all agree, the least and the greatest factor follow it.
    const bool tells_most = w.count < sorted.size() && w.count > 1;
    if (w.word == verdict::faster)
      out.push_back("faster" + on + bracketed(w.where) +
                    (tells_most ? fmt::format(", by at most {:.2f}×", factor_of(sorted.back())) : ""));
    else if (w.word == verdict::slower)
      out.push_back("slower" + on + bracketed(w.where) +
                    (tells_most ? fmt::format(", by at most {:.2f}×", 1 / factor_of(sorted.front())) : ""));
    else
      out.push_back((w.word == verdict::same ? "the same" : "undecided") + on + bracketed(w.where));
  }
  return fmt::format("{}", fmt::join(out, "; "));
}

/// "1.97× by the median, from 1.00× (1.00 to 1.00) at lidar to 4.18× (4.18 to 4.19) at uniform"
std::string range_text(const answered_part& part, const workloads& sorted, std::size_t family) {
  const auto at = [&](const answered_workload* w) {
    const effect& e = *w->best[family].over;
    return fmt::format("{} at {}", ratio_with_interval(e.ratio(), e.low(), e.high()),
                       workload_label(part, *w->row));
  };
  if (sorted.size() == 1) return at(sorted.front());
  return fmt::format("{:.2f}× by the median, from {} to {}", median_factor(sorted, family),
                     at(sorted.front()), at(sorted.back()));
}

/// " The best of **without** itself moved …": where that may say more of the machine than of the kernels.
std::string unsteady_text(const question_answer& from, const answered_part& part) {
  workloads with, without;
  double most = 0;
  std::size_t processes = 0;
  for (const answered_workload& w : part.workloads) {
    double here = 0;
    for (const family_best& best : w.best)
      if (best.over) {
        here = std::max(here, best.over->from_moved_pct);
        processes = std::max(processes, best.over->processes);
      }
    (here > unsteady_pct ? with : without).push_back(&w);
    most = std::max(most, here);
  }
  if (with.empty()) return "";
  const std::string place = where(part, with, without);
  return fmt::format(
      " **Unsteady ground**: the best of **{}** itself took up to {:.0f} % longer in one of the {} records "
      "than in another, by more than {:g} % on {} workload{}{}; the intervals cover it.",
      from.asked.families.back().name, most, processes, unsteady_pct, with.size(), plural(with.size()),
      place.empty() ? "" : " (" + place + ")");
}

std::string two_families(const question_answer& from, const answered_part& part) {
  const workloads sorted = compared(all_of(part), 0);
  if (sorted.empty()) return "the two were measured on different inputs only.";
  const auto words = words_of(part, sorted, 0);
  return fmt::format("**{}.** Against the best of **{}**, the best of **{}** is {}. Its factor is {}.",
                     answer_word(from.asked, words, sorted.size()), from.asked.families[1].name,
                     from.asked.families[0].name, counted_text(words, sorted, 0),
                     range_text(part, sorted, 0));
}

/// "1.02× by the median (1.00 to 1.06), faster on 1 of 6"
std::string factor_text(const workloads& sorted, const std::vector<verdict_words>& words,
                        std::size_t family) {
  const auto factor_of = [&](const answered_workload* w) { return w->best[family].over->ratio(); };
  const std::size_t all = sorted.size(), faster = count_of(words, verdict::faster),
                    slower = count_of(words, verdict::slower);
  std::string out = fmt::format("{:.2f}×", median_factor(sorted, family));
  if (all > 1)
    out +=
        fmt::format(" by the median ({:.2f} to {:.2f})", factor_of(sorted.front()), factor_of(sorted.back()));
  const auto add = [&](const char* word, std::size_t count) {
    if (count > 0)
      out += count == all ? fmt::format(", {}{}", word, all > 1 ? " on all" : "")
                          : fmt::format(", {} on {} of {}", word, count, all);
  };
  add("faster", faster);
  add("slower", slower);
  if (faster + slower == 0) out += ", no difference is certain";
  return out;
}

std::string several_families(const question_answer& from, const answered_part& part) {
  const auto& families = from.asked.families;
  std::vector<std::pair<std::size_t, std::size_t>> wins;  // count, family
  std::vector<std::string> fastest, factors;
  for (std::size_t i = 0; i < families.size(); ++i) {
    const auto won = std::count_if(part.workloads.begin(), part.workloads.end(),
                                   [&](const answered_workload& w) { return w.fastest == i; });
    if (won > 0) wins.emplace_back(won, i);
  }
  std::stable_sort(wins.begin(), wins.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  const std::size_t all = part.workloads.size();
  for (const auto& [count, i] : wins) {
    workloads with, without;
    for (const answered_workload& w : part.workloads) (w.fastest == i ? with : without).push_back(&w);
    const std::string name = "**" + families[i].name + "**", place = bracketed(where(part, with, without));
    if (fastest.empty())
      fastest.push_back(
          count == all ? fmt::format("{} is the fastest on {}", name,
                                     all == 1   ? "the only workload"
                                     : all == 2 ? "both workloads"
                                                : fmt::format("all {} workloads", all))
                       : fmt::format("{} is the fastest on {} of {} workloads{}", name, count, all, place));
    else
      fastest.push_back(fmt::format("{} on {}{}", name, count, place));
  }
  for (std::size_t i = 0; i + 1 < families.size(); ++i)
    if (const workloads sorted = compared(all_of(part), i); !sorted.empty())
      factors.push_back(families[i].name + " " + factor_text(sorted, words_of(part, sorted, i), i));
  return fmt::format(
      "{}. {}", fmt::join(fastest, ", "),
      factors.empty()
          ? fmt::format("**{}** has no workload in common with the others.", families.back().name)
          : fmt::format("Against the best of **{}**: {}.", families.back().name, fmt::join(factors, "; ")));
}

/// With a capital, unless it begins with a name that has one elsewhere or a digit, as cuBLASLt.
std::string begun_as_a_sentence(std::string text) {
  const std::size_t first = std::min(text.find_first_not_of('*'), text.size());
  const std::size_t end = std::min(text.find_first_of(" *,.", first), text.size());
  if (std::all_of(text.begin() + static_cast<std::ptrdiff_t>(first),
                  text.begin() + static_cast<std::ptrdiff_t>(end),
                  [](char c) { return c >= 'a' && c <= 'z'; }) &&
      first < end)
    text[first] = static_cast<char>(text[first] - 'a' + 'A');
  return text;
}

/// "`merged` 5, `sorted` 2": how often each was the best of its family.
std::string bests_text(const workloads& of, std::size_t family) {
  std::map<std::string, std::size_t> counts;
  for (const answered_workload* w : of) ++counts[w->best[family].variant];
  std::vector<std::pair<std::string, std::size_t>> ranked(counts.begin(), counts.end());
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> out;
  for (const auto& [variant, count] : ranked)
    if (out.size() < max_named_variants) out.push_back(fmt::format("`{}` {}", variant, count));
  const std::size_t others = ranked.size() - out.size();
  return fmt::format("{}{}", fmt::join(out, ", "), others > 0 ? fmt::format(" and {} more", others) : "");
}

}  // namespace

std::string group_label(const answered_part& part, const answered_group& group) {
  std::vector<std::string> axes;
  for (const auto& [axis, value] : group.by)
    if (part.groups.size() == 1 ||
        std::any_of(part.groups.begin(), part.groups.end(),
                    [&](const auto& other) { return *find_word(other.by, axis) != value; }))
      axes.push_back(axis);
  std::string out = axes.empty() ? "" : label(part.view, group.by, axes);
  if (!group.cache_state.empty()) out += (out.empty() ? "" : ", ") + group.cache_state;
  return out.empty() ? "all workloads" : out;
}

std::string over_text(const question_answer& from, std::size_t family) {
  return from.asked.families[family].name + " over " + from.asked.families.back().name;
}

std::string workload_label(const answered_part& part, const comparable_cases& row) {
  workload_rows rows;
  for (const answered_workload& w : part.workloads) rows.push_back(w.row);
  const std::vector<std::string> telling = telling_axes(part.view, part.view.axes, points_of(rows));
  return telling.empty() ? row.cache_state : label(part.view, row.axes, telling);
}

std::vector<std::string> answer_sentences(const question_answer& from) {
  std::vector<std::string> out;
  for (const answered_part& part : from.parts) {
    const std::string text =
        from.has_two_families() ? two_families(from, part) : several_families(from, part);
    out.push_back((from.parts.size() + from.open.size() > 1 ? fmt::format("`{}`: {}", part.view.name, text)
                                                            : begun_as_a_sentence(text)) +
                  unsteady_text(from, part));
  }
  out.insert(out.end(), from.open.begin(), from.open.end());
  return out;
}

std::string about_answer(const question_answer& from) {
  const std::string last = from.asked.families.back().name;
  bool unequal = false, unsteady = false, over_launches = false;
  for (const answered_part& part : from.parts)
    for (const answered_workload& w : part.workloads)
      for (const family_best& best : w.best) {
        unequal = unequal || best.unequal_quality;
        unsteady = unsteady || (best.over && best.over->from_moved_pct > unsteady_pct);
        over_launches = over_launches || (best.over && best.over->processes > 1);
      }
  return fmt::format(
      "Times faster than the best of {}: its median over that of the family's best, both the least of "
      "the variants that were measured on the workload; above 1 is faster. The interval is what the "
      "two medians' intervals allow, or covers the launches and GPUs where there are several; ratios "
      "are formed within each.{}{}{}",
      last, over_launches ? " " + about_false_discoveries(from.confidence) : "",
      unequal ? " ≠ marks outputs that differ by more than 5 % in some figure of quality." : "",
      unsteady ? fmt::format(" {}.", about_moved_mark) : "");
}

table answer_table(const question_answer& from, const answered_part& part) {
  const auto& families = from.asked.families;
  const bool has_two = from.has_two_families();
  table out{{"workloads"}, 1, {}};
  if (!has_two) out.header.push_back("best of");
  out.header.insert(out.header.end(), {"verdicts", has_two ? "best of " + families[0].name : "best variants",
                                       "best of " + families.back().name, "median", "least", "greatest"});
  out.left = has_two ? 4 : 5;
  for (const answered_group& group : part.groups)
    for (std::size_t i = 0; i + 1 < families.size(); ++i) {
      const workloads sorted = compared(group.workloads, i);
      if (sorted.empty()) continue;
      const auto factor = [&](const answered_workload* w) {
        const effect& e = *w->best[i].over;
        return ratio_with_interval(e.ratio(), e.low(), e.high()) + (w->best[i].unequal_quality ? " ≠" : "") +
               moved_mark(e.from_moved_pct);
      };
      table_line& line = out.lines.emplace_back();
      const auto marked = std::count_if(sorted.begin(), sorted.end(),
                                        [](const auto* w) { return !w->row->input_mark().empty(); });
      line.cells = {fmt::format("{} ({}{})", group_label(part, group), sorted.size(),
                                marked > 0 ? fmt::format(", {} on degenerate inputs", marked) : "")};
      if (!has_two) line.cells.push_back(families[i].name);
      const std::vector<std::string> figures = {words_text(words_of(part, sorted, i), sorted.size()),
                                                bests_text(sorted, i),
                                                bests_text(sorted, families.size() - 1),
                                                fmt::format("{:.2f}×", median_factor(sorted, i)),
                                                factor(sorted.front()),
                                                factor(sorted.back())};
      line.cells.insert(line.cells.end(), figures.begin(), figures.end());
      for (const answered_workload* w : sorted)
        for (const std::size_t side : {i, families.size() - 1})
          line.cases.push_back(w->best[side].fastest->name);
    }
  return out;
}

}  // namespace ablate::reports
