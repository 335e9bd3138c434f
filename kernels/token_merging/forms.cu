// Matches by the form that `core` names: FMA, mma.sync or warpgroup MMAs. Each form's file says what it is
// and what should move.
#include "kernels/common/switches.h"
#include "kernels/token_merging/launches.h"

namespace ablate::token_merging {

void find_matches(launcher& to, const problem& p, const switches& s) {
  const text_view core = s.word("core");
  (core == "hopper" ? match_hopper : core == "mma" ? match_mma : match_rows)(to, p, s);
}

}  // namespace ablate::token_merging
