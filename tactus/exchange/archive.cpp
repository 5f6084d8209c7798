#include "tactus/exchange/archive.hpp"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <set>
#include <stdexcept>

#include "tactus/base/diagnostic.hpp"
#include "tactus/exchange/bytes.hpp"

namespace tactus::exchange {
namespace {

constexpr std::size_t kBlock = 512, kNameBytes = 100;
constexpr std::size_t kMode = 100, kSize = 124, kTime = 136, kSum = 148, kType = 156, kMagic = 257;
constexpr std::size_t kSumBytes = 8, kNumberBytes = 12;

/// The sum of a header, its own field taken as blanks.
unsigned sum_of(std::string_view header) {
  unsigned sum = 0;
  for (std::size_t i = 0; i < kBlock; ++i) {
    const bool own = i >= kSum && i < kSum + kSumBytes;
    sum += own ? ' ' : static_cast<unsigned char>(header[i]);
  }
  return sum;
}

std::string header_of(const ArchiveMember& member) {
  std::string header(kBlock, '\0');
  const auto put = [&](std::size_t at, std::string_view text) {
    text.copy(&header[at], text.size());
  };
  put(0, member.name);
  put(kMode, fmt::format("{:07o}", 0644));
  put(kMode + 8, "0000000");   // user
  put(kMode + 16, "0000000");  // group
  put(kSize, fmt::format("{:011o}", member.bytes.size()));
  put(kTime, "00000000000");
  header[kType] = '0';
  put(kMagic, std::string_view("ustar\0"
                               "00",
                               8));
  put(kSum, fmt::format("{:06o}", sum_of(header)));
  header[kSum + 7] = ' ';
  return header;
}

std::string packed(const std::string& text) {
  z_stream stream{};
  constexpr int kGzip = 15 + 16, kMemory = 8;
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    throw std::bad_alloc();
  }
  std::string out;
  std::string piece(std::size_t{1} << 16, '\0');
  std::string_view rest = text;
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    if (stream.avail_in == 0 && !rest.empty()) {
      const std::string_view next = rest.substr(0, std::size_t{1} << 30);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(next.data()));
      stream.avail_in = static_cast<uInt>(next.size());
      rest.remove_prefix(next.size());
    }
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    state = deflate(&stream, rest.empty() ? Z_FINISH : Z_NO_FLUSH);
    out.append(piece, 0, piece.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  return out;
}

bool plain(std::string_view name) {
  if (name.empty() || name.front() == '/') return false;
  for (std::string_view rest = name; !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find('/'));
    if (part.empty() || part == "." || part == "..") return false;
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  }
  return true;
}

std::string_view field(std::string_view header, std::size_t at, std::size_t size) {
  const std::string_view whole = header.substr(at, size);
  return whole.substr(0, whole.find_first_of(std::string_view("\0 ", 2)));
}

/// An octal number; nothing if it is none.
std::optional<std::size_t> octal(std::string_view text) {
  std::size_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value, 8);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Takes an archive apart as it is unpacked: only its members are kept.
class Blocks {
 public:
  explicit Blocks(Bytes& bytes) : bytes_(bytes) {}

  /// So many bytes; false: there are not so many.
  bool take(std::size_t size, std::string& out) {
    out.clear();
    while (out.size() < size) {
      if (piece_.empty()) piece_ = bytes_.next();
      if (piece_.empty()) return false;
      const std::string_view part = piece_.substr(0, size - out.size());
      out.append(part);
      piece_.remove_prefix(part.size());
    }
    return true;
  }
  /// Reads to the end, so that damage is noticed there, too.
  std::optional<Error> skip_all() {
    while (!bytes_.next().empty()) {
    }
    return bytes_.error();
  }

 private:
  Bytes& bytes_;
  std::string_view piece_;
};

}  // namespace

std::string tar_gz(const std::vector<ArchiveMember>& members) {
  std::string tar;
  for (const ArchiveMember& member : members) {
    if (member.name.size() > kNameBytes || !plain(member.name)) {
      throw std::logic_error("no name for a member of an archive: " + member.name);
    }
    tar += header_of(member) + member.bytes;
    tar.append((kBlock - tar.size() % kBlock) % kBlock, '\0');
  }
  tar.append(2 * kBlock, '\0');
  return packed(tar);
}

Result<std::vector<ArchiveMember>> read_tar_gz(const std::string& path) {
  auto bytes = bytes_of_file(path);
  if (!bytes) return Error{fmt::format("cannot open {}: {}", path, bytes.error().message)};
  const auto damaged = [&](std::string_view why) {
    return Error{fmt::format("{} is not an archive of tactus: {}", path, why)};
  };
  Blocks blocks(**bytes);
  std::vector<ArchiveMember> members;
  std::set<std::string> names;
  std::string header;
  while (blocks.take(kBlock, header)) {
    if (header.find_first_not_of('\0') == std::string::npos) {  // its end
      if (const auto failed = blocks.skip_all())
        return Error{fmt::format("{}: {}", path, failed->message)};
      return members;
    }
    const auto sum = octal(field(header, kSum, kSumBytes));
    const auto size = octal(field(header, kSize, kNumberBytes));
    if (!sum || *sum != sum_of(header) || !size) return damaged("a header is damaged");
    const std::string name(field(header, 0, kNameBytes));
    if (header[kType] != '0' || !plain(name)) {
      return damaged(fmt::format("{} is no plain file", quote(name)));
    }
    if (!names.insert(name).second) return damaged(fmt::format("{} is there twice", quote(name)));
    members.push_back({name, {}});
    if (!blocks.take(*size, members.back().bytes)) break;
    if (std::string padding; !blocks.take((kBlock - *size % kBlock) % kBlock, padding)) break;
  }
  if (const auto& failed = (*bytes)->error())
    return Error{fmt::format("{}: {}", path, failed->message)};
  return damaged("it ends too early");
}

}  // namespace tactus::exchange
