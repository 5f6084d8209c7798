#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tactus/base/result.hpp"

namespace tactus::exchange {

/// The longest text that is imported, after unpacking.
inline constexpr std::uint64_t kMostBytes = std::uint64_t{2} << 30;
/// The longest one of a format that is read at once: what becomes of it takes up to 20 times as much.
inline constexpr std::size_t kMostText = std::size_t{64} << 20;

/// How much has been taken of how much; 0: that is not known.
struct Share {
  std::uint64_t taken = 0, all = 0;
};

/// The bytes of a file, piece by piece, unpacked on the way if they are gzip; or of a text.
class Bytes {
 public:
  virtual ~Bytes() = default;
  /// The next piece, empty at the end or after an error. It lives until the next call.
  virtual std::string_view next() = 0;
  virtual Share share() const { return {}; }
  /// Why it ended too early, if it did.
  const std::optional<Error>& error() const { return error_; }

 protected:
  std::optional<Error> error_;
};

/// A file. `most` limits what it may unpack to.
Result<std::unique_ptr<Bytes>> bytes_of_file(const std::string& path,
                                             std::uint64_t most = kMostBytes);

/// A text, which must outlive it.
std::unique_ptr<Bytes> bytes_of_text(std::string_view text);

/// Everything at once, for formats whose files are small.
Result<std::string> all_of(Bytes& bytes, std::size_t most = kMostText);

}  // namespace tactus::exchange
