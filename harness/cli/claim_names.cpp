#include "harness/cli/claim_names.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/text/bad_input.h"
#include "base/text/names.h"
#include "harness/registry/cache_state.h"
#include "harness/registry/registry.h"

namespace ablate {

namespace {

using names = std::vector<std::string>;

/// One selection of a claim, and what it may name.
class selection_check {
 public:
  selection_check(const claim_selection& selection, const std::string& file,
                  const std::vector<claim_evidence>& records)
      : selection_(selection), file_(file), records_(records) {}

  void run() const {
    check_cache();
    check_operation();
    check_rivals();
    // An operation of another program is known from a record alone.
    const operation* of = find_operation(selection_.operation);
    if (!of) return;
    check_variants(*of);
    check_switches(*of);
    check_axes(*of);
  }

 private:
  void expect(const std::string& place, const std::string& kind, const std::string& name,
              const names& known) const {
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    const std::set<std::string> once(known.begin(), known.end());
    throw bad_input(file_, selection_.pointer + place, no_such(kind, name, {once.begin(), once.end()}));
  }

  /// "switch of 'voxelize'"
  std::string of_operation(const std::string& kind) const {
    return kind + " of '" + selection_.operation + "'";
  }

  void check_cache() const {
    for (const std::string& state : selection_.cache)
      if (!parse_cache_state(state))
        expect("/cache", "cache state", state, {"cold-clean", "hot", "rotating", "host"});
  }

  void check_operation() const {
    names known;
    for (const auto& operation : operations()) known.push_back(operation->name);
    for (const claim_evidence& evidence : records_)
      for (const measured_case& c : evidence.facts.cases) known.push_back(c.operation);
    expect("/operation", "operation", selection_.operation, known);
  }

  void check_variants(const operation& of) const {
    names known;
    for (const variant_facts& v : of.variants) known.push_back(v.name);
    for (const claim_evidence& evidence : records_)
      for (const measured_case& c : evidence.facts.cases)
        if (c.operation == of.name) known.push_back(c.variant);
    const names& rivals = selection_.rivals;
    for (const std::string& variant : selection_.variants)
      if (std::find(rivals.begin(), rivals.end(), variant) == rivals.end() && !of.find_variant(variant))
        expect("/variants", of_operation("variant"), variant, known);
  }

  /// Rivals are known from records alone: where none has any of the operation, every name passes.
  void check_rivals() const {
    names known;
    for (const claim_evidence& evidence : records_)
      for (const record::rival_facts& added : evidence.facts.rivals)
        if (std::find(added.operations.begin(), added.operations.end(), selection_.operation) !=
            added.operations.end())
          known.insert(known.end(), added.variants.begin(), added.variants.end());
    if (known.empty()) return;
    for (const std::string& rival : selection_.rivals) expect("/rivals", of_operation("rival"), rival, known);
  }

  void check_switches(const operation& of) const {
    for (const auto& [name, words] : selection_.switches) {
      names known, values;
      for (const variant_facts& v : of.variants) {
        for (const auto& [key, value] : v.switches) {
          known.push_back(key);
          if (key == name) values.push_back(value);
        }
        for (const switch_range& range : v.takes) known.push_back(range.name);
        const names taken = values_taken(v, name);
        values.insert(values.end(), taken.begin(), taken.end());
      }
      expect("/switches/" + name, of_operation("switch"), name, known);
      for (const std::string& word : words)
        expect("/switches/" + name, "value of switch '" + name + "'", word, values);
    }
  }

  void check_axes(const operation& of) const {
    names known;
    for (const axis& a : of.axes) known.push_back(a.name);
    for (const auto& [name, words] : selection_.axes) {
      expect("/axes/" + name, of_operation("axis"), name, known);
      const axis& a =
          of.axes[static_cast<std::size_t>(std::find(known.begin(), known.end(), name) - known.begin())];
      for (const std::string& word : words) {
        // A point file may have any name, but hardly one that a slip of the fingers makes of a legal word.
        const names files = nearest(word, a.words) ? names{} : names{word};
        if (const auto why = a.refuses(word, files))
          throw bad_input(file_, selection_.pointer + "/axes/" + name, *why + did_you_mean(word, a.words));
      }
    }
  }

  const claim_selection& selection_;
  const std::string& file_;
  const std::vector<claim_evidence>& records_;
};

}  // namespace

void check_names(const std::vector<claim>& claims, const std::vector<claim_evidence>& records) {
  for (const claim& c : claims) {
    if (!c.quantity || c.waits_for) continue;
    selection_check(c.quantity->of, c.file, records).run();
    if (c.quantity->counterpart) selection_check(*c.quantity->counterpart, c.file, records).run();
  }
}

}  // namespace ablate
