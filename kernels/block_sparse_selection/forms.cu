// Kept blocks chosen by the form that `method` names: a sort of whole rows, or a descent to each row's lowest
// kept score. Each form's file says what it is and what should move.
#include "kernels/block_sparse_selection/launches.h"
#include "kernels/common/switches.h"

namespace ablate::block_sparse_selection {

void choose(launcher& to, const problem& p, const switches& s) {
  (s.word("method") == "sort" ? sort_rows : descent)(to, p, s);
}

}  // namespace ablate::block_sparse_selection
