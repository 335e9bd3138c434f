#include "harness/cli/later_launch.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

namespace ablate {
namespace {

run_options options_of_launch(const run_options& first, const std::filesystem::path& folder, long launch,
                              std::uint64_t seed) {
  run_options out = first;
  out.out = folder;
  out.resume = first.resume && std::filesystem::exists(folder);
  out.keeps_finished = out.timeline = false;
  out.counters = "none";
  out.launch.ceilings = {"none"};
  out.launch.unchecked = true;
  out.launch.keeps_samples = false;
  out.launch.order_seed = seed + static_cast<std::uint64_t>(launch);
  out.began_ns = 0;
  return out;
}

}  // namespace

void wait_for_another_second() {
  using namespace std::chrono;
  std::this_thread::sleep_until(ceil<seconds>(system_clock::now() + milliseconds(1)));
}

suite timed_only(suite from) {
  from.counters = "none";
  from.energy = false;
  for (suite_block& block : from.blocks) {
    block.counters.reset();
    block.energy.reset();
    block.picture = block.sampled = false;
  }
  return from;
}

later_launch::later_launch(const suite& timed, const run_options& first, long launch)
    : timed_(timed),
      options_(options_of_launch(first, first.out / "launches" / fmt::format("{:02}", launch), launch,
                                 timed.seed)),
      record_(first.out / fmt::format("record-{:02}.json", launch)) {}

int later_launch::run(const std::vector<std::string>& only, const std::string& notice,
                      const run_one_launch& run, const std::function<void()>& wait) const {
  run_options options = options_;
  options.launch.only = only;
  options.notice = notice;
  wait();
  return run(timed_, options);
}

void later_launch::keep_record() const {
  std::filesystem::rename(options_.out / "record.json", record_);
  std::filesystem::remove_all(options_.out);
}

}  // namespace ablate
