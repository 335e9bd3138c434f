#include "reports/quotes/mark.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace ablate::reports {
namespace {

/// Keys of the whole query, then those of one of its cases; any other name is an axis.
constexpr std::array whole_keys = {"record", "file",  "in",      "at",    "having",    "matching", "value",
                                   "per",    "scale", "where",   "round", "aggregate", "as",       "n",
                                   "median", "leads", "fastest", "low",   "high",      "bold",     "named"};
constexpr std::array case_keys = {"operation", "cache", "variant", "rival", "best"};
constexpr std::array numeric_keys = {"scale", "n", "median"};
constexpr std::array judgement_keys = {"n", "median", "leads", "fastest", "low", "high", "named"};

template <class Keys>
bool is_one_of(const Keys& keys, std::string_view word) {
  return std::find(keys.begin(), keys.end(), word) != keys.end();
}

[[noreturn]] void refuse(const std::string& word, const std::string& expected) {
  throw std::invalid_argument(fmt::format("'{}': {}", word, expected));
}

bool is_key(std::string_view text) {
  return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_.0123456789") == text.npos;
}

/// Variants have names in lower case, settings of switches after a plus, and commas between them.
bool is_of_variants(std::string_view word) {
  return word.front() >= 'a' && word.front() <= 'z' &&
         word.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789+=-,.ABCDEFGHIJKLMNOPQRSTUVWXYZ") ==
             word.npos;
}

std::string digits_after_sign(const std::string& word) {
  const std::string digits = word.substr(1);
  if (digits.empty() || digits.size() > 2 || digits.find_first_not_of("0123456789") != digits.npos)
    refuse(word, "expected a number of digits");
  return digits;
}

class word_reader {
 public:
  explicit word_reader(const named_mark_words& named) : named_(named) {}

  void read(const std::vector<std::string>& words) {
    for (const std::string& word : words) read(word);
  }
  mark_words out;

 private:
  void set(const std::string& key, const std::string& value) {
    out.changes.push_back({key, value == "*" ? "" : value});
  }

  void read(const std::string& word) {
    if (word == "^" && out.changes.empty())
      out.continues = true;
    else if (word == "/" || word == "minus")
      begin_other(word);
    else if (word == "*" && !side_.empty())
      set("/", "");
    else if (word.front() == '@')
      read_named(word);
    else if (!read_sign(word) && !read_setting(word))
      read_name(word);
  }

  void begin_other(const std::string& word) {
    if (!side_.empty()) refuse(word, "the mark already has another case");
    side_ = "/";
    set("minus", word == "minus" ? "1" : "");
  }

  void read_named(const std::string& word) {
    const auto found = named_.find(word.substr(1));
    if (found == named_.end()) refuse(word, "no <!--quotes--> above gives this name");
    for (const std::string& meant : found->second) read(meant);
  }

  /// What is told by a sign or a word of its own.
  bool read_sign(const std::string& word) {
    if (word.front() == '#' || word.front() == '.') {
      const std::string digits = digits_after_sign(word);
      const int many = std::stoi(digits);
      if (many > 17 || (word.front() == '#' && many == 0)) refuse(word, "a double has 1 to 17 digits");
      set("round", word);
    } else if (word == "%" || word == "%more" || word == "%less") {
      set("as", word);
    } else if (word.starts_with(">=") || word.starts_with("<=")) {
      parsed_number(word.substr(2));
      set(word.front() == '>' ? "low" : "high", word.substr(2));
    } else if (word == "range" || word == "min" || word == "max" || word == "median") {
      set("aggregate", word);
    } else if (word.starts_with("count>=") || word.starts_with("count<=")) {
      parsed_number(word.substr(7));
      set("aggregate", word);
    } else if (word == "fastest" || word == "named") {
      set(word, "yes");
    } else {
      return false;
    }
    return true;
  }

  bool read_setting(const std::string& word) {
    const std::size_t equals = word.find('=');
    if (equals == word.npos || !is_key(word.substr(0, equals))) return false;
    const std::string key = word.substr(0, equals), value = word.substr(equals + 1);
    if (value.empty()) refuse(word, "expected a value");
    if (is_one_of(numeric_keys, key) && value != "*" && value != "?") parsed_number(value);
    if (key == "best" && value != "lowest" && value != "highest" && value != "*")
      refuse(word, "expected lowest or highest");
    if (key == "bold" && value != "lowest" && value != "highest" && value != "*")
      refuse(word, "expected lowest or highest");
    if (is_one_of(whole_keys, key))
      set(key, value);
    else if (is_one_of(case_keys, key))
      set_of_case(key, value);
    else if (key.starts_with("axis.") || key.starts_with("switch."))
      set(side_ + key, value);
    else
      set(side_ + "axis." + key, value);
    return true;
  }

  void set_of_case(const std::string& key, const std::string& value) {
    if (key == "variant" || key == "rival") begin_variants();
    set(side_ + key, value);
  }

  void read_name(const std::string& word) {
    if (!is_of_variants(word)) refuse(word, "is not a word of a mark (docs/quotes.md)");
    set_of_case("variant", word);
  }

  /// The first word of a case that names variants removes those that were named before.
  void begin_variants() {
    bool& has = side_.empty() ? has_variants_ : other_has_variants_;
    if (!has) {
      set(side_ + "variant", "");
      set(side_ + "rival", "");
    }
    has = true;
  }

  const named_mark_words& named_;
  std::string side_;
  bool has_variants_ = false, other_has_variants_ = false;
};

/// "axis.points" as "points" where no other key has this name.
std::string spelled_key(std::string key) {
  if (key.starts_with("/")) key = key.substr(1);
  if (key.starts_with("axis.")) {
    const std::string name = key.substr(5);
    if (!is_one_of(whole_keys, name) && !is_one_of(case_keys, name)) return name;
  }
  return key;
}

std::string word_of(const std::string& key, const std::string& value) {
  const std::string name = spelled_key(key);
  if (name == "variant" || name == "round" || name == "as" || name == "aggregate") return value;
  if (name == "low") return ">=" + value;
  if (name == "high") return "<=" + value;
  if ((name == "fastest" || name == "named") && value == "yes") return name;
  const bool is_quoted = value.find_first_of(" \n\t") != value.npos;
  return is_quoted ? fmt::format("{}=\"{}\"", name, value) : name + "=" + value;
}

/// What a case is named by says nothing of a number in another file, nor the record where a file is named.
bool is_asked_of_file(const std::string& key, const quote_query& query) {
  if (key == "record") return !query.contains("file");
  return is_one_of(whole_keys, key) && key != "value" && key != "per" && key != "where" && key != "aggregate";
}

}  // namespace

double parsed_number(const std::string& text) {
  double out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(out))
    refuse(text, "expected a number");
  return out;
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> out;
  bool is_open = false, has_word = false;
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (c == '"') is_open = !is_open;
    if (is_space && !is_open) {
      has_word = false;
      continue;
    }
    if (!has_word) out.emplace_back();
    has_word = true;
    if (c != '"') out.back() += c == '\n' ? ' ' : c;
  }
  if (is_open) throw std::invalid_argument("an unpaired quotation mark");
  std::erase(out, "");
  return out;
}

mark_words read_mark(const std::vector<std::string>& words, const named_mark_words& named) {
  word_reader reader(named);
  reader.read(words);
  return std::move(reader.out);
}

quote_query changed(quote_query query, const mark_words& words) {
  for (const auto& [key, value] : words.changes) {
    if (key == "/")
      std::erase_if(query, [](const auto& member) { return member.first.starts_with("/"); });
    else if (value.empty())
      query.erase(key);
    else
      query[key] = value;
  }
  return query;
}

quote_query without_judgement(quote_query query) {
  for (const char* key : judgement_keys) query.erase(key);
  return query;
}

std::string text_of(const quote_query& query) {
  const bool is_of_file = query.contains("file") || query.contains("at") || query.contains("matching");
  std::string left, right, last;
  for (const auto& [key, value] : query) {
    if (key == "minus" || key == "bold" || (is_of_file && !is_asked_of_file(key, query))) continue;
    const bool is_last =
        key == "round" || key == "as" || key == "aggregate" || is_one_of(judgement_keys, key);
    (key.starts_with("/") ? right : is_last ? last : left) += " " + word_of(key, value);
  }
  if (!right.empty()) right = (query.contains("minus") ? " minus" : " /") + right;
  const std::string out = left + right + last;
  return out.empty() ? out : out.substr(1);
}

}  // namespace ablate::reports
