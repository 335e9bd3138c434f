#pragma once

namespace ablate {

/// The turns that the workers of a run take where their devices disturb each other: one measures while the
/// others make inputs, or wait. A worker that dies gives its turn back. Made before the workers are forked.
class device_turns {
 public:
  /// Throws std::system_error where the system has no memory for the lock.
  device_turns();
  device_turns(const device_turns&) = delete;
  device_turns& operator=(const device_turns&) = delete;
  ~device_turns();

  /// A turn, from its beginning to the end of the object.
  class turn {
   public:
    /// Waits until the others have ended theirs.
    explicit turn(const device_turns&);
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;
    ~turn();

   private:
    const device_turns& of_;
  };

 private:
  int file_ = -1;
};

}  // namespace ablate
