#include <sstream>

#include "harness/counters/sample_for_another.h"
#include "harness/counters/sampled_ranges.h"
#include "tests/fuzz/target.h"
#include "tests/support/slurp.h"

namespace ablate::fuzz {
namespace {

/// A device that is busy all the time.
class busy_sampler final : public device_sampler {
 public:
  const std::vector<std::string>& keys() const override { return keys_; }
  clocked_samples sample(std::uint64_t, const std::function<void()>& work) override {
    work();
    return {{{0, 1'000'000, {50, 100}}, {1'000'000, 40'000'000, {60, 100}}}, 0};
  }

 private:
  std::vector<std::string> keys_ = {"sm_active_pct", busy_key};
};

/// As `ablate dev sample` does: each line of the file is a request. What is refused is answered.
void feed_sample_requests(const std::filesystem::path& file) {
  busy_sampler sampler;
  std::istringstream requests(test_support::slurp(file));
  std::ostringstream answers;
  sample_for_another(sampler, requests, answers);
}

const registered sample_requests_target("sample_requests", feed_sample_requests);

}  // namespace
}  // namespace ablate::fuzz
