#include "reports/quotes/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/text/bad_input.h"
#include "base/text/text_file.h"
#include "reports/quotes/ledger_rows.h"
#include "reports/quotes/marked_text.h"
#include "reports/quotes/prose.h"

namespace ablate::reports {
namespace {

constexpr std::string_view no_case = "–";

/// Runs of space as one space each, with where each byte was. Line breaks are spaces.
struct even_text {
  std::string text;
  std::vector<std::size_t> origin;

  void add(char c, std::size_t from) {
    const bool is_space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (is_space && !text.empty() && text.back() == ' ') return;
    text += is_space ? ' ' : c;
    origin.push_back(from);
  }
};

struct span {
  std::size_t begin, end;
};

/// Where a table's cells are in a line, without the space around them.
std::vector<span> cells_of(const std::string& text, span line) {
  std::vector<span> out;
  std::size_t begin = line.begin + 1;
  for (std::size_t at = begin; at < line.end; ++at) {
    if (text[at] != '|' || text[at - 1] == '\\') continue;
    span cell{begin, at};
    while (cell.begin < cell.end && text[cell.begin] == ' ') ++cell.begin;
    while (cell.end > cell.begin && text[cell.end - 1] == ' ') --cell.end;
    out.push_back(cell);
    begin = at + 1;
  }
  return out;
}

class document_reader {
 public:
  document_reader(const std::string& markdown, const std::filesystem::path& path, quote_sources& sources)
      : sources_(sources),
        folder_(path.parent_path()),
        name_(path.string()),
        text_(read_marked_text(markdown)) {
    for (const std::size_t at : text_.unclosed) add_fault(source_line(at), "a comment without an end");
    numbers_ = numbers_alone(text_.shown);
  }

  quoted_document read() {
    read_ledger_line();
    const std::vector<span> lines = lines_of_shown();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (is_table(lines, i)) {
        i = read_table(lines, i);
        continue;
      }
      read_heading(lines[i]);
      for (const quote_comment& comment : comments_in(lines[i])) read_comment(comment);
    }
    hold_rest();
    return finish();
  }

 private:
  // --- places ---

  std::size_t source_line(std::size_t at) const {
    const auto end = text_.source.begin() + static_cast<std::ptrdiff_t>(at);
    return 1 + static_cast<std::size_t>(std::count(text_.source.begin(), end, '\n'));
  }
  void add_fault(std::size_t line, std::string says) { out_.faults.push_back({line, std::move(says)}); }
  /// What is said of a mark, at its own line.
  void add_fault(const quote_comment& mark, const std::string& says) {
    add_fault(source_line(mark.begin), says);
  }

  std::vector<span> lines_of_shown() const {
    std::vector<span> out;
    const std::string& shown = text_.shown;
    for (std::size_t at = 0; at <= shown.size();) {
      const std::size_t end = std::min(shown.find('\n', at), shown.size());
      out.push_back({at, end});
      at = end + 1;
    }
    return out;
  }

  std::vector<quote_comment> comments_in(span line) {
    std::vector<quote_comment> out;
    while (next_comment_ < text_.comments.size() && text_.comments[next_comment_].shown_at <= line.end)
      out.push_back(text_.comments[next_comment_++]);
    return out;
  }

  bool begins(span line, std::string_view with) const {
    return line.end - line.begin >= with.size() && text_.shown.compare(line.begin, with.size(), with) == 0;
  }
  bool is_code(span line) const { return line.begin < line.end && numbers_[line.begin] == '\x01'; }

  // --- defaults ---

  void read_heading(span line) {
    std::size_t level = 0;
    while (line.begin + level < line.end && numbers_[line.begin + level] == '#') ++level;
    if (level == 0) return;
    while (!sections_.empty() && sections_.back().first >= level) sections_.pop_back();
    level_ = level;
    previous_.reset();
  }

  quote_query defaults() const { return sections_.empty() ? quote_query() : sections_.back().second; }

  void read_comment(const quote_comment& comment) {
    switch (comment.kind) {
      case quote_comment::kinds::mark:
        return read_mark_in_prose(comment);
      case quote_comment::kinds::defaults:
        return read_defaults(comment);
      case quote_comment::kinds::not_measured:
        return read_phrases(comment);
    }
  }

  /// Lines that begin with @NAME give names; the words of the others are defaults.
  void read_defaults(const quote_comment& comment) try {
    std::vector<std::string> words;
    for (std::size_t at = 0; at <= comment.body.size();) {
      const std::size_t end = std::min(comment.body.find('\n', at), comment.body.size());
      std::vector<std::string> of_line = split_words(comment.body.substr(at, end - at));
      at = end + 1;
      if (!of_line.empty() && of_line.front().front() == '@') {
        const std::string name = of_line.front().substr(1);
        of_line.erase(of_line.begin());
        read_mark(of_line, names_);  // refuses what says nothing, and a name within itself
        names_[name] = of_line;
        continue;
      }
      for (const std::string& word : of_line)
        if (word.starts_with("records="))
          records_ = folder_ / word.substr(8);
        else if (word.starts_with("ledger="))
          ledger_ = word.substr(7);
        else
          words.push_back(word);
    }
    sections_.emplace_back(level_, changed(defaults(), read_mark(words, names_)));
  } catch (const std::invalid_argument& why) {
    add_fault(comment, why.what());
  }

  /// The first line says why, in words; each of the others is a phrase of the document.
  void read_phrases(const quote_comment& comment) {
    const std::size_t line = source_line(comment.begin);
    const std::size_t reason = std::min(comment.body.find('\n'), comment.body.size());
    const std::string why = comment.body.substr(0, reason);
    if (why.find_first_of("abcdefghijklmnopqrstuvwxyz") == why.npos)
      add_fault(comment, "expected <!--not measured: WHY, and a phrase of the document on each line");
    std::size_t n = line + 1;
    for (std::size_t at = reason + 1; at < comment.body.size(); ++n) {
      const std::size_t end = std::min(comment.body.find('\n', at), comment.body.size());
      if (end > at) phrases_.emplace_back(n, comment.body.substr(at, end - at));
      at = end + 1;
    }
  }

  // --- figures ---

  struct number {
    std::string found;  ///< with its sign
    span at;            ///< with its sign
    bool is_found = false;
  };

  /// The number that begins there, with a sign before it.
  number number_at(std::size_t at) const {
    std::size_t digits = at;
    std::string sign;
    if (numbers_.compare(at, 3, "−") == 0 && next_number(numbers_, at + 3, numbers_.size()).begin == at + 3) {
      digits = at + 3;
      sign = "-";
    } else if (numbers_.compare(at, 1, "-") == 0) {
      digits = at + 1;
      sign = "-";
    }
    if (digits >= numbers_.size() || !is_digit(numbers_[digits])) return {};
    const number_span span_of_number = next_number(numbers_, digits, numbers_.size());
    return {
        sign + even(text_.shown.substr(digits, span_of_number.end - digits)), {at, span_of_number.end}, true};
  }

  static std::string even(std::string number) {
    std::replace(number.begin(), number.end(), '\n', ' ');
    return number;
  }

  /// The number after `from` that "to" leads to.
  number upper_number(std::size_t from) const {
    const number_span next = next_number(numbers_, from, std::min(from + 30, numbers_.size()));
    if (!next.is_found()) return {};
    std::string between = numbers_.substr(from, next.begin - from);
    std::replace(between.begin(), between.end(), '\n', ' ');
    if (between.find_first_of(".,;:|") != between.npos) return {};
    const bool leads = between == "–" || between.find(" to ") != between.npos;
    return leads ? number_at(next.begin) : number();
  }

  void edit(span at, const std::string& with) {
    edits_.push_back({{text_.origin[at.begin], text_.origin[at.end - 1] + 1}, with});
  }

  void read_mark_in_prose(const quote_comment& mark) try {
    const mark_words words = read_mark(split_words(mark.body), names_);
    if (words.continues && !previous_) throw std::invalid_argument("'^': this section has no mark before");
    const quote_query query = changed(words.continues ? without_judgement(*previous_) : defaults(), words);
    previous_ = query;
    const number found = number_at(mark.shown_at);
    if (!found.is_found && query.contains("fastest")) {
      expect_fastest(query, records(), sources_);
      figures_.push_back({mark.shown_at, mark.shown_at, query});
      out_.marks.push_back({source_line(mark.begin), "fastest", "fastest", text_of(query)});
      return;
    }
    if (!found.is_found) throw std::invalid_argument("no number follows the mark");
    if (!hold(mark, query, found))
      throw std::invalid_argument("the record has no such case: " + text_of(query));
  } catch (const std::invalid_argument& why) {
    refuse(mark, why.what());
  } catch (const bad_input& why) {
    refuse(mark, why.what());
  }

  /// A mark at fault is that fault alone: neither does nothing hold its number, nor does its sentence lack a
  /// mark.
  void refuse(const quote_comment& mark, const std::string& why) {
    add_fault(mark, why);
    const number found = number_at(mark.shown_at);
    if (found.is_found) held_.push_back(found.at);
    if (previous_)
      figures_.push_back({mark.shown_at, found.is_found ? found.at.end : mark.shown_at, *previous_});
  }

  const std::filesystem::path& records() const { return records_; }

  /// Holds a number against its query; false where the record has no such case. `mark` is where the query is
  /// from.
  bool hold(const quote_comment& mark, const quote_query& query, const number& found,
            std::optional<quoted_figure>* given = nullptr) {
    const std::optional<quoted_figure> figure = reports::figure_of(query, records(), sources_);
    if (given) *given = figure;
    if (!figure) return false;
    span at = found.at;
    std::string shown = found.found, expected = figure->text;
    bool is_same = hold_number(found, figure->text);
    if (!figure->upper.empty()) {
      const number upper = upper_number(found.at.end);
      if (!upper.is_found) throw std::invalid_argument("range: expected 'A to B' after the mark");
      is_same &= hold_number(upper, figure->upper);
      shown += " to " + upper.found;
      expected += " to " + figure->upper;
      at.end = upper.at.end;
    }
    const std::size_t line = text_.line_of(found.at.begin);
    if (!is_same)
      add_fault(line, fmt::format(
                          "found {}, expected {}: write the record's figure (--write), or mend the mark: {}",
                          shown, expected, text_of(query)));
    hold_judgement(mark, query, *figure);
    figures_.push_back({found.at.begin, at.end, query});
    out_.marks.push_back({line, shown, expected, text_of(query)});
    expect_fastest(query, records(), sources_);
    return true;
  }

  bool hold_number(const number& found, const std::string& expected) {
    held_.push_back(found.at);
    if (found.found == expected) return true;
    edit(found.at, expected);
    return false;
  }

  /// The count and the median that a mark states, where its figure is of several cases.
  void hold_judgement(const quote_comment& mark, const quote_query& query, const quoted_figure& figure) {
    if (figure.count.empty()) return;
    for (const auto& [key, expected] : {std::pair<std::string, std::string>("n", figure.count),
                                        std::pair<std::string, std::string>("median", figure.median)}) {
      const auto found = query.find(key);
      const std::string value = found == query.end() ? "" : found->second;
      if (value == expected) continue;
      add_fault(mark,
                fmt::format("found {}={}, expected {}={}: the figure is of several cases (--write writes it)",
                            key, value.empty() ? "nothing" : value, key, expected));
      if (value.empty()) continue;
      for (const char* before : {" ", "\n"}) {
        const std::string written = before + key + "=" + value, with = before + key + "=" + expected;
        if (const std::size_t at = text_.source.find(written, mark.begin); at < mark.end)
          edits_.push_back({{at, at + written.size()}, with});
      }
    }
  }

  // --- tables ---

  bool is_table(const std::vector<span>& lines, std::size_t i) const {
    return i + 1 < lines.size() && begins(lines[i], "|") && !is_code(lines[i]) &&
           (begins(lines[i + 1], "| -") || begins(lines[i + 1], "|-"));
  }

  struct column {
    std::vector<quote_comment> marks;
    std::vector<mark_words> words;
  };

  static std::vector<quote_comment> marks_in(const std::vector<quote_comment>& comments, span cell) {
    std::vector<quote_comment> out;
    for (const quote_comment& c : comments)
      if (c.kind == quote_comment::kinds::mark && c.shown_at >= cell.begin && c.shown_at <= cell.end)
        out.push_back(c);
    return out;
  }

  std::size_t read_table(const std::vector<span>& lines, std::size_t header) {
    previous_.reset();
    last_in_cells_.reset();
    const std::vector<quote_comment> comments = comments_in(lines[header]);
    const std::vector<span> cells = cells_of(text_.shown, lines[header]);
    quote_query of_table = defaults();
    std::vector<column> columns(cells.size());
    std::optional<mark_words> before;
    for (std::size_t i = 0; i < cells.size(); ++i)
      for (const quote_comment& mark : marks_in(comments, cells[i])) {
        mark_words words = words_in_table(mark);
        if (i == 0) {
          of_table = changed(of_table, words);
          continue;
        }
        if (words.continues) {
          if (!before) add_fault(mark, "'^': the header has no mark before");
          std::vector<mark_words::change> all = before ? before->changes : std::vector<mark_words::change>();
          all.insert(all.end(), words.changes.begin(), words.changes.end());
          words.changes = all;
        }
        before = words;
        columns[i].marks.push_back(mark);
        columns[i].words.push_back(words);
      }
    comments_in(lines[header + 1]);
    std::size_t row = header + 2;
    std::set<std::string> labels;
    for (; row < lines.size() && begins(lines[row], "|"); ++row) {
      const std::string label = label_of(lines[row]);
      const bool has_digit = std::any_of(label.begin(), label.end(), is_digit);
      if (read_row(lines[row], of_table, columns) && has_digit && !labels.insert(label).second)
        add_fault(text_.line_of(lines[row].begin), "another row of figures has this label: " + label);
    }
    return row - 1;
  }

  mark_words words_in_table(const quote_comment& mark) try {
    for (std::size_t at = mark.body.find('|'); at != mark.body.npos; at = mark.body.find('|', at + 1))
      if (at == 0 || mark.body[at - 1] != '\\')
        throw std::invalid_argument("in a table, a mark needs \\| for each |");
    return read_mark(split_words(mark.body), names_);
  } catch (const std::invalid_argument& why) {
    add_fault(mark, why.what());
    return {};
  }

  std::string label_of(span line) const {
    const std::vector<span> cells = cells_of(text_.shown, line);
    return cells.empty() ? "" : text_.shown.substr(cells[0].begin, cells[0].end - cells[0].begin);
  }

  /// Whether marks hold the row.
  bool read_row(span line, const quote_query& of_table, const std::vector<column>& columns) {
    const std::vector<quote_comment> comments = comments_in(line);
    const std::vector<span> cells = cells_of(text_.shown, line);
    quote_query of_row = of_table;
    std::size_t figures = 0, marked = 0, best = cells.size();
    double best_value = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::vector<quote_comment> marks = marks_in(comments, cells[i]);
      if (i == 0) {
        for (const quote_comment& mark : marks) of_row = changed(of_row, words_in_table(mark));
        continue;
      }
      const column none;
      const column& of_column = i < columns.size() ? columns[i] : none;
      if (marks.empty() && of_column.marks.empty()) continue;
      ++marked;
      const std::optional<double> value = read_cell(cells[i], of_row, of_column, marks);
      if (!value) continue;
      ++figures;
      const auto bold = of_row.find("bold");
      if (best == cells.size() ||
          (bold != of_row.end() && (bold->second == "lowest" ? *value < best_value : *value > best_value))) {
        best = i;
        best_value = *value;
      }
    }
    if (marked > 0 && figures == 0)
      add_fault(text_.line_of(line.begin), "the record has none of this row's cases");
    if (figures > 0 && of_row.contains("bold")) hold_bold(cells, best);
    return marked > 0;
  }

  void hold_bold(const std::vector<span>& cells, std::size_t best) {
    for (std::size_t i = 1; i < cells.size(); ++i) {
      const std::string cell = text_.shown.substr(cells[i].begin, cells[i].end - cells[i].begin);
      if (cell.starts_with("**") == (i == best)) continue;
      add_fault(text_.line_of(cells[i].begin), fmt::format("found {}, expected it {}: the row's best is bold",
                                                           cell, i == best ? "bold" : "plain"));
      if (i == best) {
        inserts_.push_back({text_.origin[cells[i].begin], "**"});
        inserts_.push_back({text_.origin[cells[i].end - 1] + 1, "**"});
      } else if (cell.size() > 4) {
        edit({cells[i].begin, cells[i].begin + 2}, "");
        edit({cells[i].end - 2, cells[i].end}, "");
      }
    }
  }

  /// The value of the cell's first figure; nothing where the record has no such case.
  std::optional<double> read_cell(span cell, const quote_query& of_row, const column& of_column,
                                  const std::vector<quote_comment>& own) {
    std::vector<number> numbers;
    for (number_span next = next_number(numbers_, cell.begin, cell.end); next.is_found();
         next = next_number(numbers_, next.end, cell.end)) {
      const bool is_minus = next.begin >= cell.begin + 3 && numbers_.compare(next.begin - 3, 3, "−") == 0;
      const bool is_hyphen = next.begin > cell.begin && numbers_[next.begin - 1] == '-';
      numbers.push_back(number_at(next.begin - (is_minus ? 3 : is_hyphen ? 1 : 0)));
    }
    std::optional<double> first;
    const std::size_t many = std::max(of_column.marks.size(), numbers.size());
    for (std::size_t i = 0; i < many; ++i) {
      const quote_comment* mark = i < of_column.marks.size() ? &of_column.marks[i] : nullptr;
      quote_query query = of_row;
      if (mark) query = changed(query, of_column.words[i]);
      for (const quote_comment& c : own)
        if (i < numbers.size() && c.shown_at == numbers[i].at.begin) {
          const mark_words words = words_in_table(c);
          if (words.continues && !last_in_cells_) add_fault(c, "'^': the table has no mark before");
          if (words.continues) query = last_in_cells_.value_or(query);
          query = changed(words.continues ? without_judgement(query) : query, words);
          mark = &c;
        }
      if (!mark) continue;
      last_in_cells_ = query;
      if (!hold_in_cell(cell, *mark, query, i < numbers.size() ? &numbers[i] : nullptr, i, first)) break;
    }
    return first;
  }

  /// Whether the cell's next figures are held, too.
  bool hold_in_cell(span cell, const quote_comment& mark, const quote_query& query, const number* found,
                    std::size_t index, std::optional<double>& first) try {
    const std::string shown = text_.shown.substr(cell.begin, cell.end - cell.begin);
    std::optional<quoted_figure> figure;
    if (!found) {
      if (index > 0) return false;
      if (shown != no_case)
        throw std::invalid_argument(fmt::format("found '{}', expected a figure or {}", shown, no_case));
      figure = reports::figure_of(query, records(), sources_);
      if (figure)
        add_fault(text_.line_of(cell.begin),
                  fmt::format("found {}, expected {}: the record has this case: {}", no_case, figure->text,
                              text_of(query)));
      return false;
    }
    if (!hold(mark, query, *found, &figure))
      throw std::invalid_argument(fmt::format("found {}, expected {}: the record has no such case: {}",
                                              found->found, no_case, text_of(query)));
    if (index == 0) first = figure->value;
    return true;
  } catch (const std::invalid_argument& why) {
    refuse_in_cell(cell, found, why.what());
    return found != nullptr;
  } catch (const bad_input& why) {
    refuse_in_cell(cell, found, why.what());
    return found != nullptr;
  }

  void refuse_in_cell(span cell, const number* found, const std::string& why) {
    add_fault(text_.line_of(cell.begin), why);
    if (found) held_.push_back(found->at);
  }

  // --- the rest ---

  /// The ledger's rows are held as a whole, before all else: `ledger=` may be anywhere.
  void read_ledger_line() {
    for (const quote_comment& c : text_.comments) {
      if (c.kind != quote_comment::kinds::defaults || c.body.find("ledger=") == c.body.npos) continue;
      read_defaults(c);
      sections_.clear();
      names_.clear();
    }
    if (ledger_.empty()) return;
    try {
      const std::string& ledger = sources_.text(records_ / ledger_);
      ledger_text_ = with_ledger_rows(text_.source, ledger, name_, false);
      if (ledger_text_ == text_.source) {
        hold_ledger(with_ledger_rows(text_.source, ledger, name_, true));
        return;
      }
      const auto differs =
          std::mismatch(text_.source.begin(), text_.source.end(), ledger_text_.begin(), ledger_text_.end());
      add_fault(source_line(static_cast<std::size_t>(differs.first - text_.source.begin())),
                "found rows of claims that are not the ledger's: write these (--write)");
    } catch (const bad_input& why) {
      add_fault(1, why.what());
    }
  }

  /// `bare` has # for each digit of the rows.
  void hold_ledger(const std::string& bare) {
    for (std::size_t i = 0; i < text_.shown.size(); ++i)
      if (const std::size_t at = text_.origin[i]; at < bare.size() && bare[at] != text_.source[at])
        held_.push_back({i, i + 1});
  }

  /// Every number that no mark holds is in a phrase that says why.
  void hold_rest() {
    const std::string& shown = text_.shown;
    std::vector<bool> is_held(shown.size() + 1, false), is_excused(shown.size() + 1, false);
    for (const span& s : held_)
      std::fill(is_held.begin() + static_cast<std::ptrdiff_t>(s.begin),
                is_held.begin() + static_cast<std::ptrdiff_t>(s.end), true);
    even_text even;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      if (is_held[i] && i > 0 && is_held[i - 1] && even.text.back() == '#') continue;
      even.add(is_held[i] ? '#' : shown[i], i);
    }
    for (const auto& [line, phrase] : phrases_) {
      even_text wanted;
      for (const char c : phrase) wanted.add(c, 0);
      bool is_there = false;
      for (std::size_t at = even.text.find(wanted.text); at != even.text.npos;
           at = even.text.find(wanted.text, at + 1)) {
        is_there = true;
        for (std::size_t i = at; i < at + wanted.text.size(); ++i) is_excused[even.origin[i]] = true;
      }
      if (!is_there) add_fault(line, "the document does not have this text: " + phrase);
    }
    std::string left = numbers_;
    for (std::size_t i = 0; i < shown.size(); ++i)
      if (is_held[i] || (is_excused[i] && is_digit(shown[i]))) left[i] = '\x01';
    for (number_span next = next_number(left, 0, left.size()); next.is_found();
         next = next_number(left, next.end, left.size()))
      add_fault(text_.line_of(next.begin),
                fmt::format("no record backs {}: mark it, or say in <!--not measured--> what it is",
                            left.substr(next.begin, next.end - next.begin)));
    for (const prose_fault& fault : unheld_claims(numbers_, figures_, is_excused))
      add_fault(text_.line_of(fault.at), fault.says);
  }

  quoted_document finish() {
    std::stable_sort(out_.faults.begin(), out_.faults.end(),
                     [](const quote_fault& a, const quote_fault& b) { return a.line < b.line; });
    out_.text = text_.source;
    for (const auto& [at, text] : inserts_) edits_.push_back({{at, at}, text});
    std::stable_sort(edits_.begin(), edits_.end(),
                     [](const auto& a, const auto& b) { return a.first.begin > b.first.begin; });
    for (const auto& [at, text] : edits_) out_.text.replace(at.begin, at.end - at.begin, text);
    if (!ledger_text_.empty() && ledger_text_ != text_.source)
      out_.text = with_ledger_rows(out_.text, sources_.text(records_ / ledger_), name_, false);
    return std::move(out_);
  }

  quote_sources& sources_;
  std::filesystem::path folder_, records_;
  std::string name_, ledger_, ledger_text_;
  marked_text text_;
  std::string numbers_;  ///< of the shown text
  std::size_t next_comment_ = 0, level_ = 0;
  std::vector<std::pair<std::size_t, quote_query>> sections_;  ///< with the levels of their headings
  named_mark_words names_;
  std::optional<quote_query> previous_;
  std::optional<quote_query> last_in_cells_;
  std::vector<std::pair<std::size_t, std::string>> phrases_;  ///< with their lines
  std::vector<span> held_;
  std::vector<figure_in_text> figures_;
  std::vector<std::pair<span, std::string>> edits_;
  std::vector<std::pair<std::size_t, std::string>> inserts_;
  quoted_document out_;
};

}  // namespace

bool is_quoted(const std::string& markdown) { return !read_marked_text(markdown).comments.empty(); }

quoted_document read_quotes(const std::string& markdown, const std::filesystem::path& path,
                            quote_sources& sources) {
  return document_reader(markdown, path, sources).read();
}

}  // namespace ablate::reports
