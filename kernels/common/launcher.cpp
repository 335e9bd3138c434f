// What of a launcher needs no CUDA: what it describes and whom it tells.
#include "kernels/common/launcher.h"

#include "kernels/common/kernel_launch.h"

namespace ablate {

struct launcher::listeners {
  launch_listener announce;
  kernel_launches described;
};

launcher::launcher(const device_limits& device, bool describes_libraries)
    : device_(device),
      only_describes_(true),
      describes_libraries_(describes_libraries),
      listeners_(new listeners) {}

launcher::launcher(const launcher& of)
    : stream_(of.stream_),
      is_beside_(of.is_beside_),
      device_(of.device_),
      only_describes_(of.only_describes_),
      describes_libraries_(of.describes_libraries_),
      listeners_(of.listeners_ ? new listeners(*of.listeners_) : nullptr) {}

launcher::~launcher() { delete listeners_; }

void launcher::announce_to(const launch_listener& announce) {
  if (listeners_ == nullptr) listeners_ = new listeners;
  listeners_->announce = announce;
}

const kernel_launches& launcher::described() const {
  static const kernel_launches none;
  return listeners_ ? listeners_->described : none;
}

bool launcher::announces() const { return listeners_ != nullptr && listeners_->announce != nullptr; }

void launcher::announce(const kernel_launch& launched) const { listeners_->announce(launched); }

void launcher::describe(const kernel_launch& launched) {
  if (announces()) announce(launched);
  if (is_beside_) return;
  listeners_->described.push_back(launched);
  listeners_->described.back().arguments = nullptr;
}

launcher launcher::beside_describing() const {
  launcher made = *this;
  made.listeners_->described.clear();
  made.is_beside_ = true;
  // One list has the launches of both, in the order in which a profiler finds them.
  made.listeners_->announce.function::operator=([&to = *listeners_](const kernel_launch& launched) {
    if (to.announce) to.announce(launched);
    to.described.push_back(launched);
    to.described.back().arguments = nullptr;
  });
  return made;
}

}  // namespace ablate
