#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reports/record/record.h"

namespace ablate::reports {

/// Cases that differ in nothing but the variant: the same axes, cache state and method of timing. Only these
/// are ever set against each other.
struct comparable_cases {
  std::string cache_state, method;
  named_words axes;
  std::map<std::string, const measured_case*> by_variant;

  const measured_case* of(const std::string& variant) const;
  const std::string& value(std::string_view axis) const;
};

/// Points of one scaling plot: everything but one integer axis is fixed.
struct scaling_group {
  std::string axis;
  std::string cache_state, method;
  named_words fixed;                            ///< the other axes
  std::vector<const comparable_cases*> points;  ///< by growing value of the axis
};

/// Baseline's median over a variant's, with the interval that the two medians' 95 % intervals span.
struct speed_up {
  double ratio, low, high;
  std::optional<double> in_cycles;  ///< the ratio in cycles, where the two were timed at unlike clocks
  bool includes_one() const { return low <= 1 && 1 <= high; }
};

/// What a report shows of one operation of a record, in a fixed order. Refers to the record.
class operation_view {
 public:
  operation_view(const record&, std::string operation);

  std::string name, description, baseline;
  std::vector<std::string> axes;          ///< in declared order
  std::vector<std::string> variants;      ///< that were measured; the baseline first, then as in the record
  std::vector<std::string> cache_states;  ///< as in the record
  std::vector<std::string> quality;       ///< names of the figures of the output that some case has
  std::vector<std::string> counted;       ///< names of the figures that some instrumented form counted
  std::optional<std::string> swept;       ///< the integer axis with the most distinct values
  std::vector<comparable_cases>
      rows;  ///< by cache state, then axes (integers by value, words as in the record)

  /// The values that an axis takes in these rows, in order.
  std::vector<std::string> values(const std::string& axis) const;
  bool varies(const std::string& axis) const { return values(axis).size() > 1; }
  std::vector<std::string> varying_axes() const;
  /// So many axes vary that a workload is told by what sets it apart from the usual one.
  bool has_many_axes() const;
  bool is_integer(const std::string& axis) const;
  /// "points (points of the cloud)"; the name alone where the record does not describe its axes.
  std::string axis_title(const std::string& axis) const;

  /// Nothing for the baseline itself and where either was not measured.
  std::optional<speed_up> speed_up_of(const comparable_cases&, const std::string& variant) const;

  /// Whether a variant's output differs in quality from the baseline's: by more than 5 % in some figure.
  bool differs_in_quality(const comparable_cases&, const std::string& variant) const;
  /// The same of two cases.
  bool differ_in_quality(const measured_case&, const measured_case&) const;

  /// Groups along the swept axis first, then along every other integer axis, with at least `minimum_points`
  /// sizes.
  std::vector<scaling_group> scaling_groups(std::size_t minimum_points) const;

 private:
  std::size_t rank(const std::string& axis, const std::string& value) const;

  std::map<std::string, std::vector<std::string>> values_;
  named_words axis_descriptions_;
};

/// The operations that a record measured, without its calibrations, in the record's order.
std::vector<operation_view> operation_views(const record&);

/// Those of `axes` that vary over `points`, less each word that another word settles (`frame` says nothing
/// more where every `distribution` has its own).
std::vector<std::string> telling_axes(const operation_view&, const std::vector<std::string>& axes,
                                      const std::vector<named_words>& points);

/// The value of each of these axes that most cases have (of equally frequent ones the first).
named_words usual_values(const operation_view&, const std::vector<std::string>& axes);

}  // namespace ablate::reports
