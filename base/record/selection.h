#pragma once

#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/record/record.h"

// clang-format off
/// Which cases are meant: the words of `best`, `explain`, `history`, `run --only` and `--filter`, of the report's
/// search field and address (reports/page/html/selection.js), and of `Record.select` and `Record.find`
/// (reports/python/ablate_record.py). One table of examples tests all three: tests/reports/data/selections.json.
///
///     selection = word ...                    in one text with spaces between; "in quotes" if a name has one
///     word      = id | term | part | path
///     id        = the whole id of a case; several ids select several cases
///     term      = name=value[,value...]       points=65536,131072
///     name      = operation | variant | cache | an axis     (`variants` and `cache_state` are other spellings)
///     part      = an operation, a variant, an axis's value, or a cache state with or without @: all of it
///     path      = terms and parts with / between             scatter/direct/items=1024
///
/// A case is selected if it is one of the ids (where there are any), has one of the values of each term, and has each
/// part. Values are equal, never contained and never regular expressions: integers by value (007 is 7), other words
/// letter by letter. `all` is the 0 of an axis of integers. A value may have a comma or a slash: a word that is a value
/// as a whole is not split. A name or a value that no case has is an error that names the nearest,
/// unless it is one of an earlier version (old_selection.h).
// clang-format on
namespace ablate {

/// What can be said of a case.
struct case_words {
  std::string id, operation, variant, cache;
  named_words axes;
};

/// Of a measured or an unmeasured case of a record.
template <class Case>
case_words case_words_of(const Case& c) {
  return {c.name, c.operation, c.variant, c.cache_state, c.axes};
}

/// Of all cases of a record, the measured ones first.
std::vector<case_words> all_case_words(const record&);

/// NAME=VALUE[,VALUE…]; the name is spelled as above.
struct selection_term {
  std::string name;
  std::vector<std::string> values;
  bool operator==(const selection_term&) const = default;
};

/// "points=65536,131072"
std::string text_of(const selection_term&);

/// The term as it is written, each value once. Throws bad_input for a word without name or value.
selection_term written_term(const std::string& word, const std::string& place);

/// "variant" for "variants", "cache" for "cache_state", any other name as it is.
std::string canonical_name(const std::string& name);

/// Equal words, or equal integers.
bool is_same_value(std::string_view a, std::string_view b);

/// The words of one text.
std::vector<std::string> selection_words(std::string_view text);

/// The names and values that cases have, in their order.
class case_vocabulary {
 public:
  explicit case_vocabulary(const std::vector<case_words>&);

  /// The axes, then operation, variant and cache.
  std::vector<std::string> names() const;
  /// Empty for a name that no case has.
  const std::vector<std::string>& values(const std::string& name) const;
  /// An axis with integers only, none beyond 64 bits.
  bool is_of_integers(const std::string& name) const;

  enum class sizes { measured, any };
  /// The term that a word says, its values spelled as the cases spell them. With `sizes::any`, an axis of
  /// integers may have any. Throws bad_input, with the nearest name, for a name or value that no case has.
  selection_term term(const std::string& word, const std::string& place, sizes = sizes::measured) const;
  /// Whether `term` matches the word.
  bool has_term(const std::string& word) const;

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> values_;
};

/// Throws bad_input for two terms of one name.
void refuse_repeated(const std::vector<selection_term>&, const std::string& place);

/// Whether the case has one of the term's values.
bool has_value(const case_words&, const selection_term&);

/// Words against the cases that they are about.
class selection {
 public:
  /// Throws bad_input, which begins with `place`, for a word that means none of the cases.
  selection(const std::vector<std::string>& words, const std::vector<case_words>& cases,
            const std::string& place);

  bool selects(const case_words&) const;

  /// For where nothing is selected, though each word means some case: "no case has a=1 and b=2; with the
  /// others, a is 3 or 4".
  std::string why_none(const std::vector<case_words>&) const;

 private:
  struct part {
    std::string word;
    bool is_cache;
  };
  static part part_of(const std::string& word);
  static bool has_part(const case_words&, const part&);
  static bool is_any_part(const part&, const std::vector<case_words>&);
  void add(const std::string& word, const std::vector<case_words>&, const case_vocabulary&,
           const std::string& place);
  [[noreturn]] static void refuse_part(const std::string& word, const std::vector<case_words>&,
                                       const std::string& place);

  std::vector<std::string> ids_;
  std::vector<selection_term> terms_;
  std::vector<part> parts_;
};

/// See `selection::why_none`; of these terms alone.
std::string why_none_has(const std::vector<selection_term>&, const std::vector<case_words>&);

/// What an option like `--filter` selects: a text of terms alone (`points=1024 variant=direct`, or with
/// slashes) is a selection, any other a regular expression (ECMAScript) that is searched in ids.
class case_filter {
 public:
  /// Throws bad_input, which names the option, for a broken expression and for terms that no case has.
  case_filter(const std::string& text, const std::vector<case_words>& cases, const std::string& option);

  bool holds(const case_words&) const;

  /// Whether a text is terms alone. What only expressions have (^ $ \ * ? ( ) [ ] { } |) makes it one.
  static bool is_selection(const std::string& text);

 private:
  std::variant<selection, std::regex> way_;
};

}  // namespace ablate
