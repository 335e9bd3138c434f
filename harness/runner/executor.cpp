#include "harness/runner/executor.h"

namespace ablate {

namespace {

cuda_backend& storage() {
  static cuda_backend backend;
  return backend;
}

}  // namespace

bool register_cuda_backend(cuda_backend backend) {
  storage() = std::move(backend);
  return true;
}

const cuda_backend* find_cuda_backend() { return storage().make_executor ? &storage() : nullptr; }

}  // namespace ablate
