#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/run_program.h"

namespace ablate::wrong_signatures_test {
namespace {

using test_support::program_result;
using testing::HasSubstr;
using testing::Not;

/// Compiles a file of a project outside of the tree.
program_result compile(const std::string& text) {
  const test_support::temporary_directory files;
  return test_support::run_program({test_support::compiler_path(), "-std=c++20", "-fsyntax-only",
                                    "-DABLATE_HAS_CUDA=1", "-isystem", test_support::public_headers_path(),
                                    files.write("mine.cpp", text).string()});
}

struct functions {
  std::string arrays = "std::vector<kernel_array> arrays(const axis_values&) { return {}; }";
  std::string flops = "double flops(const axis_values&) { return 1; }";
  std::string reference = "void reference(const spans&) {}";
  std::string launch = "ABLATE_KERNEL(launch)";
};

std::string operation_of(const functions& of) {
  return "#include <ablate/ablate.h>\nnamespace mine {\nusing namespace ablate;\n" + of.arrays + "\n" +
         of.flops + "\n" + of.reference +
         "\nvoid other(launcher&, const axis_values&);"
         "\nconst bool defined = define_kernel({.name = \"mine\", .description = \"\", .axes = {}, .arrays = arrays,"
         "\n    .flops = flops, .baseline = \"plain\", .reference = reference,"
         "\n    .variants = {{\"plain\", " +
         of.launch + ", {{\"a\", \"b\"}}, \"plain\"}, {\"null\", nullptr, {}, \"not here\"}}});\n}\n";
}

std::string kernel_of(const std::string& parameters) {
  return "#include <ablate/ablate.h>\nnamespace mine {\nusing namespace ablate;\nvoid launch(" + parameters +
         ") {}\nABLATE_LAUNCH_FUNCTION(launch);\n}\n";
}

void expect_refused(const std::string& text, const std::string& sentence) {
  const program_result refused = compile(text);
  EXPECT_EQ(refused.exit_code, 1) << text;
  EXPECT_THAT(refused.error, HasSubstr(sentence));
}

TEST(WrongSignatures, RightOnesCompile) {
  const program_result operation = compile(operation_of({}));
  EXPECT_EQ(operation.exit_code, 0) << operation.error;
  const program_result kernel = compile(kernel_of("launcher&, const spans&, const switches&"));
  EXPECT_EQ(kernel.exit_code, 0) << kernel.error;
}

TEST(WrongSignatures, AreRefusedInASentenceThatSaysWhatIsExpected) {
  expect_refused(kernel_of("launcher&, const spans&"),
                 "expected: void launch(ablate::launcher&, const ablate::spans&, const ablate::switches&)");
  expect_refused(kernel_of("launcher&, spans&, const switches&"),
                 "the launch function launch has another signature");
  expect_refused(operation_of({.launch = "&other"}), "a variant's launch function has another signature");
  expect_refused(operation_of({.arrays = "std::vector<kernel_array> arrays(long) { return {}; }"}),
                 "expected: std::vector<ablate::kernel_array> arrays(const ablate::axis_values&)");
  expect_refused(operation_of({.flops = "double flops(const spans&) { return 1; }"}),
                 "expected: double flops(const ablate::axis_values&)");
  expect_refused(operation_of({.reference = "void reference(spans&) {}"}),
                 "expected: void reference(const ablate::spans&)");
}

// The sentence, and not a page about constructors.
TEST(WrongSignatures, AreExplainedOnce) {
  const program_result refused = compile(operation_of({.reference = "void reference(spans&) {}"}));
  EXPECT_THAT(refused.error, Not(HasSubstr("could not convert")));
  EXPECT_THAT(refused.error, Not(HasSubstr("no matching function")));
}

}  // namespace
}  // namespace ablate::wrong_signatures_test
