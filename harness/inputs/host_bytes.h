#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace ablate {

/// Zero-initialized host memory. Large blocks request large pages: half a GB in small ones costs 130 000 page
/// faults, which take longer than writing it.
class host_bytes {
 public:
  host_bytes() = default;
  /// Throws std::bad_alloc.
  explicit host_bytes(std::size_t size);
  host_bytes(const host_bytes&);
  host_bytes& operator=(const host_bytes&);
  host_bytes(host_bytes&&) noexcept;
  host_bytes& operator=(host_bytes&&) noexcept;

  std::byte* data() { return bytes_.get(); }
  const std::byte* data() const { return bytes_.get(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  operator std::span<std::byte>() { return {data(), size_}; }
  operator std::span<const std::byte>() const { return {data(), size_}; }

 private:
  struct release {
    void operator()(std::byte*) const;
  };
  std::unique_ptr<std::byte, release> bytes_;
  std::size_t size_ = 0;
};

}  // namespace ablate
