#pragma once

#include <string>

#include "reports/record/record.h"

namespace ablate::explain {

/// How to see a case again; an empty command where there is none.
struct case_commands {
  std::string run;   ///< measures the case and nothing else
  std::string ncu;   ///< Nsight Compute over one launch of it
  std::string nsys;  ///< Nsight Systems likewise
  std::string nvtx_range;
  std::string note;  ///< what the commands cannot repeat, or why there are none; may be empty
};

/// Of a case by this name. The suite, and with it the seed and the data directories that `ablate run` was
/// given, are those of the record's command.
case_commands commands_of(const record&, const std::string& name, const std::string& operation,
                          const std::string& variant);

/// An ECMAScript regular expression that only this text matches.
std::string exact_expression(const std::string&);

}  // namespace ablate::explain
