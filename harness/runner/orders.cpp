#include "harness/runner/orders.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

namespace ablate {

namespace {

// An order is a number of cases, its kind, and theirs; zero cases: end.
using word = std::uint64_t;
constexpr char question = '?';

/// False where the other end is gone.
bool send_all(int socket, const void* data, std::size_t bytes) {
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t sent = ::send(socket, from, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    from += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_all(int socket, void* data, std::size_t bytes) {
  char* to = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t got = recv(socket, to, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

void close_one(int& socket) {
  if (socket >= 0) close(std::exchange(socket, -1));
}

}  // namespace

std::optional<order> order_line::next() const {
  word count = 0, kind = 0;
  if (!send_all(socket_, &question, 1) || !receive_all(socket_, &count, sizeof count) || count == 0)
    return std::nullopt;
  std::vector<word> words(count);
  if (!receive_all(socket_, &kind, sizeof kind) || !receive_all(socket_, words.data(), count * sizeof(word)))
    return std::nullopt;
  return order{static_cast<order::what>(kind), {words.begin(), words.end()}};
}

order_channel::order_channel() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::system_error(errno, std::generic_category(), "socketpair");
  ours_ = ends[0];
  theirs_ = ends[1];
}

order_channel::order_channel(order_channel&& other) noexcept
    : ours_(std::exchange(other.ours_, -1)), theirs_(std::exchange(other.theirs_, -1)) {}

order_channel& order_channel::operator=(order_channel&& other) noexcept {
  std::swap(ours_, other.ours_);
  std::swap(theirs_, other.theirs_);
  return *this;
}

order_channel::~order_channel() { close_both(); }

void order_channel::close_both() {
  close_one(ours_);
  close_one(theirs_);
}

order_line order_channel::for_worker() {
  close_one(ours_);
  return order_line(theirs_);
}

void order_channel::forked() { close_one(theirs_); }

bool order_channel::is_asked() const {
  char asked = 0;
  return recv(ours_, &asked, 1, MSG_DONTWAIT) == 1;
}

void order_channel::send(const order& o) const {
  std::vector<word> words = {o.cases.size(), static_cast<word>(o.kind)};
  words.insert(words.end(), o.cases.begin(), o.cases.end());
  send_all(ours_, words.data(), words.size() * sizeof(word));
}

void order_channel::send_end() const {
  const word none = 0;
  send_all(ours_, &none, sizeof none);
}

}  // namespace ablate
