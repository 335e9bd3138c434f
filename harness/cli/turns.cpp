#include "harness/runner/turns.h"

#include <iostream>
#include <memory>

#include "base/text/bad_input.h"
#include "harness/cli/commands.h"
#include "harness/cli/inputs.h"
#include "harness/cli/suite_report.h"

namespace ablate {

namespace {

struct turns_arguments {
  std::string suite;
  int device = 0;
  double longest_wait_s = longest_wait_for_steady_clock_s;
  std::vector<std::string> data;
};

}  // namespace

void add_turns_command(CLI::App& program, invocation&) {
  CLI::App* command = program.add_subcommand(
      "turns", "Measure the cases named on standard input, taking turns with another program's kernels");
  const auto given = std::make_shared<turns_arguments>();
  command->add_option("suite", given->suite, "The cases' suite, a JSON file")->required()->type_name("FILE");
  command->add_option("--device", given->device, "Number of the GPU as CUDA counts them [0]")->type_name("N");
  command->add_option("--longest-wait", given->longest_wait_s, "Longest wait for a steady SM clock")
      ->type_name("S")
      ->check(CLI::Range(0.1, 60.0))
      ->capture_default_str();
  add_data_option(*command, given->data);
  command->footer(
      "Reads one case id per line and answers each with a line of JSON: name, status, and time_us as in a "
      "record, or reason. Ends at the end of its input. The programs in scripts/rivals/ use it.");
  command->callback([given] {
    const cuda_backend* backend = find_cuda_backend();
    if (!backend) throw bad_input("turns", "", "this program was built without CUDA");
    const suite from = with_checked_report(read_suite(given->suite));
    const target on{.compute_capability =
                        gpu_at(*backend, given->device, asked_in::this_process).compute_capability};
    const input_library inputs(from.seed, from.point_files, data_directories(given->data));
    std::vector<suite_case> cases = expand(from, on, inputs);
    for (suite_case& c : cases) c.protocol.steady_clock_s = given->longest_wait_s;
    const std::unique_ptr<executor> gpu = backend->make_executor(given->device, {});
    take_turns(cases, from.sampling, inputs, *gpu, std::cin, std::cout);
  });
}

}  // namespace ablate
