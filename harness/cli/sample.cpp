#include <iostream>
#include <memory>

#include "base/text/bad_input.h"
#include "harness/cli/commands.h"
#include "harness/counters/sample_for_another.h"
#include "harness/counters/unavailable.h"
#include "harness/runner/executor.h"

namespace ablate {

void add_sample_command(CLI::App& program, invocation& called) {
  CLI::App* command = program.add_subcommand(
      "sample", "Sample a GPU while another program uses it, at the times that it gives on standard input");
  const auto device = std::make_shared<int>(0);
  command->add_option("--device", *device, "Number of the GPU as CUDA counts them [0]")->type_name("N");
  command->footer(
      "Reads one request per line and answers each with a line of JSON: {\"begin\": {\"range_us\": 3000}} "
      "starts sampling, {\"end\": {\"ranges\": [[from, to], ...]}} stops it and says what ran when, by the "
      "GPU's global timer in ns, {\"finish\": {\"unsampled\": [[from, to], ...]}} returns `sampled` as in a "
      "record: means, deviations, busy share, and the cost of sampling. The programs in scripts/rivals/ use "
      "it. Exit code 4 if the GPU cannot be sampled.");
  command->callback([device, &called] {
    const cuda_backend* backend = find_cuda_backend();
    if (!backend) throw bad_input("sample", "", "this program was built without CUDA");
    gpu_at(*backend, *device, asked_in::this_process);
    std::unique_ptr<device_sampler> sampler;
    try {
      sampler = backend->make_sampler(*device);
    } catch (const counters_unavailable& why) {
      std::cerr << "ablate: sample: " << why.what() << "\n";
      called.exit_code = 4;
      return;
    }
    sample_for_another(*sampler, std::cin, std::cout);
  });
}

}  // namespace ablate
