#include "tactus/exchange/ctf.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "tactus/base/printable.hpp"
#include "tactus/host/child.hpp"
#include "tactus/host/shared_memory.hpp"

namespace tactus::exchange {
namespace {

/// Read as a stream: this limits the time, not the memory. Printed events are some six times as long.
constexpr std::uint64_t kMostPrinted = std::uint64_t{16} << 30;

/// Closes what it holds.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int operator*() const { return number_; }

 private:
  int number_ = -1;
};

class PrintedTrace final : public Bytes {
 public:
  PrintedTrace(host::Child child, Descriptor out, host::SharedMemory err)
      : child_(std::move(child)),
        out_(std::move(out)),
        complaints_(std::move(err)),
        piece_(1 << 20) {}

  std::string_view next() override {
    if (error_ || ended_) return {};
    ssize_t got = 0;
    do {
      got = ::read(*out_, piece_.data(), piece_.size());
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
      error_ = Error{std::strerror(errno)};
      return {};
    }
    read_ += static_cast<std::uint64_t>(got);
    if (read_ > kMostPrinted) {
      error_ = Error{fmt::format("its events are longer than {} GiB", kMostPrinted >> 30)};
    }
    if (got == 0) end();
    return error_ ? std::string_view()
                  : std::string_view(piece_.data(), static_cast<std::size_t>(got));
  }
  Share share() const override { return {read_, 0}; }

 private:
  void end() {
    ended_ = true;
    const int code = child_.wait();
    if (code != 0) {
      error_ =
          Error{fmt::format("babeltrace2 cannot read this trace (exit code {}): {}", code, said())};
    }
  }

  /// The first line that it complained with, which is the cause; others say who called whom.
  std::string said() const {
    const char* const text = static_cast<const char*>(complaints_.at());
    std::string line(text, ::strnlen(text, complaints_.size()));
    line.resize(std::min(line.find('\n'), line.size()));
    return line.empty() ? std::string("it does not say why") : printable_line(line);
  }

  host::Child child_;
  Descriptor out_;
  host::SharedMemory complaints_;
  std::vector<char> piece_;
  std::uint64_t read_ = 0;
  bool ended_ = false;
};

}  // namespace

bool is_ctf(const std::string& path) {
  constexpr int kMostLookedAt = 10'000;  // a trace is a few levels deep; not a whole home folder
  std::error_code problem;
  if (!std::filesystem::is_directory(path, problem)) return false;
  std::filesystem::recursive_directory_iterator all(
      path, std::filesystem::directory_options::skip_permission_denied, problem);
  for (int i = 0;
       !problem && all != std::filesystem::recursive_directory_iterator() && i < kMostLookedAt;
       all.increment(problem), ++i) {
    if (all->path().filename() == "metadata") return true;
  }
  return false;
}

Result<std::unique_ptr<Bytes>> bytes_of_ctf(const std::string& path) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return Error{std::strerror(errno)};
  Descriptor out(ends[0]);
  const Descriptor in(ends[1]);
  constexpr std::size_t kComplaints = 4096;  // the first line tells the cause
  host::SharedMemory complaints("babeltrace2", kComplaints, host::SharedMemory::For::kForked);
  if (!complaints) return Error{std::strerror(errno)};
  host::Streams streams;
  streams.out = *in;
  streams.err = complaints.file();
  const std::string named = path.starts_with('-') ? "./" + path : path;
  // Times since 1970, so that other recordings can be joined.
  auto child = host::Child::start(
      {"babeltrace2", "--clock-seconds", "--no-delta", "--color=never", named}, {}, streams);
  if (!child) {
    return Error{
        fmt::format("this trace is read by the program babeltrace2 (Debian: babeltrace2): {}",
                    child.error().message)};
  }
  return std::unique_ptr<Bytes>(
      std::make_unique<PrintedTrace>(std::move(*child), std::move(out), std::move(complaints)));
}

}  // namespace tactus::exchange
