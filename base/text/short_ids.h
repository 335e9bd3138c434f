#pragma once

#include <map>
#include <string>
#include <vector>

namespace ablate::reports {

/// Case ids (operation/variant/axis=value/…/@cache-state) as a list shows them: what all ids of an operation
/// share is said once.
struct short_ids {
  std::map<std::string, std::string> by_id;  ///< "voxelize/warp_match/points=4096"
  /// What was left out, one entry an operation: "voxelize: mode=count_i32, grid=128, cold-clean".
  std::vector<std::string> shared;

  /// The id itself if it was not among those shortened.
  const std::string& of(const std::string& id) const;
  /// A sentence of what begins with an id, with the short one.
  std::string in(const std::string& sentence, const std::string& id) const;
  /// "Common to the cases shown of voxelize: …", a line an operation.
  std::string shared_text() const;
};

/// An operation's only id stays whole.
short_ids shortened(const std::vector<std::string>& ids);

}  // namespace ablate::reports
