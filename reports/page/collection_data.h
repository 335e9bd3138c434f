#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "reports/gate/static_facts.h"

namespace ablate::reports {

/// A folder's record with its further launches, named as the page names it: "h200/voxelization".
struct collected {
  std::string name;
  std::filesystem::path record;
  std::vector<std::filesystem::path> further;
};

/// All records below a folder, by name, at most four folders down.
std::vector<collected> records_below(const std::filesystem::path& folder);

/// What the page of reports/page/html/collection.html shows: the records, and by operation each workload with
/// the times of its variants and the interval of each over all launches. `of_tree` says which records are of
/// kernels that have changed since; null: not known. Records that cannot be read are left out, each with a
/// line in `left_out`.
nlohmann::ordered_json collection_data(const std::vector<collected>&, const gate::static_facts_file* of_tree);

}  // namespace ablate::reports
