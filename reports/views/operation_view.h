#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/record/record.h"
#include "reports/views/speed_up.h"

namespace ablate::reports {

/// Cases that differ only in the variant: same axes, cache state and timing method. Only these are ever
/// compared.
struct comparable_cases {
  std::string cache_state, method;
  named_words axes;
  std::map<std::string, const measured_case*> by_variant;

  const measured_case* of(const std::string& variant) const;
  const std::string& value(std::string_view axis) const;
  /// Of the input that these cases have in common (input_marks.h); empty for a sound one.
  std::string input_mark() const;
};

/// Points of one scaling plot: everything is fixed except one integer axis.
struct scaling_group {
  std::string axis;
  std::string cache_state, method;
  named_words fixed;                            ///< the other axes
  std::vector<const comparable_cases*> points;  ///< by increasing value of the axis
};

/// What a report shows for one operation of a record, in a fixed order. Refers to the record.
class operation_view {
 public:
  operation_view(const record&, std::string operation);

  std::string name, description, baseline;
  std::vector<std::string> axes;          ///< in declared order
  std::vector<std::string> variants;      ///< measured ones; the baseline first, then as in the record
  std::vector<std::string> drawn;         ///< those of them that plots show; all, unless some are chosen
  std::vector<std::string> cache_states;  ///< as in the record
  std::vector<std::string> quality;       ///< names of the output figures that some case has
  std::vector<std::string> counted;       ///< names of the figures counted by some instrumented form
  std::optional<std::string> swept;       ///< the integer axis with the most distinct values
  std::shared_ptr<const case_launches> launches;  ///< that speed-ups cover; null: the record alone
  std::vector<comparable_cases>
      rows;  ///< by cache state, then axes (integers by value, words as in the record)

  /// The values of an axis in these rows, in order.
  std::vector<std::string> values(const std::string& axis) const;
  bool varies(const std::string& axis) const { return values(axis).size() > 1; }
  std::vector<std::string> varying_axes() const;
  /// Whether so many axes vary that a workload is labeled by what sets it apart from the usual one.
  bool has_many_axes() const;
  bool is_integer(const std::string& axis) const;
  /// Whether a size is the 0 that means all of a file, by what the record says of the axis.
  bool stands_for_all(const std::string& axis, const std::string& value) const;
  /// "points (points of the cloud)"; only the name if the record does not describe its axes.
  std::string axis_title(const std::string& axis) const;

  /// Plots keep their names, scales and colors, and show these alone.
  void draw_only(const std::vector<std::string>& chosen);

  /// comparable_cases::input_mark of the workload at exactly these axes; empty where there is none.
  std::string input_mark(const named_words& point) const;

  /// Of `other` over `base`, over all launches.
  speed_up speed_up_between(const measured_case& base, const measured_case& other) const;
  /// Whether what is known of their times does not tell `other` from the faster `best`: over launches the
  /// interval of their ratio contains 1, in one the intervals of their medians meet.
  bool is_level(const measured_case& best, const measured_case& other) const;
  /// Over the baseline. Nothing for the baseline itself, or if either was not measured.
  std::optional<speed_up> speed_up_of(const comparable_cases&, const std::string& variant) const;

  /// Whether a variant's output differs in quality from the baseline's: by more than 5 % in some figure.
  bool differs_in_quality(const comparable_cases&, const std::string& variant) const;
  /// The same for two cases.
  bool differ_in_quality(const measured_case&, const measured_case&) const;

  /// Groups along the swept axis first, then along every other integer axis, with at least `minimum_points`
  /// sizes.
  std::vector<scaling_group> scaling_groups(std::size_t minimum_points) const;

 private:
  std::size_t rank(const std::string& axis, const std::string& value) const;

  std::map<std::string, std::vector<std::string>> values_;
  named_words axis_descriptions_;
  std::map<named_words, std::string> input_marks_;  ///< of the workloads that have one
};

/// Whether two outputs differ in quality: by more than 5 % in a figure that both have.
bool differ_in_quality(const named_figures&, const named_figures&);

/// Whether a variant is among the chosen, by its own name where a comparison has added an axis or its
/// operation: "hopper_gathered, rows=scan", "serialize: sort_pairs".
bool is_one_of(const std::vector<std::string>& chosen, const std::string& variant);

/// The operations that a record measured, without its calibrations, in the record's order.
std::vector<operation_view> operation_views(const record&);

/// Those of `axes` that vary over `points`, minus each word implied by another (`frame` adds nothing if every
/// `distribution` has its own).
std::vector<std::string> telling_axes(const operation_view&, const std::vector<std::string>& axes,
                                      const std::vector<named_words>& points);

/// The most frequent value of each of these axes (the first one on a tie).
named_words usual_values(const operation_view&, const std::vector<std::string>& axes);

}  // namespace ablate::reports
