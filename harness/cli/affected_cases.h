#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reports/gate/affected.h"

namespace ablate {

/// Two builds and the suite that both take.
struct compared_builds {
  std::filesystem::path baseline, candidate;  ///< programs, or files that `static launches` wrote
  std::filesystem::path suite;
  std::string chip, filter;
  std::vector<std::string> data;
};

/// Asks both programs what they launch (`static launches`) and compares the answers. If their sources differ
/// and a case is left that launches the same, its input is made by both and compared too. Needs no GPU.
/// Throws bad_input, and std::runtime_error if a program does not answer.
gate::affected affected_cases(const compared_builds&);

}  // namespace ablate
