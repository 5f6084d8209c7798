#include "tactus/exchange/lines.hpp"

namespace tactus::exchange {

std::optional<std::string_view> Lines::next() {
  if (too_long_ || !complete_) return std::nullopt;
  kept_.clear();
  ++number_;
  while (true) {
    if (piece_.empty()) piece_ = bytes_.next();
    if (piece_.empty()) {
      complete_ = false;
      if (kept_.empty() || bytes_.error()) return std::nullopt;
      return kept_;
    }
    const std::size_t end = piece_.find('\n');
    const std::string_view part = piece_.substr(0, end);
    const bool ends = end != std::string_view::npos;
    piece_.remove_prefix(ends ? end + 1 : piece_.size());
    if (kept_.size() + part.size() > kLongest) {
      too_long_ = true;
      return std::nullopt;
    }
    if (ends && kept_.empty()) return part;
    kept_ += part;
    if (ends) return kept_;
  }
}

std::optional<Error> Lines::problem() const {
  if (bytes_.error()) return bytes_.error();
  if (!too_long_) return std::nullopt;
  return Error{"the line is longer than 1 MiB", {}, {number_, 1}};
}

}  // namespace tactus::exchange
