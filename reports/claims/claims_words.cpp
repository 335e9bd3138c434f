#include "reports/claims/claims_words.h"
#include "base/text/counted_noun.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <utility>

#include "base/text/text.h"

namespace ablate {
namespace {

using entries = std::vector<const claim_ledger::entry*>;

std::string number(double value) { return fmt::format("{:.4g}", value); }

std::string with_unit(std::string text, const claim& c) {
  return c.quantity && !c.quantity->unit.empty() ? text + " " + c.quantity->unit : text;
}

/// "lidar" of "lidar_10cm_moved", "kitti_drive" of itself.
std::string cloud_of(std::string word) {
  if (word.ends_with("_moved")) word.resize(word.rfind('_'));
  const std::size_t size = word.rfind('_');
  const bool has_size = size != word.npos && size + 1 < word.size() &&
                        std::isdigit(static_cast<unsigned char>(word[size + 1])) != 0;
  return has_size ? word.substr(0, size) : word;
}

bool rests_on_keys(const claim_result& r) {
  return std::all_of(r.pieces.begin(), r.pieces.end(), [](const claim_result::piece& p) {
    return std::all_of(p.cases.begin(), p.cases.end(),
                       [](const std::string& id) { return id.find("/keys=") != id.npos; });
  });
}

/// The value of that name, created if missing.
template <class Value>
Value& at_name(std::vector<std::pair<std::string, Value>>& list, const std::string& name) {
  const auto known =
      std::find_if(list.begin(), list.end(), [&](const auto& named) { return named.first == name; });
  return known == list.end() ? list.emplace_back(name, Value()).second : known->second;
}

}  // namespace

std::array<std::size_t, claim_verdicts.size()> count_verdicts(const entries& of) {
  std::array<std::size_t, claim_verdicts.size()> out{};
  for (std::size_t v = 0; v < claim_verdicts.size(); ++v)
    out[v] = static_cast<std::size_t>(std::count_if(
        of.begin(), of.end(), [&](const auto* e) { return e->result.verdict == claim_verdicts[v]; }));
  return out;
}

entries all_entries(const claim_ledger& ledger) {
  entries out;
  for (const claim_ledger::entry& e : ledger.entries) out.push_back(&e);
  return out;
}

std::string how_intervals_are_made(const claim_limits& limits) {
  return fmt::format(
      "A figure with a time in it is the mean over the record's launches, with the {:g} % interval of what further "
      "launches give, and no effect below {:g} % counts. Where the record has one launch, the interval is what the "
      "confidence intervals of the medians within it allow, and no effect below {:g} % counts, since the next launch "
      "may differ by as much. A machine's A/A noise floor for such cases counts where it is higher. Counts, "
      "occupancies and counters are taken as exact; a time or cycles that were counted are of one launch.",
      100 * limits.confidence, limits.minimum_pct, limits.one_launch_pct);
}

entries published_entries(const claim_ledger& ledger) {
  entries out;
  for (const claim_ledger::entry& e : ledger.entries)
    if (e.of->document != own_document) out.push_back(&e);
  return out;
}

entries own_entries(const claim_ledger& ledger) {
  entries out;
  for (const claim_ledger::entry& e : ledger.entries)
    if (e.of->document == own_document) out.push_back(&e);
  return out;
}

std::size_t published_statements(const claim_ledger& ledger) {
  std::set<std::pair<std::string, std::string>> out;
  for (const claim_ledger::entry* e : published_entries(ledger)) out.emplace(e->of->document, e->of->section);
  return out.size();
}

std::string counts_text(const claim_ledger& ledger) {
  const auto text_of = [](const entries& of) {
    const auto counts = count_verdicts(of);
    std::string out;
    for (std::size_t v = 0; v < counts.size(); ++v)
      out += fmt::format("{}{} {}", v ? ", " : "", counts[v], name_of(claim_verdicts[v]));
    return out;
  };
  const entries published = published_entries(ledger), own = own_entries(ledger);
  const std::string all = fmt::format("{} claims: ", ledger.entries.size());
  if (published.empty() || own.empty()) return all + text_of(all_entries(ledger));
  const std::size_t statements = published_statements(ledger);
  return all + fmt::format("{} on {} ({}), {} of our own ({})", published.size(),
                           reports::counted_noun(statements, "published statement"), text_of(published),
                           own.size(), text_of(own));
}

std::vector<std::pair<std::string, entries>> by_document(const claim_ledger& ledger) {
  std::vector<std::pair<std::string, entries>> out;
  for (const claim_ledger::entry& e : ledger.entries) at_name(out, e.of->document).push_back(&e);
  return out;
}

std::string figures_file(const claim& c) { return "claims/" + reports::slug(c.list) + ".md"; }

std::string device_text(const claim_ledger& ledger) {
  const claim_evidence& first = *ledger.records.front();
  return first.facts.device_name + (first.chip == first.facts.device_name ? "" : " (" + first.chip + ")");
}

std::vector<std::string> inputs_of(const claim_result& r) {
  std::vector<std::string> out;
  for (const claim_result::piece& p : r.pieces)
    for (const std::string& id : p.cases)
      for (const std::string_view axis : {"/distribution=", "/scene=", "/keys="}) {
        const std::size_t at = id.find(axis);
        if (at == id.npos) continue;
        const std::size_t begin = at + axis.size();
        const std::string word = cloud_of(id.substr(begin, id.find('/', begin) - begin));
        if (std::find(out.begin(), out.end(), word) == out.end()) out.push_back(word);
      }
  return out;
}

std::string marks_of(const claim_result& r) {
  if (r.verdict == claim_verdict::not_measured) return "";
  std::string out = r.launches > 0 ? launches_text(r.launches) : "";
  const std::vector<std::string> inputs = inputs_of(r);
  if (inputs.size() != 1) return out;
  return fmt::format("{}{}one {} ({})", out, out.empty() ? "" : ", ",
                     rests_on_keys(r) ? "set of keys" : "cloud", inputs.front());
}

std::string verdict_text(const claim_result& r) {
  const std::string marks = marks_of(r);
  return std::string(name_of(r.verdict)) + (marks.empty() ? "" : ", " + marks);
}

std::string measured_day(const claim_ledger::entry& e) {
  if (!e.record || e.result.pieces.empty()) return "-";
  return e.record->facts.date.substr(0, e.record->facts.date.find('T'));
}

std::string measured_text(const claim_ledger::entry& e) {
  const std::string day = measured_day(e);
  return day != "-" && day < e.of->registered ? day + ", before it was written down" : day;
}

std::string figure_number(const claim& c, const claim_figure& f) { return with_unit(number(f.value), c); }

std::string interval_text(const claim_figure& f) {
  return f.low < f.high ? fmt::format("{} to {}", number(f.low), number(f.high)) : "exact";
}

std::string figure_text(const claim& c, const claim_result& r) {
  if (!r.figure) return "-";
  if (r.pieces.size() == 1) {
    const claim_figure& f = r.pieces.front().figure;
    return with_unit(
        number(f.value) + (f.low < f.high ? fmt::format(" [{}, {}]", number(f.low), number(f.high)) : ""), c);
  }
  const auto [low, high] =
      std::minmax_element(r.pieces.begin(), r.pieces.end(),
                          [](const auto& a, const auto& b) { return a.figure.value < b.figure.value; });
  if (number(low->figure.value) == number(high->figure.value))
    return with_unit(number(low->figure.value), c) + fmt::format(" in all {}", r.pieces.size());
  return with_unit(fmt::format("{} to {}, median {}", number(low->figure.value), number(high->figure.value),
                               number(r.figure->value)),
                   c);
}

std::string bounds_text(const std::optional<claim_bounds>& bounds) {
  if (!bounds) return "-";
  if (!bounds->at_most) return "at least " + number(*bounds->at_least);
  if (!bounds->at_least) return "at most " + number(*bounds->at_most);
  if (*bounds->at_least == *bounds->at_most) return number(*bounds->at_least);
  return fmt::format("{} to {}", number(*bounds->at_least), number(*bounds->at_most));
}

std::string prediction_word(claim_verdict verdict) {
  switch (verdict) {
    case claim_verdict::reproduced:
      return "as predicted";
    case claim_verdict::refuted:
      return "not as predicted";
    case claim_verdict::inconclusive:
      return "in part";
    case claim_verdict::not_measured:
      break;
  }
  return "open";
}

std::string prediction_text(const claim& c, const claim_result& r) {
  if (!c.prediction) return "-";
  return bounds_text(c.prediction) + (r.prediction ? ": " + prediction_word(*r.prediction) : "");
}

std::vector<std::pair<std::string, std::vector<std::string>>> missing_by_reason(const claim_result& r) {
  std::vector<std::pair<std::string, std::vector<std::string>>> out;
  for (const auto& [id, reason] : r.missing) at_name(out, reason).push_back(id);
  return out;
}

}  // namespace ablate
