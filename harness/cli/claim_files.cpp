#include "harness/cli/claim_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/bad_input.h"
#include "harness/cli/gate_files.h"

namespace ablate {

namespace {

void refuse_equal_ids(const std::vector<claim>& claims) {
  for (auto c = claims.begin(); c != claims.end(); ++c)
    for (auto earlier = claims.begin(); earlier != c; ++earlier)
      if (earlier->id == c->id)
        throw bad_input(
            c->file, c->pointer + "/id",
            fmt::format("expected an id of its own, found '{}' of {} again", c->id, earlier->file));
}

}  // namespace

std::vector<claim> read_all_claims(const std::vector<std::filesystem::path>& files) {
  std::vector<claim> out;
  for (const auto& file : files)
    for (claim& c : read_claims(file)) out.push_back(std::move(c));
  refuse_equal_ids(out);
  return out;
}

std::vector<std::filesystem::path> published_claims() {
  const std::filesystem::path folder = project_suites("claims");
  std::vector<std::filesystem::path> out;
  if (std::filesystem::is_directory(folder))
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".json") out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace ablate
