#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tactus/base/result.hpp"
#include "tactus/exchange/bytes.hpp"

namespace tactus::exchange {

/// The lines of some bytes, one after the other, whatever their pieces are: a long file takes no more
/// memory than its longest line.
class Lines {
 public:
  explicit Lines(Bytes& bytes) : bytes_(bytes) {}

  /// It lives until the next call. Nothing at the end, or after a problem.
  std::optional<std::string_view> next();
  /// Of the last one, from 1.
  std::uint32_t number() const { return number_; }
  /// Does the last one end as lines do? Else the file ends in the middle of it.
  bool complete() const { return complete_; }
  /// Why there are no more, if that is not the end of the file.
  std::optional<Error> problem() const;

 private:
  static constexpr std::size_t kLongest = std::size_t{1} << 20;

  Bytes& bytes_;
  std::string_view piece_;
  std::string kept_;
  std::uint32_t number_ = 0;
  bool complete_ = true, too_long_ = false;
};

}  // namespace tactus::exchange
