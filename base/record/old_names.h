#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/record/record.h"

namespace ablate {

/// What a case is called.
struct case_names {
  std::string operation, variant;
  named_words axes;
  bool operator==(const case_names&) const = default;
};

// clang-format off
/// What names of earlier versions are called today: base/record/old_names.json, a rule a line, which this program and
/// reports/python/ablate_record.py read.
///
///     operations  "operation", "operation/axis=value" (only there) or "operation/variant" (only that one): an operation
///     variants    "operation/variant", or "operation/variant/axis=value": a variant
///     axes        "operation/axis": an axis
///     values      "operation/axis=value": a value
///     switches    "operation/switch=value": a switch and its value, as "switch=value"; "operation/switch": a switch,
///                 whatever its value. The operation "*" means all. They hold for cases' switches, for the choices
///                 of suites and claims, and for the changes of points: "smem_hashed+launch=overlapped". A rule whose
///                 right side is null says that the switch, or that value of it, is no more: cases and points lose it
///     dropped     an operation: its axes that are no more, or, as "axis=value", only where they had that value
///     order       an operation: its axes in the order of today's ids, where it was another
///     baselines   an operation that was part of another: its baseline
///     gone        "operation/variant" that records have and no program has any more: why it has no name today
///
/// The sections apply in this order, each until none of its rules does; so all but the first speak of operations by
/// today's names, and values and dropped axes of axes by today's names. Of switches, rules of a value go before those of
/// the name, and an operation's before those of "*". A name without a rule is today's.
// clang-format on
class old_names {
 public:
  /// The program's own table.
  static const old_names& known();

  /// Throws bad_input for what is no rule, for one that changes nothing, for a circle, and for one of an
  /// operation, a variant or an axis that another rule renames first.
  old_names(const std::string& json, const std::string& file);

  /// Which dropped axes to keep: those that tell cases apart.
  using kept_axes = std::vector<std::string>;
  case_names todays(const case_names&, const kept_axes& = {}) const;
  /// Of an operation by today's name. A point's changes are named as today, too.
  std::string todays_variant(const std::string& operation, std::string variant,
                             const named_words& axes) const;
  named_words todays_axes(const std::string& operation, const named_words&, const kept_axes& = {}) const;
  /// As today's ids have them.
  void put_in_order(const std::string& operation, named_words& axes) const;
  /// Nothing for an axis that the operation, by today's name, has no more, whatever the value.
  std::optional<std::string> todays_axis(const std::string& operation, std::string axis) const;
  /// Of a value of an axis; both by today's names.
  std::string todays_value(const std::string& operation, const std::string& axis, std::string value) const;
  /// Of an operation that is another one whatever its axes.
  std::string todays_operation(std::string operation) const;

  using switch_word = named_words::value_type;
  /// A switch and its value; nothing where it is no more.
  std::optional<switch_word> todays_switch(const std::string& operation, switch_word) const;
  /// A case's. Two that are one switch today count once; throws bad_input, which begins with file and place,
  /// where their values differ.
  named_words todays_switches(const std::string& operation, const named_words&, const std::string& file,
                              const std::string& place) const;
  /// A switch, and which of its values are chosen; "*" is any.
  using switch_choice = std::pair<std::string, std::vector<std::string>>;
  /// Nothing where the values are of several switches today, or one is no more.
  std::optional<switch_choice> todays_choice(const std::string& operation, const switch_choice&) const;

  /// A case's id by today's names; others stay as they are.
  std::string todays_id(const std::string& id) const;

  /// An axis by whose values an operation was divided, or one that it may have lost with one of its values.
  struct divided_by {
    std::string axis;
    std::map<std::string, std::string> operations;  ///< today's, by value
  };
  /// Nothing for an operation without such an axis.
  std::optional<divided_by> division_of(const std::string& operation) const;

  /// Whether a rule renames the operation, something of it, or drops an axis of it.
  bool speak_of(const std::string& operation) const;
  /// Whether a rule renames switches of the operation.
  bool speak_of_switches(const std::string& operation) const;

  /// Empty for an operation that was no part of another.
  std::string baseline_of(const std::string& operation) const;

  /// What a case of today may have been called: names (operation, variant or an axis) with values; an empty
  /// value matches any.
  named_words former_words(const case_names& of_today) const;

  struct rule {
    /// The last two also: only where the axis has the value. Of switches, `axis` is the switch.
    std::string operation, variant, axis, value;
    std::string to;  ///< empty of a switch that is no more
  };
  struct all_rules {
    std::vector<rule> operations, variants, axes, values, switches;
    std::vector<rule> dropped;  ///< `to` is empty
    std::vector<rule> gone;     ///< `to` says why
    std::vector<std::pair<std::string, std::vector<std::string>>> order;
    std::vector<std::pair<std::string, std::string>> baselines;
  };
  const all_rules& rules() const { return rules_; }

 private:
  /// Of a variant that no rule renames as a whole; `todays` renames the variant of the point.
  std::string todays_point(const std::string& operation, const std::string& point,
                           const std::function<std::string(const std::string&)>& todays) const;
  /// What a variant may have been called before its last renaming.
  std::vector<std::string> former_variants(const std::string& operation, const std::string& variant) const;

  all_rules rules_;
};

/// "launch=off,overlapped"
std::string choice_text(const old_names::switch_choice&);

/// Says once, on stderr, that names of an earlier version were given, and what they are today.
void print_todays_names(const std::string& given, const std::string& today);

}  // namespace ablate
