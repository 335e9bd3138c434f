#include <cstdint>
#include <stdexcept>

#include "harness/inputs/input_errors.h"
#include "harness/wrapped/bind_launch.h"
#include "harness/wrapped/read_wrapped.h"
#include "tests/fuzz/target.h"

namespace ablate::fuzz {
namespace {

namespace fs = std::filesystem;

/// The files of code that the seeds name.
void write_code_beside(const fs::path& file) {
  const auto give = [&](const char* name, const char* from) {
    fs::copy_file(seed(from), file.parent_path() / name, fs::copy_options::skip_existing);
  };
  give("add.cubin", "kernel_code/add.cubin");
  give("add.fatbin", "kernel_code/add.fatbin");
  give("add.ptx", "kernel_code/add.ptx");
  give("triton.json", "triton/add.json");
  give("triton.cubin", "kernel_code/add.cubin");
}

spans arrays_of(const array_definition& of, const axis_values& at) {
  // A case requests its inputs' contents; larger ones may rightly take longer.
  constexpr std::int64_t max_elements = 1 << 16;
  constexpr std::uint64_t any_seed = 1;
  spans::facts facts;
  for (const kernel_array& a : of.arrays(at)) {
    facts.arrays.push_back({a.name, a.count, a.element_bytes, a.type, a.role != buffer_role::input,
                            a.role == buffer_role::output});
    if (!a.contents || a.count > max_elements) continue;
    try {
      a.contents(any_seed);
    } catch (const input_missing&) {
    }
  }
  facts.axes.assign(at.begin(), at.end());
  return spans(std::move(facts));
}

/// As `ablate wrap FILE plan` does, and a case of each variant at the axes' defaults, without a launch.
void feed_wrapped(const fs::path& file) {
  write_code_beside(file);
  const wrapped::wrapped_file read = wrapped::read_wrapped(file);
  const array_definition& of = read.operation;
  axis_values at;
  for (const axis& a : of.axes) at.set(a.name, a.default_value);
  if (of.refuses(at)) return;
  const spans arrays = arrays_of(of, at);
  try {
    if (of.flops) of.flops(at);
    for (const wrapped::wrapped_launch& launch : read.launches) wrapped::bind_launch(launch, arrays);
  } catch (const std::runtime_error&) {  // which ends a case
  }
}

const registered wrapped_target("wrapped", feed_wrapped, "input.json");

}  // namespace
}  // namespace ablate::fuzz
