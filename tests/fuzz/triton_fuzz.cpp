#include "harness/wrapped/triton.h"

#include "tests/fuzz/target.h"

namespace ablate::fuzz {
namespace {

/// Its machine code is beside it.
void feed_triton(const std::filesystem::path& file) {
  std::filesystem::copy_file(seed("kernel_code/add.cubin"), file.parent_path() / "input.cubin",
                             std::filesystem::copy_options::skip_existing);
  wrapped::read_triton(file);
}

const registered triton_target("triton", feed_triton, "input.json");

}  // namespace
}  // namespace ablate::fuzz
