#pragma once

#include <filesystem>
#include <vector>

#include "reports/claims/claims.h"

namespace ablate {

/// The claims of all these files. Throws bad_input as read_claims does, and for an id that is there twice.
std::vector<claim> read_all_claims(const std::vector<std::filesystem::path>&);

/// The files that come with the program, in suites/claims beside its reports/ folder; none where only that
/// folder was installed.
std::vector<std::filesystem::path> published_claims();

}  // namespace ablate
