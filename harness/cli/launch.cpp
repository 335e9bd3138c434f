#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "base/text/bad_input.h"
#include "base/text/json_text.h"
#include "harness/cli/commands.h"
#include "harness/cli/inputs.h"
#include "harness/cli/suite_option.h"
#include "harness/runner/executor.h"
#include "harness/suite/case_words.h"

namespace ablate {

namespace {

constexpr int wrong_result = 3;

struct launch_arguments {
  suite_choice what;
  std::string filter, poisoned;
  int device = 0;
  bool bare = false;
  std::vector<std::string> data;
};

/// Printed whole before what follows may bring the process down.
void say(const nlohmann::ordered_json& line) {
  fmt::print("{}\n", reports::json_text(line));
  std::fflush(stdout);
}

}  // namespace

void add_launch_command(CLI::App& program, invocation& called) {
  CLI::App* command = program.add_subcommand(
      "launch", "Launch each case of a suite once, for a profiler such as ncu; measures nothing itself");
  const auto given = std::make_shared<launch_arguments>();
  add_suite_options(*command, given->what);
  command->add_option("--filter", given->filter, "As for `run`, but applies to calibrations too")
      ->type_name("AXIS=VALUE...|RE");
  command->add_option("--device", given->device, "The GPU's number, as CUDA counts them [0]")->type_name("N");
  command->add_flag("--bare", given->bare,
                    "For compute-sanitizer: launch without warm-up and cache flush, with scratch and outputs "
                    "uninitialized, launch the instrumented form too, print each kernel's name before it "
                    "starts, and wait for it");
  command
      ->add_option(
          "--poisoned", given->poisoned,
          "With --bare, poison scratch and outputs, as `run` does, in these cases (selected as by --filter): "
          "those whose writes the sanitizer does not see")
      ->type_name("AXIS=VALUE...|RE")
      ->needs("--bare");
  add_data_option(*command, given->data);
  command->footer(
      "Each case is launched in its cache state (for cold-clean, Ablate flushes the cache), between "
      "cudaProfilerStart and cudaProfilerStop and in an NVTX range with the case's name. Profile with `ncu "
      "--profile-from-start off --cache-control none --clock-control none ablate dev launch SUITE`. Prints "
      "one line of JSON per case: name, kernels in launch order, output (ok or differs). With --bare, a line "
      "with the case's id (case) and one per kernel (kernel, shared_bytes) precede it.");
  command->callback([given, &called] {
    const cuda_backend* backend = find_cuda_backend();
    if (!backend) throw bad_input("launch", "", "this program was built without CUDA");
    const suite from = chosen_suite(given->what);
    const target on{.compute_capability =
                        gpu_at(*backend, given->device, asked_in::this_process).compute_capability};
    const input_library inputs(from.seed, from.point_files, data_directories(given->data));
    const std::vector<suite_case> cases = expand(from, on, inputs, given->filter, filtered::all);
    const case_filter poisoned(given->poisoned, case_words_of(cases), "--poisoned");
    const auto is_poisoned = [&](const suite_case& c) {
      return !given->poisoned.empty() && poisoned.holds(case_words_of(c));
    };
    const std::unique_ptr<executor> gpu = backend->make_executor(given->device, {});
    for (const suite_case& c : cases) {
      if (c.not_applicable) continue;
      const workload work = c.operation->prepare(c.axes, inputs);
      if (given->bare) say({{"case", c.id}});
      const nlohmann::ordered_json launched = given->bare
                                                  ? gpu->launch_bare(c, work, inputs, is_poisoned(c), say)
                                                  : gpu->launch_once(c, work, inputs);
      say(launched);
      if (launched.at("output") != "ok") called.exit_code = wrong_result;
    }
  });
}

}  // namespace ablate
