#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tactus/base/diagnostic.hpp"

/// JSON with what a checker of hand-written files needs and ordinary parsers lose: the place of
/// every value, the text of every number, and every key even when it is repeated.
namespace tactus::json {

enum class Kind : std::uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };

struct Member;

/// A value of a `Document`, which owns everything it points to.
class Value {
 public:
  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  /// Byte offset of its first character.
  std::uint32_t offset() const { return offset_; }

  /// The contents of a string, or the text of a number as it was written.
  std::string_view text() const { return {static_cast<const char*>(data_), size_}; }
  bool boolean() const { return size_ != 0; }
  std::span<const Value> items() const { return {static_cast<const Value*>(data_), size_}; }
  std::span<const Member> members() const;
  /// The first member with that key, or null.
  const Value* find(std::string_view key) const;

 private:
  friend class DocumentBuilder;
  const void* data_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t offset_ = 0;
  Kind kind_ = Kind::kNull;
};

struct Member {
  std::string_view key;
  std::uint32_t key_offset = 0;
  Value value;
};

/// How deep arrays and objects may nest. The format needs five levels.
inline constexpr int kMaxDepth = 64;

/// A parsed text. `//` and `/* */` comments are accepted, everything else is strict JSON in UTF-8.
class Document {
 public:
  /// Parses the whole text, or says where and why it is not JSON.
  static Result<Document> parse(std::string text);

  const Value& root() const { return root_; }
  /// Line and column of a byte. Fast when asked in ascending order.
  Position position(std::uint32_t offset) const;

 private:
  friend class DocumentBuilder;
  explicit Document(std::string text);

  /// On the heap, so that the views into it survive a move of the document.
  std::unique_ptr<const std::string> text_;
  std::unique_ptr<std::pmr::monotonic_buffer_resource> arena_;
  Value root_;
  struct Cursor {
    std::uint32_t offset = 0, line = 1, column = 1;
  };
  mutable Cursor cursor_;
};

}  // namespace tactus::json
