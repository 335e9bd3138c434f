#include "harness/wrapped/read_wrapped.h"
#include "tests/fuzz/target.h"
#include "tests/support/slurp.h"

namespace ablate::fuzz {
namespace {

/// A plugin's description of an operation.
void feed_plugin_operation(const std::filesystem::path& file) {
  const array_definition read = wrapped::read_plugin_operation(test_support::slurp(file), file);
  axis_values at;
  for (const axis& a : read.axes) at.set(a.name, a.default_value);
  if (!read.refuses(at)) read.arrays(at);
}

const registered plugin_operation_target("plugin_operation", feed_plugin_operation);

}  // namespace
}  // namespace ablate::fuzz
