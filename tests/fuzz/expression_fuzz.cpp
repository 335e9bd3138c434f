#include "harness/wrapped/expression.h"

#include "base/text/bad_input.h"
#include "tests/fuzz/target.h"
#include "tests/support/slurp.h"

namespace ablate::fuzz {
namespace {

/// As a number in a file of wrapped kernels, whose reader says where it is.
wrapped::expression read_expression(const std::filesystem::path& file) try {
  return {test_support::slurp(file), {"rows", "columns"}};
} catch (const wrapped::expression_error& why) {
  throw bad_input(file.string(), "", why.what());
}

/// There may be no value at some axes.
void feed_expression(const std::filesystem::path& file) {
  const wrapped::expression read = read_expression(file);
  for (const axis_values& at :
       {axis_values{{"rows", "1024"}, {"columns", "3"}}, axis_values{{"rows", "0"}, {"columns", "0"}}})
    try {
      read.at(at);
    } catch (const wrapped::expression_error&) {
    }
}

const registered expression_target("expression", feed_expression);

}  // namespace
}  // namespace ablate::fuzz
