#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tactus/experiment/describe/own_sets.hpp"
#include "tactus/experiment/judge/judge.hpp"
#include "tactus/experiment/work/agenda.hpp"

/// What ranks tell each other, as bytes: numbers, small ones in few bytes, and texts. All ranks run
/// the same program.
namespace tactus::experiment::wire {

inline constexpr int kBits = 7;               ///< of a number, per byte
inline constexpr std::uint64_t kMore = 0x80;  ///< another byte follows

class Encoder {
 public:
  Encoder& number(std::int64_t value) {
    // Seven bits per byte, the lowest first, and the sign as the lowest of all.
    const std::uint64_t twice = static_cast<std::uint64_t>(value) << 1;
    std::uint64_t left = value < 0 ? ~twice : twice;
    for (; left >= kMore; left >>= kBits) {
      bytes_ += static_cast<char>(left | kMore);
    }
    bytes_ += static_cast<char>(left);
    return *this;
  }
  Encoder& text(std::string_view text) {
    number(static_cast<std::int64_t>(text.size()));
    bytes_.append(text);
    return *this;
  }
  std::size_t size() const { return bytes_.size(); }
  std::string take() { return std::exchange(bytes_, {}); }

 private:
  std::string bytes_;
};

class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : rest_(bytes) {}
  std::int64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64 && !rest_.empty(); shift += kBits) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= (byte & (kMore - 1)) << shift;
      if (byte < kMore) break;
    }
    return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
  }
  std::string text() {
    const auto told = static_cast<std::size_t>(number());
    std::string text(rest_.substr(0, told));
    rest_.remove_prefix(text.size());
    return text;
  }
  bool empty() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

/// What a thread of a rank sends: how many sets it wants, and those that it has judged.
struct Request {
  static constexpr std::int64_t kNoMore = 0;      ///< it ends here, and waits for no answer
  static constexpr std::int64_t kContinued = -1;  ///< the rest comes with the next message
  std::int64_t most = 0;
  std::string_view found;  ///< as bytes
};
/// In messages so short that MPI takes them at once: of a longer one it hands over the rest only
/// while both sides ask it for something, and the sender is busy with the next sets by then.
std::vector<std::string> encode_request(std::int64_t most, std::span<const JudgedSet> found);
Request decode_request(std::string_view bytes);
std::vector<JudgedSet> decode_sets(std::string_view bytes);
std::string encode(const Chunk& chunk);
Chunk decode_chunk(std::string_view bytes);
/// The systems of an experiment over files, without their places.
void encode(const OwnSets& sets, Encoder& out);
std::shared_ptr<const OwnSets> decode_own_sets(Decoder& in);

}  // namespace tactus::experiment::wire
