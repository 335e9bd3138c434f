#include "base/record/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "base/record/old_selection.h"
#include "base/text/bad_input.h"
#include "base/text/names.h"
#include "base/text/number_spelling.h"
#include "base/text/regular_expression.h"
#include "base/text/text.h"

namespace ablate {
namespace {

using words = std::vector<std::string>;

constexpr const char *operation_name = "operation", *variant_name = "variant", *cache_name = "cache";
/// What `all` means on an axis of integers.
constexpr const char* everything = "0";

bool is_among(const words& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

void add_once(words& to, const std::string& one) {
  if (!is_among(to, one)) to.push_back(one);
}

bool is_integer(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Whether sizes may be compared with it.
bool is_size(std::string_view text) {
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// An integer without leading zeros, of any length; another word as it is.
std::string number_text(std::string_view word) {
  if (!is_integer(word)) return std::string(word);
  const bool is_negative = word.starts_with('-');
  if (is_negative) word.remove_prefix(1);
  word.remove_prefix(std::min(word.find_first_not_of('0'), word.size() - 1));
  return (is_negative && word != "0" ? "-" : "") + std::string(word);
}

words pieces_of(std::string_view text, char between) {
  words out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(between), text.size());
    if (end > 0) out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

/// What an error calls it: "cache state", "value of axis 'points'".
std::string kind_of(const std::string& name) {
  if (name == operation_name || name == variant_name) return name;
  return name == cache_name ? "cache state" : fmt::format("value of axis '{}'", name);
}

/// The word that a case has for a name; null without one.
const std::string* word_of(const case_words& c, const std::string& name) {
  if (name == operation_name) return &c.operation;
  if (name == variant_name) return &c.variant;
  if (name == cache_name) return &c.cache;
  return find_word(c.axes, name);
}

bool is_id(const std::string& word, const std::vector<case_words>& cases) {
  return std::any_of(cases.begin(), cases.end(), [&](const case_words& c) { return c.id == word; });
}

}  // namespace

std::vector<case_words> all_case_words(const record& from) {
  std::vector<case_words> out;
  for (const measured_case& c : from.cases) out.push_back(case_words_of(c));
  for (const unmeasured_case& c : from.unmeasured) out.push_back(case_words_of(c));
  return out;
}

std::string text_of(const selection_term& term) {
  return term.name + "=" + reports::joined(term.values, ",");
}

selection_term written_term(const std::string& word, const std::string& place) {
  const std::size_t equals = word.find('=');
  selection_term out{canonical_name(word.substr(0, equals)), {}};
  if (equals != std::string::npos)
    for (const std::string& value : pieces_of(std::string_view(word).substr(equals + 1), ','))
      add_once(out.values, value);
  if (out.name.empty() || out.values.empty())
    throw bad_input(place, "", fmt::format("expected AXIS=VALUE[,VALUE...], found '{}'", word));
  return out;
}

std::string canonical_name(const std::string& name) {
  if (name == "variants") return variant_name;
  return name == "cache_state" ? cache_name : name;
}

bool is_same_value(std::string_view a, std::string_view b) {
  if (a == b) return true;
  if (is_integer(a) && is_integer(b)) return number_text(a) == number_text(b);  // of any length
  const auto one = number_in(a), other = number_in(b);
  return one && other && *one == *other;
}

words selection_words(std::string_view text) {
  words out;
  bool is_open = false, is_quoted = false;
  for (const char c : text) {
    if (c == '"') {
      is_quoted = !is_quoted;
    } else if (!is_quoted && std::string_view(" \t\n\r\f\v").find(c) != std::string_view::npos) {
      is_open = false;
    } else {
      if (!is_open) out.emplace_back();
      is_open = true;
      out.back() += c;
    }
  }
  return out;
}

case_vocabulary::case_vocabulary(const std::vector<case_words>& cases) {
  std::map<std::string, std::size_t> places;
  std::set<std::pair<std::size_t, std::string>> seen;
  const auto add = [&](const std::string& name, const std::string& value) {
    const auto [at, is_new] = places.try_emplace(name, values_.size());
    if (is_new) values_.emplace_back(name, words());
    if (seen.emplace(at->second, value).second) values_[at->second].second.push_back(value);
  };
  for (const case_words& c : cases)
    for (const auto& [axis, value] : c.axes) add(axis, value);
  for (const char* name : {operation_name, variant_name, cache_name})
    for (const case_words& c : cases) add(name, *word_of(c, name));
}

words case_vocabulary::names() const {
  words out;
  for (const auto& [name, values] : values_) out.push_back(name);
  return out;
}

const words& case_vocabulary::values(const std::string& name) const {
  static const words none;
  for (const auto& [known, values] : values_)
    if (known == name) return values;
  return none;
}

bool case_vocabulary::is_of_integers(const std::string& name) const {
  const words& known = values(name);
  return name != operation_name && name != variant_name && name != cache_name && !known.empty() &&
         std::all_of(known.begin(), known.end(), is_size);
}

selection_term case_vocabulary::term(const std::string& word, const std::string& place, sizes allowed) const {
  selection_term out = written_term(word, place);
  const words& known = values(out.name);
  if (known.empty()) throw bad_input(place, "", no_such("axis", out.name, names()));
  const std::string whole = word.substr(word.find('=') + 1);
  if (is_among(known, whole)) {
    out.values = {whole};
    return out;
  }
  words values;
  for (const std::string& written : out.values) {
    const std::string& value = is_of_integers(out.name) && written == "all" ? everything : written;
    const auto same =
        std::find_if(known.begin(), known.end(), [&](const auto& one) { return is_same_value(one, value); });
    if (same != known.end())
      add_once(values, *same);
    else if (!is_of_integers(out.name) || allowed == sizes::measured)
      throw bad_input(place, "", no_such(kind_of(out.name), value, known));
    else if (is_size(value))
      add_once(values, number_text(value));
    else
      throw bad_input(place, "",
                      fmt::format("expected an integer as value of axis '{}', found '{}'", out.name, value));
  }
  out.values = std::move(values);
  return out;
}

bool case_vocabulary::has_term(const std::string& word) const {
  if (word.find('=') == std::string::npos) return false;
  try {
    term(word, "");
  } catch (const bad_input&) {
    return false;
  }
  return true;
}

void refuse_repeated(const std::vector<selection_term>& terms, const std::string& place) {
  for (std::size_t i = 0; i < terms.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (terms[i].name == terms[j].name)
        throw bad_input(place, "",
                        fmt::format("'{}' is given twice; expected its values together, separated by commas",
                                    terms[i].name));
}

bool has_value(const case_words& c, const selection_term& term) {
  const std::string* word = word_of(c, term.name);
  return word && std::any_of(term.values.begin(), term.values.end(),
                             [&](const std::string& value) { return is_same_value(value, *word); });
}

std::string why_none_has(const std::vector<selection_term>& terms, const std::vector<case_words>& cases) {
  words texts;
  for (const selection_term& term : terms) texts.push_back(text_of(term));
  std::string out = fmt::format("no case has {}", reports::joined(texts, " and "));
  for (const selection_term& left_out : terms) {
    std::vector<case_words> others = cases;
    for (const selection_term& term : terms)
      if (&term != &left_out) std::erase_if(others, [&](const case_words& c) { return !has_value(c, term); });
    if (others.empty()) continue;
    words there;
    for (const case_words& c : others)
      if (const std::string* word = word_of(c, left_out.name)) add_once(there, *word);
    return out + (there.empty() ? fmt::format("; the others have no axis '{}'", left_out.name)
                                : fmt::format("; {}{} is {}", terms.size() > 1 ? "with the others, " : "",
                                              left_out.name, reports::joined(there, " or ")));
  }
  return out;
}

selection::selection(const words& given, const std::vector<case_words>& cases, const std::string& place) {
  const case_vocabulary known(cases);
  try {
    for (const std::string& word : given) add(word, cases, known, place);
  } catch (const bad_input&) {
    const auto ids = ids_by_old_names(given, cases);
    if (!ids) throw;
    terms_.clear();
    parts_.clear();
    ids_ = ids->empty() ? given : *ids;  // words are no case's id: they select nothing
  }
  refuse_repeated(terms_, place);
}

void selection::add(const std::string& word, const std::vector<case_words>& cases,
                    const case_vocabulary& known, const std::string& place) {
  if (is_id(word, cases)) {
    ids_.push_back(word);
  } else if (known.has_term(word)) {
    terms_.push_back(known.term(word, place));
  } else if (const part whole = part_of(word); is_any_part(whole, cases)) {
    parts_.push_back(whole);
  } else if (const words pieces = pieces_of(word, '/'); pieces.size() > 1 || word.ends_with("/")) {
    for (const std::string& piece : pieces) add(piece, cases, known, place);
  } else if (word.find('=') != std::string::npos) {
    known.term(word, place);  // says what is wrong with it
  } else {
    refuse_part(word, cases, place);
  }
}

void selection::refuse_part(const std::string& word, const std::vector<case_words>& cases,
                            const std::string& place) {
  words known;
  for (const case_words& c : cases) {
    if (word.starts_with("@")) {
      add_once(known, "@" + c.cache);
      continue;
    }
    for (const std::string* one : {&c.operation, &c.variant, &c.cache}) add_once(known, *one);
    for (const auto& [axis, value] : c.axes) add_once(known, value);
  }
  throw bad_input(
      place, "",
      fmt::format("no case is or has '{}'{}; expected an id, AXIS=VALUE, or an operation, variant, "
                  "value or cache state in full",
                  word, did_you_mean(word, known)));
}

selection::part selection::part_of(const std::string& word) {
  return word.starts_with("@") ? part{word.substr(1), true} : part{word, false};
}

bool selection::is_any_part(const part& one, const std::vector<case_words>& cases) {
  return std::any_of(cases.begin(), cases.end(), [&](const case_words& c) { return has_part(c, one); });
}

bool selection::has_part(const case_words& c, const part& one) {
  if (c.cache == one.word || one.is_cache) return c.cache == one.word;
  return c.operation == one.word || c.variant == one.word ||
         std::any_of(c.axes.begin(), c.axes.end(),
                     [&](const auto& axis) { return is_same_value(axis.second, one.word); });
}

bool selection::selects(const case_words& c) const {
  return (ids_.empty() || is_among(ids_, c.id)) &&
         std::all_of(terms_.begin(), terms_.end(), [&](const auto& term) { return has_value(c, term); }) &&
         std::all_of(parts_.begin(), parts_.end(), [&](const part& one) { return has_part(c, one); });
}

std::string selection::why_none(const std::vector<case_words>& cases) const {
  if (ids_.empty() && parts_.empty()) return why_none_has(terms_, cases);
  words all = ids_;
  for (const selection_term& term : terms_) all.push_back(text_of(term));
  for (const part& one : parts_) all.push_back(one.word);
  return "no case has " + reports::joined(all, " and ");
}

namespace {

/// The terms of a text, or nothing if it is an expression.
words terms_in(const std::string& text) {
  words out;
  if (text.find_first_of("^$\\*?()[]{}|") != std::string::npos) return {};
  for (const std::string& word : selection_words(text)) {
    const words pieces = pieces_of(word, '/');
    for (const std::string& piece : pieces)
      if (const std::size_t equals = piece.find('='); equals == 0 || equals == std::string::npos) return {};
    out.push_back(word);
  }
  return out;
}

std::variant<selection, std::regex> way_of(const std::string& text, const std::vector<case_words>& cases,
                                           const std::string& option) {
  if (case_filter::is_selection(text)) return selection(terms_in(text), cases, option);
  return regular_expression(text, option);
}

}  // namespace

bool case_filter::is_selection(const std::string& text) { return !terms_in(text).empty(); }

case_filter::case_filter(const std::string& text, const std::vector<case_words>& cases,
                         const std::string& option)
    : way_(way_of(text, cases, option)) {}

bool case_filter::holds(const case_words& c) const {
  if (const auto* chosen = std::get_if<selection>(&way_)) return chosen->selects(c);
  return std::regex_search(c.id, std::get<std::regex>(way_));
}

}  // namespace ablate
