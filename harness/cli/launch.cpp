#include <fmt/format.h>

#include <memory>
#include <regex>

#include "harness/cli/commands.h"
#include "harness/cli/inputs.h"
#include "harness/runner/executor.h"
#include "reports/bad_input.h"

namespace ablate {

namespace {

constexpr int wrong_result = 3;

struct launch_arguments {
  std::string suite, filter;
  int device = 0;
  std::vector<std::string> data;
};

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
  add_data_option(*command, given->data);
  command->footer(
      "Each case is launched in its cache state (cold-clean behind this program's own flush), alone between "
      "cudaProfilerStart and cudaProfilerStop and inside an NVTX range named as the case: `ncu "
      "--profile-from-start "
      "off --cache-control none --clock-control none ablate launch SUITE`. Prints one JSON object a case, in "
      "order: "
      "name, kernels in launch order, output (ok or differs).");
  command->callback([given, &called] {
    const cuda_backend* backend = find_cuda_backend();
    if (!backend) throw bad_input("launch", "", "this program was built without CUDA");
    const suite from = read_suite(given->suite);
    const target on{.compute_capability = gpu_at(*backend, given->device).compute_capability};
    const input_library inputs(from.seed, from.point_files, data_directories(given->data));
    const std::regex selected(given->filter);
    const std::unique_ptr<executor> gpu = backend->make_executor(given->device, {});
    for (const suite_case& c : expand(from, on, inputs, given->filter)) {
      if (c.not_applicable || !std::regex_search(c.id, selected)) continue;
      const nlohmann::ordered_json launched =
          gpu->launch_once(c, c.operation->prepare(c.axes, inputs), inputs);
      fmt::print("{}\n", launched.dump());
      if (launched.at("output") != "ok") called.exit_code = wrong_result;
    }
  });
}

}  // namespace ablate
