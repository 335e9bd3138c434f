#pragma once

#include <string>

#include "base/record/record.h"

namespace ablate::explain {

/// How to reproduce a case; an empty command if there is none.
struct case_commands {
  std::string run;   ///< measures the case and nothing else
  std::string ncu;   ///< Nsight Compute over one launch of it
  std::string nsys;  ///< likewise with Nsight Systems
  std::string nvtx_range;
  std::string note;  ///< what the commands cannot repeat, or why there are none; may be empty
};

/// For a case of this name. The suite, and with it the seed and data directories given to `ablate run`, come
/// from the record's command.
case_commands commands_of(const record&, const std::string& name, const std::string& operation,
                          const std::string& variant);

/// An ECMAScript regular expression that matches only this text.
std::string exact_expression(const std::string&);

}  // namespace ablate::explain
