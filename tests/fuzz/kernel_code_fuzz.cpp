#include "harness/wrapped/kernel_code.h"

#include "tests/fuzz/target.h"

namespace ablate::fuzz {
namespace {

void feed_kernel_code(const std::filesystem::path& file) {
  const wrapped::kernel_code read = wrapped::read_kernel_code(file);
  read.entries();
  read.least_capability();
}

const registered kernel_code_target("kernel_code", feed_kernel_code);

}  // namespace
}  // namespace ablate::fuzz
