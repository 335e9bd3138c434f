#pragma once

#include <string>
#include <vector>

namespace ablate {

/// The cases of a claim's figures, told without repeating what they have in common. A case id is a path of
/// words, operation/variant/axis=value…/@cache.
struct told_cases {
  /// The id that all first cases share, with a * for each word that differs:
  /// "voxelize/smem_hashed/points=*/order=natural/@cold-clean".
  std::string pattern;
  /// What the second case of every figure has in the place of the first one's words, where it is the same for
  /// all: "global_atomic". Empty where it differs or where there are no second cases.
  std::string counterpart;
  std::vector<std::string> labels;  ///< one for each figure: the words in the places of the stars
  std::vector<std::string> words;   ///< one for each star: all words in its place, "points=1000, 2000"
};

/// `cases` has for each figure the id of its case or those of a case and its counterpart.
told_cases tell_cases(const std::vector<std::vector<std::string>>& cases);

}  // namespace ablate
