#pragma once

#include <string>
#include <vector>

namespace ablate {

/// The cases of a claim's figures, without repeating what they have in common. A case id is a path of words,
/// operation/variant/axis=value…/@cache.
struct grouped_cases {
  /// The id that all first cases share, with a * for each word that differs:
  /// "voxelize/smem_hashed/points=*/order=natural/@cold-clean".
  std::string pattern;
  /// What every figure's second case has instead of the first one's words, if it is the same for all:
  /// "global_atomic". Empty if it differs or if there are no second cases.
  std::string counterpart;
  std::vector<std::string> labels;  ///< one per figure: the words that replace the stars
  std::vector<std::string> words;   ///< one per star: all words in its place, "points=1000, 2000"
};

/// For each figure, `cases` has the id of its case, or the ids of a case and its counterpart.
grouped_cases group_cases(const std::vector<std::vector<std::string>>& cases);

}  // namespace ablate
