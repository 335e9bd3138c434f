#include "harness/inputs/host_bytes.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace ablate {

namespace {

// From here on an allocation is a mapping of its own, so that the advice ends with it.
constexpr std::size_t large_bytes = std::size_t{64} << 20;

/// Where the system has no large pages to give, small ones do.
void ask_for_large_pages(void* from, std::size_t size) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(from) + page - 1) / page * page;
  const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(from) + size) / page * page;
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

}  // namespace

void host_bytes::release::operator()(std::byte* bytes) const { std::free(bytes); }

host_bytes::host_bytes(std::size_t size) : size_(size) {
  if (size == 0) return;
  bytes_.reset(static_cast<std::byte*>(std::calloc(size, 1)));
  if (!bytes_) throw std::bad_alloc();
  if (size >= large_bytes) ask_for_large_pages(data(), size);
}

host_bytes::host_bytes(const host_bytes& other) : host_bytes(other.size_) {
  if (!empty()) std::memcpy(data(), other.data(), size_);
}

host_bytes& host_bytes::operator=(const host_bytes& other) { return *this = host_bytes(other); }

host_bytes::host_bytes(host_bytes&& other) noexcept
    : bytes_(std::move(other.bytes_)), size_(std::exchange(other.size_, 0)) {}

host_bytes& host_bytes::operator=(host_bytes&& other) noexcept {
  bytes_ = std::move(other.bytes_);
  size_ = std::exchange(other.size_, 0);
  return *this;
}

}  // namespace ablate
