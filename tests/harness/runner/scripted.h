#pragma once

#include <signal.h>
#include <unistd.h>

#include <cmath>
#include <map>
#include <thread>

#include "harness/runner/run.h"
#include "kernels/common/unsupported.h"

namespace ablate::test_support {

/// An operation of one axis `n` whose variants do nothing: what happens is up to the scripted executor.
class scripted_operation final : public operation {
 public:
  scripted_operation() {
    name = "scripted";
    axes = {axis::of_integers("n", 0, 1000, 0, "number of the case")};
    variants = {{.name = "only", .description = "", .switches = {}, .only_where = {}}};
    baseline = "only";
  }
  std::vector<buffer> buffers(const axis_values&, const input_library&) const override {
    return {{"out", 4, buffer_role::output, buffer_reset::poison}};
  }
  workload prepare(const axis_values& at, const input_library&) const override {
    if (when_prepared) when_prepared();
    if (at.integer("n") == 500) throw input_missing("there is no such file");
    if (at.integer("n") == 501) throw input_unfit("scan.bin", "", "expected 501 points or more");
    if (at.integer("n") == 502) throw bad_input("scan.bin", "byte 7", "expected points");
    workload w;
    w.contents = {{}};
    w.check = [](std::span<const std::byte* const> out) {
      return check_result{.ok = out[0][0] == std::byte{1}};
    };
    w.reference = [](std::span<void* const> out) { *static_cast<int*>(out[0]) = 1; };
    w.input = {{"hash", "n" + at.word("n")}};
    w.quality = [](std::span<const std::byte* const> out) {
      return nlohmann::ordered_json{{"first_byte", static_cast<int>(out[0][0])}, {"undefined", nullptr}};
    };
    w.picture = [](std::span<const std::byte* const>) {
      return nlohmann::ordered_json{{"title", "one point"},
                                    {"x", "x (m)"},
                                    {"y", "y (m)"},
                                    {"panels", {{{"title", "its bucket"}, {"kind", "category"}}}},
                                    {"points", {{0.5, 0.25, 3}}}};
    };
    return w;
  }
  std::function<void(launcher&)> bind(const variant_facts&, const axis_values&, const input_library&,
                                      std::span<void* const>) const override {
    return [](launcher&) {};
  }
  region_clock clock(const axis_values&, const input_library&) const override { return timed_by; }
  region_clock timed_by = region_clock::device;
  std::function<void()> when_prepared;
  std::optional<std::string> refuses(const axis_values& at) const override {
    if (at.integer("n") == 600) return "600 makes no case";
    return std::nullopt;
  }
};

/// What happens to a case, by its n; every other case takes n microseconds.
enum class fate {
  ok,
  wrong,
  nan,
  timeless,  ///< takes no time at all
  failed,
  unsupported,
  out_of_memory,
  lost_device,
  crash,
  hang,
  hang_afterwards,
  braked,  ///< by the board's power brake, while it is timed
  drifts   ///< takes 3 % longer each time
};

class scripted_executor final : public executor {
 public:
  explicit scripted_executor(std::map<long, fate> fates, int case_ms = 0)
      : fates_(std::move(fates)), case_ms_(case_ms) {}
  ~scripted_executor() override {
    while (hangs_afterwards_) pause();
  }
  nlohmann::ordered_json device_facts() override { return {{"kind", "gpu"}, {"name", "scripted"}}; }
  std::vector<record::evidence_rung> evidence() override { return {}; }
  measurement run(const suite_case& c, const workload&, const input_library&, const sampling&) override {
    const long n = c.axes.integer("n");
    std::this_thread::sleep_for(std::chrono::milliseconds(case_ms_));
    switch (fates_.contains(n) ? fates_.at(n) : fate::ok) {
      case fate::ok:
      case fate::nan:
      case fate::timeless:
      case fate::braked:
        break;
      case fate::drifts:
        ++drifted_;
        break;
      case fate::wrong:
        return {"wrong", "cell 3 differs"};
      case fate::failed:
        throw std::runtime_error("the launch was refused");
      case fate::unsupported:
        throw unsupported("the library cannot be loaded");
      case fate::out_of_memory:
        throw out_of_memory("no 4 TB");
      case fate::lost_device:
        throw device_lost("an illegal address was read");
      case fate::crash:
        kill(getpid(), SIGKILL);
        break;
      case fate::hang:
        for (;;) pause();
      case fate::hang_afterwards:
        hangs_afterwards_ = true;
        break;
    }
    const auto is = [&](fate f) { return fates_.contains(n) && fates_.at(n) == f; };
    const double us = is(fate::timeless) ? 0
                                         : (1.0 + static_cast<double>(n)) *
                                               (is(fate::drifts) ? 1 + 0.03 * (drifted_ - 1) : 1);
    const double mad = is(fate::nan) ? std::nan("") : 0;
    measurement out{"ok"};
    out.facts.time = {.median_us = us,
                      .min_us = us,
                      .mad_us = mad,
                      .ci95_low_us = us,
                      .ci95_high_us = us,
                      .method = "events",
                      .launches_per_sample = 1,
                      .warmup_launches = 0,
                      .stopped_by = "precision",
                      .samples_us = {us, us},
                      .clock = {}};
    out.facts.counters.set = "none";
    out.facts.counters.reason = "scripted";
    device_state after;
    after.event_reasons =
        std::vector<std::string>{is(fate::braked) ? "hw_power_brake_slowdown" : "sw_power_cap"};
    out.facts.device_state = {{}, after, {}};
    return out;
  }

 private:
  std::map<long, fate> fates_;
  int case_ms_, drifted_ = 0;
  bool hangs_afterwards_ = false;
};

/// A suite of the scripted operation at these values of n.
inline suite scripted_suite(const operation& op, const std::vector<long>& values) {
  std::vector<std::string> words;
  for (long n : values) words.push_back(std::to_string(n));
  suite s;
  s.name = "scripted";
  s.path = "scripted.json";
  suite_block block;
  block.operation = &op;
  block.variants = {&op.variants.front()};
  block.axes = {{"n", words}};
  block.cache_states = {cache_state::cold_clean};
  s.blocks = {block};
  return s;
}

}  // namespace ablate::test_support
