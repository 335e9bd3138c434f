#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/record/record.h"

namespace ablate::explain {

/// How to reproduce a case; an empty command if there is none.
struct case_commands {
  std::string run;   ///< measures the case and nothing else
  std::string ncu;   ///< Nsight Compute over one launch of it
  std::string nsys;  ///< the same with Nsight Systems
  std::string nvtx_range;
  std::string note;  ///< what the commands cannot repeat, or why there are none; may be empty
};

/// For a case of this name. The suite, and with it the seed and data directories given to `ablate run`, come
/// from the record's command.
case_commands commands_of(const record&, const std::string& name, const std::string& operation,
                          const std::string& variant);

using axis_lists = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// Measures these variants or points of an operation at these values of all its axes, `cache` among them, in
/// one launch. Everything else is as in the record's run.
std::string run_of_variants(const record&, const std::string& operation,
                            const std::vector<std::string>& variants, const axis_lists& axes);

/// An ECMAScript regular expression that matches only this text.
std::string exact_expression(const std::string&);

}  // namespace ablate::explain
