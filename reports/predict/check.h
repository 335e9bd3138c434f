#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/predict/interval.h"
#include "reports/predict/model.h"
#include "reports/predict/seen.h"
#include "reports/predict/sizes.h"

/// Predictions of what was measured, made without the operation that they are of, beside what one would say
/// without a model.
namespace ablate::predict {

/// |ln(predicted / measured)| over cases.
struct errors {
  std::size_t cases = 0;
  double median = 0, p90 = 0;
  double within_5 = 0, within_10 = 0, within_20 = 0;  ///< shares of cases, by |ratio - 1| in logarithms
};
errors errors_of(std::vector<double> logarithms);

struct scored_way {
  std::string way;
  errors all;
  errors differing;  ///< where the two chips differ by more than 10 %
};

struct scored_operation {
  std::string operation;
  errors no_change, best_other, model;
  std::string best_other_way;
  double covered = 0, half_width = 0;  ///< share inside of the interval; its median half-width
};

/// Of the variant that is predicted to be the fastest: its time over that of the fastest.
struct regrets {
  std::size_t workloads = 0;
  double within_3 = 0, worst = 0;  ///< share of workloads with at most 3 %; a ratio
};

struct chip_check {
  std::string from, to;
  std::vector<scored_way> ways;
  std::vector<scored_operation> operations;
  double covered = 0;
  double narrow = 0;  ///< share of cases whose interval is narrow enough to answer
  regrets by_model, by_no_change;
};

struct size_check {
  bool beyond = false;
  std::vector<scored_way> ways;  ///< `differing` are those whose interval is narrow enough
  std::vector<scored_operation> operations;
  double covered = 0, narrow = 0, covered_where_narrow = 0;
};

/// A case that two records of one chip have.
struct repeated_check {
  std::string chip;
  errors between;
};

struct check {
  std::vector<std::string> records;
  weights fitted;
  std::map<std::string, weights> without;  ///< by the operation that was left out
  double chip_quantile = 0, inside_quantile = 0, beyond_quantile = 0;
  std::size_t other_kernels = 0;  ///< cases left out: their instructions differ by more than 1 %
  std::map<std::string, measured_rates> rates;  ///< by chip, medians over its records
  by_resource<double> most_ratio = {};          ///< the greatest |ln C / C'| that the fit has seen
  std::vector<chip_check> chips;
  size_check inside, beyond;
  std::vector<repeated_check> repeated;
  std::map<std::string, std::vector<std::string>> folders;  ///< of records, by operation
};

/// A case that two chips ran, as a transfer from one to the other.
struct compared {
  const seen_record *from_record, *to_record;
  const seen_case *from, *to;
  transfer by;
};
/// Of several records of a chip the latest counts. `other_kernels` counts pairs that are left out.
std::vector<compared> same_cases(const std::vector<seen_record>&, const std::string& from,
                                 const std::string& to, const chip_sheets&, std::size_t& other_kernels);
std::vector<compared> same_cases(const std::vector<seen_record>&&, const std::string& from,
                                 const std::string& to, const chip_sheets&,
                                 std::size_t& other_kernels) = delete;  // they point into the records

/// Fits and judges. Throws bad_input where no case ran on two chips.
check checked(const std::vector<seen_record>&, const chip_sheets&);

nlohmann::ordered_json check_json(const check&);
std::string check_markdown(const check&);

}  // namespace ablate::predict
