#pragma once

#include "kernels/common/launcher.h"
#include "kernels/common/switches.h"
#include "kernels/network/problem.h"

namespace ablate::backbone {

/// Whether a step's own kernels may begin while the preceding one still runs. Before the first is
/// somebody else's.
bool begins_early(const network&, const step&, const switches&);

/// Rows after a level's last become 0.
void fill_padding(launcher&, std::uint16_t* rows, const level&, int channels);

/// Steps that are no other operation's.
void embed_rows(launcher&, const problem&, const network&, const step&);
void restore_rows(launcher&, const problem&, const network&, const step&);
void run_elementwise(launcher&, const problem&, const network&, const step&);
/// add_dropped, and drop_gradient.
void run_drop_path(launcher&, const problem&, const network&, const step&);

}  // namespace ablate::backbone
