#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tactus::fuzz {

/// An input read as a script: one value after the other, zeros behind its end.
class Script {
 public:
  Script(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}

  bool ended() const { return left_ == 0; }
  std::uint8_t byte() { return number<std::uint8_t>(); }
  /// 0 .. count - 1
  std::size_t choice(std::size_t count) { return byte() % count; }
  template <typename Number>
  Number number() {
    Number value{};
    fill(&value, sizeof value);
    return value;
  }
  void fill(void* place, std::size_t size) {
    std::memset(place, 0, size);
    const std::size_t taken = size < left_ ? size : left_;
    if (taken > 0) std::memcpy(place, data_, taken);
    data_ += taken;
    left_ -= taken;
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

}  // namespace tactus::fuzz
