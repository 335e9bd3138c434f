#pragma once

#include "harness/timing/stopwatch.h"

namespace ablate::gate {

/// A gate's time budget in seconds, including the earlier parts of a resumed gate.
class time_budget {
 public:
  explicit time_budget(double seconds) : seconds_(seconds) {}

  void add_earlier(double seconds) { earlier_ += seconds; }
  double spent() const { return earlier_ + watch_.seconds(); }
  /// Whether `more` seconds fit along with the time set aside.
  bool allows(double more) const { return spent() + more + set_aside_ <= seconds_; }
  void set_aside(double seconds) { set_aside_ = seconds; }
  double seconds() const { return seconds_; }

 private:
  double seconds_, earlier_ = 0, set_aside_ = 0;
  stopwatch watch_;
};

}  // namespace ablate::gate
