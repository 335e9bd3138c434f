#include "reports/quotes/document.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>

#include "reports/quotes/ledger_rows.h"
#include "reports/quotes/quoted_figure.h"
#include "reports/text/bad_input.h"
#include "reports/text/json_place.h"
#include "reports/text/json_text.h"
#include "reports/text/text.h"
#include "reports/text/text_file.h"

namespace ablate::reports {
namespace {

using nlohmann::ordered_json;

constexpr const char* a_number = R"((\d{1,3}(?: \d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|#))";

ordered_json patched(ordered_json base, const ordered_json& over, const char* key = "base") {
  if (const auto patch = over.find(key); patch != over.end()) base.merge_patch(*patch);
  return base;
}

/// `text` with each {name} replaced by `replacement`; no braces elsewhere.
template <class Replacement, class Literal>
std::string with_names(const std::string& text, Literal literal, Replacement replacement) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = std::min(text.find('{', at), text.size());
    out += literal(text.substr(at, open - at));
    if (open == text.size()) break;
    const std::size_t close = std::min(text.find('}', open), text.size());
    out += replacement(text.substr(open + 1, close - open - 1));
    at = close + 1;
  }
  return out;
}

std::string as_it_is(const std::string& text) { return text; }

/// As it is in the document, which may break its lines.
std::string written_text(const json_place& at) {
  at.text();  // refuses what is none
  return at.json().get<std::string>();
}

/// A regular expression that matches the text regardless of line breaks.
std::string escaped(const std::string& text) {
  std::string out;
  bool was_space = false;
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\n';
    if (is_space && !was_space) out += "\\s+";
    if (!is_space && std::string("^$\\.*+?()[]{}|/").find(c) != std::string::npos) out += '\\';
    if (!is_space) out += c;
    was_space = is_space;
  }
  return out;
}

class quoter {
 public:
  quoter(std::string document_name, std::string text, const json_place& quotes, std::string file,
         quote_sources& sources, bool is_bare)
      : document_(std::move(document_name)),
        text_(std::move(text)),
        quotes_(quotes),
        file_(std::move(file)),
        sources_(sources),
        is_bare_(is_bare) {}

  std::string quoted() {
    const ordered_json base = patched(ordered_json::object(), quotes_.json());
    std::size_t n = 0;
    for (const json_place& quote : quotes_.at("quotes").elements()) {
      place_ = fmt::format("/quotes/{}", n++);
      const ordered_json with_base = patched(base, quote.json());
      if (quote.find("table"))
        fill_table(quote, with_base);
      else if (quote.find("ledger"))
        text_ = with_ledger_rows(text_, sources_.text(quote.at("ledger").text()), document_, is_bare_);
      else
        fill_sentence(quote, with_base);
    }
    if (is_bare_)
      for (const json_place& phrase : quotes_.at("not_measured").elements()) drop_numbers(phrase);
    return text_;
  }

 private:
  std::optional<quoted_figure> figure(const ordered_json& base, const std::string& name,
                                      const ordered_json& own) {
    ordered_json specification = base;
    specification.merge_patch(own);
    auto out = figure_to_quote(specification, file_, place_ + "/figures/" + name, sources_);
    if (out && is_bare_) out->text = "#";
    return out;
  }

  /// The text's only match.
  std::smatch only_match(const json_place& at, const std::string& pattern) const {
    const std::regex regex(pattern);
    std::smatch first, second;
    if (!std::regex_search(text_, first, regex)) at.refuse(document_ + " does not have this text");
    if (std::regex_search(first.suffix().first, text_.cend(), second, regex))
      at.refuse(document_ + " has this text more than once");
    return first;
  }

  void fill_sentence(const json_place& quote, const ordered_json& base) {
    const json_place text = quote.at("text"), figures = quote.at("figures");
    std::vector<std::string> names;
    const std::string pattern = with_names(written_text(text), escaped, [&](const std::string& name) {
      names.push_back(name);
      return std::string(a_number);
    });
    if (names.size() != figures.members().size())
      figures.refuse("expected a figure for each {name} of the text");
    const std::smatch found = only_match(text, pattern);
    std::string out = text_.substr(0, static_cast<std::size_t>(found.position(0)));
    auto at = found[0].first;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto given = figure(base, names[i], figures.at(names[i]).json());
      if (!given) figures.at(names[i]).refuse("the record has no such case");
      out.append(at, found[i + 1].first);
      out += given->text;
      at = found[i + 1].second;
    }
    text_ = out.append(at, text_.cend());
  }

  struct cell {
    std::string text;
    double value = 0;
    bool has_figure = false;
  };

  /// A dash if the record has no case for the first of its figures.
  cell cell_of(const json_place& row, const json_place& column, const ordered_json& base) {
    const ordered_json with_column = patched(base, column.json());
    const json_place figures = column.at("figures");
    const json_place text = row.find("text") ? row.at("text") : column.at("text");
    cell out;
    bool is_first = true;
    out.text = with_names(written_text(text), as_it_is, [&](const std::string& name) -> std::string {
      if (!is_first && !out.has_figure) return "";
      const auto given = figure(with_column, name, figures.at(name).json());
      if (!is_first && !given) figures.at(name).refuse("the record has no such case");
      if (is_first && given) out = {"", given->value, true};
      is_first = false;
      return given ? given->text : "";
    });
    if (!out.has_figure) out.text = "–";
    return out;
  }

  void fill_table(const json_place& quote, const ordered_json& base) {
    const std::string header = written_text(quote.at("table"));
    const std::size_t begin = text_.find("\n" + header);
    if (begin == text_.npos || text_.find("\n" + header, begin + 1) != text_.npos)
      quote.at("table").refuse(document_ + " does not have this header once");
    std::size_t rows = next_line(next_line(begin + 1)), end = rows;
    while (end < text_.size() && text_[end] == '|') end = next_line(end);
    text_.replace(rows, end - rows, table_rows(quote, base));
  }

  /// Where the line behind `at` begins; the last line may lack its end.
  std::size_t next_line(std::size_t at) {
    if (at >= text_.size()) return text_.size();
    const std::size_t end = text_.find('\n', at);
    if (end == std::string::npos) text_ += '\n';
    return end == std::string::npos ? text_.size() : end + 1;
  }

  std::string table_rows(const json_place& quote, const ordered_json& base) {
    const std::string table_place = place_;
    const auto bold = quote.find("bold");
    std::string out;
    std::size_t n = 0;
    for (const json_place& row : quote.at("rows").elements()) {
      place_ = fmt::format("{}/rows/{}", table_place, n++);
      std::vector<cell> cells;
      for (const json_place& column : quote.at("columns").elements())
        cells.push_back(cell_of(row, column, patched(base, row.json())));
      if (bold) embolden(cells, bold->text() == "lowest");
      std::vector<std::string> texts = {written_text(row.at("label"))};
      bool has_figure = false;
      for (const cell& c : cells) {
        texts.push_back(c.text);
        has_figure |= c.has_figure;
      }
      if (!has_figure) row.refuse("the record has none of this row's cases");
      out += table_row(texts);
    }
    return out;
  }

  static void embolden(std::vector<cell>& cells, bool lowest) {
    cell* best = nullptr;
    for (cell& c : cells)
      if (c.has_figure && (!best || (lowest ? c.value < best->value : c.value > best->value))) best = &c;
    if (best) best->text = "**" + best->text + "**";
  }

  /// Strips the digits from every occurrence of a phrase that is not a measurement, so that only unaccounted
  /// numbers remain.
  void drop_numbers(const json_place& phrase) {
    const std::regex regex(escaped(written_text(phrase)));
    if (!std::regex_search(text_, regex)) phrase.refuse(document_ + " does not have this text");
    std::string out;
    auto at = text_.cbegin();
    for (std::sregex_iterator found(text_.cbegin(), text_.cend(), regex), end; found != end; ++found) {
      out.append(at, (*found)[0].first);
      out += std::regex_replace(found->str(), std::regex("[0-9]"), "#");
      at = (*found)[0].second;
    }
    text_ = out.append(at, text_.cend());
  }

  std::string document_, text_;
  json_place quotes_;
  std::string file_;
  quote_sources& sources_;
  bool is_bare_;
  std::string place_;
};

}  // namespace

quoted_document quote_figures(const std::filesystem::path& document, const std::filesystem::path& quotes) {
  const std::string name = document.string(), text = read_text_file(document), file = quotes.string();
  const ordered_json json = parse_json_file(quotes);
  const json_place root(json, file);
  const auto records = root.find("records");
  quote_sources sources(records ? quotes.parent_path() / records->text() : quotes.parent_path());
  return {quoter(name, text, root, file, sources, false).quoted(),
          quoter(name, text, root, file, sources, true).quoted()};
}

}  // namespace ablate::reports
