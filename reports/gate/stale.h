#pragma once

#include <cstddef>
#include <string>

#include "base/record/record.h"
#include "reports/gate/static_facts.h"

namespace ablate::gate {

/// How the kernels of a record compare with those of a tree, as far as their resources tell: registers,
/// spills, stack and static shared memory for the architecture of the record's device. Equal resources do not
/// prove equal machine code; other resources, or no kernel of the name, prove another one.
struct kernel_states {
  std::size_t same = 0, changed = 0, gone = 0;
  bool is_stale() const { return changed + gone > 0; }
  /// "of 12 kernels 9 have the same resources as in this tree, 2 are changed, 1 no longer exist";
  /// the counts are those of results/README.md.
  std::string text() const;
};

/// Of the tree's own kernels that the record lists; those of libraries have no part in it.
kernel_states states_of_kernels(const record&, const static_facts_file& of_tree);

}  // namespace ablate::gate
