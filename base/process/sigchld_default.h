#pragma once

namespace ablate::process {

/// Keeps SIGCHLD at its default while any of these lives: where it is ignored, how a child ended is lost. The
/// last of them puts it back.
class sigchld_default {
 public:
  sigchld_default();
  sigchld_default(const sigchld_default&) = delete;
  sigchld_default& operator=(const sigchld_default&) = delete;
  ~sigchld_default();
};

}  // namespace ablate::process
