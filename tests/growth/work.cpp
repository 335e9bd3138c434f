#include "tests/growth/work.h"

namespace {
std::uint64_t blocks = 0;
}

/// Called at the begin of each basic block that is compiled with -fsanitize-coverage=trace-pc.
extern "C" void __sanitizer_cov_trace_pc() { ++blocks; }

namespace ablate::growth {

std::uint64_t executed_blocks() { return blocks; }

}  // namespace ablate::growth
