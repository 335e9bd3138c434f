#include "reports/quotes/prose.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace ablate::reports {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\n'; }
bool is_wrapping(char c) { return is_space(c) || c == '*' || c == '('; }

bool begins_item(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] == ' ') ++at;
  if (at >= text.size() || text[at] == '\n' || text[at] == '|' || text[at] == '#') return true;
  if (text.substr(at, 2) == "- ") return true;
  const std::size_t digits = at;
  while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0) ++at;
  return at > digits && text.substr(at, 2) == ". ";
}

/// Whether a sentence or a table's cell ends after the byte.
bool ends_sentence(std::string_view text, std::size_t at) {
  const char c = text[at];
  if (c == '|') return true;
  if (c == '\n') return begins_item(text, at + 1);
  if (c != '.' && c != '!' && c != '?') return false;
  std::size_t next = at + 1;
  while (next < text.size() && (text[next] == '*' || text[next] == ')' || text[next] == '"')) ++next;
  if (next >= text.size() || !is_space(text[next])) return false;
  while (next < text.size() && is_wrapping(text[next])) ++next;
  return next >= text.size() || std::islower(static_cast<unsigned char>(text[next])) == 0;
}

class claim_finder {
 public:
  claim_finder(const std::string& text, const std::vector<figure_in_text>& figures,
               const std::vector<bool>& is_excused)
      : text_(text), figures_(figures), is_excused_(is_excused), lower_(text) {
    for (char& c : lower_) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }

  std::vector<prose_fault> faults() {
    for (std::size_t i = 0; i < figures_.size(); ++i) {
      hold_extreme(figures_[i]);
      if (i > 0) hold_range(figures_[i - 1], figures_[i]);
    }
    for (std::size_t begin = 0; begin < text_.size();) {
      std::size_t end = begin;
      while (end < text_.size() && !ends_sentence(text_, end)) ++end;
      hold_sentence(begin, end);
      begin = end + 1;
    }
    return std::move(out_);
  }

 private:
  static bool has(const figure_in_text& figure, const char* key, const char* value) {
    const auto found = figure.query.find(key);
    return found != figure.query.end() && found->second == value;
  }

  /// The best of every variant that the record has; of some that the mark names, it says nothing of the
  /// others.
  static bool is_best_of_all(const quote_query& query, const std::string& side) {
    return query.contains(side + "best") && !query.contains(side + "variant") &&
           !query.contains(side + "rival");
  }

  /// Whether the text before `at` ends with these words, each before one space or line break.
  bool follows(std::size_t at, std::string_view words) const {
    while (at > 0 && is_wrapping(text_[at - 1])) --at;
    for (; !words.empty(); words.remove_suffix(1), --at)
      if (at == 0 || (is_space(words.back()) ? !is_space(lower_[at - 1]) : lower_[at - 1] != words.back()))
        return false;
    return at == 0 || !is_word(text_[at - 1]);
  }

  void hold_extreme(const figure_in_text& figure) {
    if (has(figure, "named", "yes")) return;
    if (follows(figure.begin, "up to") && !has(figure, "aggregate", "max"))
      out_.push_back({figure.begin, "'up to' needs the figures of several cases: max, with n= and median="});
    if (follows(figure.begin, "down to") && !has(figure, "aggregate", "min"))
      out_.push_back(
          {figure.begin, "'down to' needs the figures of several cases: min, with n= and median="});
  }

  void hold_range(const figure_in_text& a, const figure_in_text& b) {
    if (has(b, "named", "yes") || (has(a, "aggregate", "min") && has(b, "aggregate", "max")) ||
        b.begin < a.end || b.begin - a.end > 24)
      return;
    const std::string between = lower_.substr(a.end, b.begin - a.end);
    if (between.find_first_of(".,;:|0123456789") != between.npos) return;
    std::string last = between;
    while (!last.empty() && is_wrapping(last.back())) last.pop_back();
    if (last.ends_with("up to") || last.ends_with("up\nto")) return;
    if (between == "–" || between == "-" ||
        (last.size() >= 3 && last.ends_with("to") && is_space(last[last.size() - 3])))
      out_.push_back(
          {b.begin,
           "'A to B' needs the figures of several cases: one mark with range, or min and max, with n= and median=; "
           "or `named` at the second of two figures that the sentence or their file names"});
  }

  void hold_sentence(std::size_t begin, std::size_t end) {
    const auto is_held = [&](auto holds) {
      return std::any_of(figures_.begin(), figures_.end(), [&](const figure_in_text& figure) {
        return figure.begin >= begin && figure.begin <= end && holds(figure);
      });
    };
    const std::size_t fastest = word_at("fastest", begin, end);
    if (fastest < end && !is_held([](const figure_in_text& f) {
          return f.query.contains("fastest") || f.query.contains("leads") || is_best_of_all(f.query, "") ||
                 is_best_of_all(f.query, "/");
        }))
      out_.push_back(
          {fastest, "'fastest' needs a mark in its sentence with fastest, leads= or best= of all variants"});
    const std::size_t leads = std::min(word_at("leads", begin, end), word_at("lead", begin, end));
    const std::size_t from = word_at("from", leads, end), on = word_at("on", from, end);
    if (leads < from && from < on && on < end &&
        std::any_of(text_.begin() + static_cast<std::ptrdiff_t>(from),
                    text_.begin() + static_cast<std::ptrdiff_t>(on),
                    [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }) &&
        !is_held([](const figure_in_text& f) { return f.query.contains("leads"); }))
      out_.push_back({leads, "'leads from N on' needs a number with leads=AXIS"});
  }

  /// Where the word is that is not excused; `end` if it is nowhere.
  std::size_t word_at(std::string_view word, std::size_t begin, std::size_t end) const {
    const std::string_view until_end = std::string_view(lower_).substr(0, end);
    for (std::size_t at = until_end.find(word, begin); at < end; at = until_end.find(word, at + 1)) {
      const std::size_t behind = at + word.size();
      if ((at == 0 || !is_word(text_[at - 1])) && (behind >= text_.size() || !is_word(text_[behind])) &&
          !is_excused_[at])
        return at;
    }
    return end;
  }

  const std::string& text_;
  const std::vector<figure_in_text>& figures_;
  const std::vector<bool>& is_excused_;
  std::string lower_;
  std::vector<prose_fault> out_;
};

}  // namespace

std::vector<prose_fault> unheld_claims(const std::string& text, const std::vector<figure_in_text>& figures,
                                       const std::vector<bool>& is_excused) {
  return claim_finder(text, figures, is_excused).faults();
}

}  // namespace ablate::reports
