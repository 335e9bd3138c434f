#pragma once

namespace ablate::process {

/// Where SIGCHLD is ignored, how a child ended is lost: as long as one of these lives, it has its default.
/// What it was is put back with the last of them.
class sigchld_default {
 public:
  sigchld_default();
  sigchld_default(const sigchld_default&) = delete;
  sigchld_default& operator=(const sigchld_default&) = delete;
  ~sigchld_default();
};

}  // namespace ablate::process
