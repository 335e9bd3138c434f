#include "base/record/old_selection.h"

#include <algorithm>
#include <utility>

#include "base/record/old_names.h"
#include "base/text/bad_input.h"
#include "base/text/text.h"

namespace ablate {
namespace {

/// A value that matches any.
constexpr const char* any_value = "";

/// What is said of a case: that it is one of these, has a value of a term, or has a part.
struct asked_word {
  std::vector<std::string> ids;
  std::optional<selection_term> term;
  std::string part;
  bool may_be_any = false;  ///< no case has such an axis, or the values are known: none is a slip of the pen
};

named_words todays_names_of(const case_words& c) {
  named_words out = {{"operation", c.operation}, {"variant", c.variant}, {"cache", c.cache}};
  out.insert(out.end(), c.axes.begin(), c.axes.end());
  return out;
}

/// What it was called before: in an operation that was part of another, a variant had its own name there.
named_words former_names_of(const case_words& c) {
  named_words out = old_names::known().former_words({c.operation, c.variant, c.axes});
  const bool had_another = find_word(out, "variant") != nullptr;
  for (auto& word : todays_names_of(c))
    if (word.first != "variant" || !had_another) out.push_back(std::move(word));
  return out;
}

bool is_meant(const asked_word& asked, const case_words& c, const named_words& named) {
  if (!asked.ids.empty()) return std::find(asked.ids.begin(), asked.ids.end(), c.id) != asked.ids.end();
  if (!asked.term)
    return asked.part == "@" + c.cache || std::any_of(named.begin(), named.end(), [&](const auto& word) {
             return word.second != any_value && is_same_value(word.second, asked.part);
           });
  return std::any_of(named.begin(), named.end(), [&](const auto& word) {
    return word.first == asked.term->name &&
           ((word.second == any_value && asked.may_be_any) ||
            std::any_of(asked.term->values.begin(), asked.term->values.end(),
                        [&](const std::string& value) { return is_same_value(value, word.second); }));
  });
}

/// A point such as smem_hashed+threads=512 is a variant, no term.
bool is_term(const std::string& word) {
  const std::size_t equals = word.find('=');
  return equals != std::string::npos && word.find('+') > equals;
}

/// A word, or its parts between slashes. Ids count together, since several ids select several cases.
std::vector<asked_word> asked_by(const std::vector<std::string>& words,
                                 const std::vector<case_words>& cases) {
  const case_vocabulary known(cases);
  std::vector<asked_word> out;
  asked_word ids;
  for (const std::string& word : words) {
    const std::string id = old_names::known().todays_id(word);
    if (std::any_of(cases.begin(), cases.end(), [&](const case_words& c) { return c.id == id; })) {
      ids.ids.push_back(id);
      continue;
    }
    for (std::size_t at = 0; at < word.size();) {
      const std::size_t end = std::min(word.find('/', at), word.size());
      if (const std::string piece = word.substr(at, end - at); !piece.empty()) {
        out.emplace_back();
        if (!is_term(piece)) {
          out.back().part = piece;
        } else {
          out.back().term = written_term(piece, "");
          out.back().may_be_any = known.values(out.back().term->name).empty() || known.has_term(piece);
        }
      }
      at = end + 1;
    }
  }
  if (!ids.ids.empty()) out.push_back(std::move(ids));
  return out;
}

std::string kinds_of(const std::vector<const case_words*>& cases) {
  std::vector<std::string> out;
  for (const case_words* c : cases)
    if (const std::string kind = c->operation + "/" + c->variant;
        std::find(out.begin(), out.end(), kind) == out.end())
      out.push_back(kind);
  return out.empty() ? "no case here" : reports::joined(out, ", ");
}

std::vector<const case_words*> chosen_by(const std::vector<asked_word>& asked,
                                         const std::vector<case_words>& cases, bool& means_none) {
  // Each value by itself: among others that are known a slip of the pen would be lost.
  std::vector<asked_word> alone;
  for (const asked_word& one : asked)
    if (one.term)
      for (const std::string& value : one.term->values)
        alone.push_back({{}, {{one.term->name, {value}}}, "", one.may_be_any});
    else
      alone.push_back(one);
  std::vector<bool> meant(alone.size(), false);
  std::vector<const case_words*> out;
  for (const case_words& c : cases) {
    bool is_chosen = false;
    for (const named_words& named : {todays_names_of(c), former_names_of(c)}) {
      for (std::size_t i = 0; i < alone.size(); ++i) meant[i] = meant[i] || is_meant(alone[i], c, named);
      const bool has_all = std::all_of(asked.begin(), asked.end(),
                                       [&](const asked_word& one) { return is_meant(one, c, named); });
      is_chosen |= has_all;
    }
    if (is_chosen) out.push_back(&c);
  }
  means_none = std::find(meant.begin(), meant.end(), false) != meant.end();
  return out;
}

std::optional<std::vector<const case_words*>> cases_by_old_names(const std::vector<std::string>& words,
                                                                 const std::vector<case_words>& cases) {
  bool means_none = false;
  try {
    auto out = chosen_by(asked_by(words, cases), cases, means_none);
    if (means_none) return std::nullopt;
    print_todays_names(reports::joined(words, " "), kinds_of(out));
    return out;
  } catch (const bad_input&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<std::vector<std::string>> ids_by_old_names(const std::vector<std::string>& words,
                                                         const std::vector<case_words>& cases) {
  const auto chosen = cases_by_old_names(words, cases);
  if (!chosen) return std::nullopt;
  std::vector<std::string> out;
  for (const case_words* c : *chosen) out.push_back(c->id);
  return out;
}

std::vector<std::string> todays_terms(const std::vector<std::string>& terms,
                                      const std::vector<case_words>& cases) {
  const case_vocabulary known(cases);
  const auto is_known = [&](const std::string& term) {
    try {
      known.term(term, "", case_vocabulary::sizes::any);
    } catch (const bad_input&) {
      return false;
    }
    return true;
  };
  if (std::all_of(terms.begin(), terms.end(), is_known)) return terms;
  // Any size may be asked for, measured or not.
  std::vector<std::string> sizes, others;
  for (const std::string& term : terms) {
    const bool is_size =
        is_known(term) && known.is_of_integers(canonical_name(term.substr(0, term.find('='))));
    (is_size ? sizes : others).push_back(term);
  }
  const auto chosen = cases_by_old_names(others, cases);
  if (!chosen || chosen->empty()) return terms;
  std::vector<selection_term> today = {{"operation", {}}};
  const auto add = [](selection_term& to, const std::string& value) {
    if (std::find(to.values.begin(), to.values.end(), value) == to.values.end()) to.values.push_back(value);
  };
  for (const case_words* c : *chosen) add(today.front(), c->operation);
  for (const std::string& other : others) {
    const selection_term asked = is_term(other) ? written_term(other, "") : selection_term{"variant", {}};
    if (asked.name == "operation") continue;
    selection_term here{asked.name, {}};
    for (const case_words* c : *chosen)
      if (asked.name == "variant")
        add(here, c->variant);
      else if (asked.name == "cache")
        add(here, c->cache);
      else if (const std::string* value = find_word(c->axes, asked.name))
        add(here, *value);
    if (!here.values.empty()) today.push_back(std::move(here));
  }
  for (const selection_term& term : today) sizes.push_back(text_of(term));
  return sizes;
}

}  // namespace ablate
