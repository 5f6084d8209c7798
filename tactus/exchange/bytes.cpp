#include "tactus/exchange/bytes.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace tactus::exchange {
namespace {

/// A small file must not take much memory: beyond the first bytes, this is the most that text may be
/// packed by. Traces and stores are packed by 5 to 30.
constexpr std::uint64_t kAlwaysUnpacked = std::uint64_t{64} << 20, kMostGain = 100;
constexpr std::size_t kPiece = std::size_t{1} << 20;

class FileBytes final : public Bytes {
 public:
  FileBytes(gzFile file, std::uint64_t size, std::uint64_t most)
      : file_(file), size_(size), most_(most), piece_(kPiece) {}
  ~FileBytes() override { ::gzclose_r(file_); }
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  std::string_view next() override {
    if (error_) return {};
    const int got = ::gzread(file_, piece_.data(), static_cast<unsigned>(piece_.size()));
    int problem = Z_OK;
    const char* text = ::gzerror(file_, &problem);
    if (got < 0 || (problem != Z_OK && problem != Z_STREAM_END)) {
      error_ = Error{problem == Z_ERRNO       ? std::string(std::strerror(errno))
                     : problem == Z_BUF_ERROR ? std::string("the gzip file ends too early")
                                              : fmt::format("damaged gzip file ({})", text)};
      return {};
    }
    read_ += static_cast<std::uint64_t>(got);
    if (read_ > most_) {
      error_ = Error{fmt::format("larger than {} MiB when it is unpacked", most_ >> 20)};
      return {};
    }
    if (read_ > kAlwaysUnpacked && read_ / kMostGain > packed()) {
      error_ = Error{fmt::format(
          "it unpacks to more than {} times its size; unpack it yourself if you trust it",
          kMostGain)};
      return {};
    }
    return {piece_.data(), static_cast<std::size_t>(got)};
  }
  Share share() const override { return {packed(), size_}; }

 private:
  /// What has been read of the file itself.
  std::uint64_t packed() const {
    return static_cast<std::uint64_t>(std::max<z_off_t>(::gzoffset(file_), 0));
  }

  gzFile file_;
  std::uint64_t size_, most_, read_ = 0;
  std::vector<char> piece_;
};

class TextBytes final : public Bytes {
 public:
  explicit TextBytes(std::string_view text) : text_(text) {}
  std::string_view next() override { return std::exchange(text_, {}); }

 private:
  std::string_view text_;
};

}  // namespace

Result<std::unique_ptr<Bytes>> bytes_of_file(const std::string& path, std::uint64_t most) {
  const bool standard = path == "-";
  const int descriptor =
      standard ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return Error{std::strerror(errno)};
  struct stat info {};
  if (::fstat(descriptor, &info) == 0 && S_ISDIR(info.st_mode)) {
    ::close(descriptor);
    return Error{"it is a directory"};
  }
  gzFile file = ::gzdopen(descriptor, "rb");
  if (file == nullptr) {
    ::close(descriptor);
    return Error{"out of memory"};
  }
  ::gzbuffer(file, kPiece / 4);
  const auto size = S_ISREG(info.st_mode) ? static_cast<std::uint64_t>(info.st_size) : 0;
  return std::unique_ptr<Bytes>(std::make_unique<FileBytes>(file, size, most));
}

std::unique_ptr<Bytes> bytes_of_text(std::string_view text) {
  return std::make_unique<TextBytes>(text);
}

Result<std::string> all_of(Bytes& bytes, std::size_t most) {
  std::string all;
  for (std::string_view piece = bytes.next(); !piece.empty(); piece = bytes.next()) {
    if (all.size() + piece.size() > most) {
      return Error{fmt::format("larger than {} MiB", most >> 20)};
    }
    all.append(piece);
  }
  if (bytes.error()) return *bytes.error();
  return all;
}

}  // namespace tactus::exchange
