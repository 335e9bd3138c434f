#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ablate::reports {

/// What a mark asks, by key (docs/quotes.md): "record", "value", "axis.points". What differs in the case that
/// a ratio divides by, or a difference subtracts, begins with a slash: "/variant".
using quote_query = std::map<std::string, std::string>;

/// The names that a document gives to words.
using named_mark_words = std::map<std::string, std::vector<std::string>>;

/// The words of a mark, in their order, as changes of a query.
struct mark_words {
  struct change {
    std::string key, value;  ///< an empty value removes the key
  };
  std::vector<change> changes;
  bool continues = false;  ///< begins with ^: changes what the mark before asks
};

/// The words of a text; "in quotes" where one has spaces. Throws std::invalid_argument for an open quote.
std::vector<std::string> split_words(std::string_view text);

/// Throws std::invalid_argument, which names the word, for one that says nothing.
mark_words read_mark(const std::vector<std::string>& words, const named_mark_words&);

/// The query after the changes. A word that names variants replaces all that were named for that case.
quote_query changed(quote_query, const mark_words&);

/// Without what is said of one figure alone: bounds, count, median, and whether its variant leads.
quote_query without_judgement(quote_query);

/// As the words of a mark, in one order.
std::string text_of(const quote_query&);

/// The number that a text is, as C++ reads it. Throws std::invalid_argument where it is none.
double parsed_number(const std::string& text);

}  // namespace ablate::reports
