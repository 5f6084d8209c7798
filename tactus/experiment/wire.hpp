#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/experiment/agenda.hpp"
#include "tactus/experiment/judge.hpp"
#include "tactus/experiment/own_sets.hpp"

/// What ranks tell each other, as bytes: 64-bit numbers and texts. All ranks run the same program
/// on the same kind of machine.
namespace tactus::experiment::wire {

class Encoder {
 public:
  Encoder& number(std::int64_t value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Encoder& text(std::string_view text) {
    number(static_cast<std::int64_t>(text.size()));
    bytes_.append(text);
    return *this;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : rest_(bytes) {}
  std::int64_t number() {
    std::int64_t value = 0;
    if (rest_.size() < sizeof value) return 0;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
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
  std::int64_t most = 0;
  std::string_view found;  ///< as bytes
};
std::string encode_request(std::int64_t most, std::span<const JudgedSet> found);
Request decode_request(std::string_view bytes);
std::vector<JudgedSet> decode_sets(std::string_view bytes);
std::string encode(const Chunk& chunk);
Chunk decode_chunk(std::string_view bytes);
/// The systems of an experiment over files, without their places.
void encode(const OwnSets& sets, Encoder& out);
std::shared_ptr<const OwnSets> decode_own_sets(Decoder& in);

}  // namespace tactus::experiment::wire
