#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <regex>

#include "harness/cli/commands.h"
#include "harness/cli/inputs.h"
#include "harness/runner/executor.h"
#include "reports/text/bad_input.h"
#include "reports/text/regular_expression.h"

namespace ablate {

namespace {

constexpr int wrong_result = 3;

struct launch_arguments {
  std::string suite, filter, poisoned;
  int device = 0;
  bool bare = false;
  std::vector<std::string> data;
};

/// Printed whole before what follows may bring the process down.
void say(const nlohmann::ordered_json& line) {
  fmt::print("{}\n", line.dump());
  std::fflush(stdout);
}

}  // namespace

void add_launch_command(CLI::App& program, invocation& called) {
  CLI::App* command = program.add_subcommand(
      "launch", "Launch each case of a suite once, for a profiler such as ncu; measures nothing");
  const auto given = std::make_shared<launch_arguments>();
  command->add_option("suite", given->suite, "The suite, a JSON file as in suites/")
      ->required()
      ->type_name("FILE");
  command
      ->add_option(
          "--filter", given->filter,
          "Only the cases whose id holds a match of this regular expression (ECMAScript); the calibrations "
          "too")
      ->type_name("RE");
  command->add_option("--device", given->device, "Number of the GPU as CUDA counts them [0]")->type_name("N");
  command->add_flag("--bare", given->bare,
                    "For compute-sanitizer: no warm-up and no flush, scratch and outputs unwritten, the "
                    "instrumented form too; every kernel is named before it runs, and waited for");
  command
      ->add_option(
          "--poisoned", given->poisoned,
          "With --bare: scratch and outputs hold poison, as in `run`, in the cases whose id holds a match of "
          "this regular expression, whose writes the tool does not see")
      ->type_name("RE")
      ->needs("--bare");
  add_data_option(*command, given->data);
  command->footer(
      "Each case is launched in its cache state (cold-clean behind this program's own flush), alone between "
      "cudaProfilerStart and cudaProfilerStop and inside an NVTX range named as the case: `ncu "
      "--profile-from-start "
      "off --cache-control none --clock-control none ablate launch SUITE`. Prints one JSON object a case, in "
      "order: "
      "name, kernels in launch order, output (ok or differs). With --bare one line begins a case (case), one "
      "names each kernel (kernel, shared_bytes), and the last has name and output.");
  command->callback([given, &called] {
    const cuda_backend* backend = find_cuda_backend();
    if (!backend) throw bad_input("launch", "", "this program was built without CUDA");
    const suite from = read_suite(given->suite);
    const target on{.compute_capability =
                        gpu_at(*backend, given->device, asked_in::this_process).compute_capability};
    const input_library inputs(from.seed, from.point_files, data_directories(given->data));
    const std::regex selected = regular_expression(given->filter, "--filter");
    const std::regex poisoned = regular_expression(given->poisoned, "--poisoned");
    const auto is_poisoned = [&](const suite_case& c) {
      return !given->poisoned.empty() && std::regex_search(c.id, poisoned);
    };
    const std::unique_ptr<executor> gpu = backend->make_executor(given->device, {});
    for (const suite_case& c : expand(from, on, inputs, given->filter)) {
      if (c.not_applicable || !std::regex_search(c.id, selected)) continue;
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
