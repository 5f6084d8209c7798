#pragma once

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/json.hpp"

namespace tactus::json {

/// Makes a document from the events of a parser. Finished values wait on a stack until the array or
/// object around them ends, then move into the document's arena side by side.
class DocumentBuilder {
 public:
  struct Refusal {
    std::uint32_t offset;
    std::string message;
  };

  static Document document_of(std::string text) { return Document(std::move(text)); }

  explicit DocumentBuilder(Document& document) : document_(document), text_(*document.text_) {}

  const std::string& text() const { return text_; }
  /// A copy that lives as long as the document.
  std::string_view keep_copy(std::string_view text) {
    char* copy = allocate<char>(text.size());
    std::memcpy(copy, text.data(), text.size());
    return {copy, text.size()};
  }

  /// A text, a number or null. @pre `text` lives as long as the document.
  void add(Kind kind, std::string_view text, std::uint32_t offset) {
    push(kind, text.data(), static_cast<std::uint32_t>(text.size()), offset);
  }
  void add(bool value, std::uint32_t offset) { push(Kind::kBool, nullptr, value ? 1 : 0, offset); }
  /// A value of the same document once more.
  void add(const Value& value) { values_.push_back(value); }
  void add_key(std::string_view text, std::uint32_t offset) { keys_.push_back({text, offset}); }

  /// An array or object begins; false, with a refusal, if it is nested too deeply.
  bool open(std::uint32_t offset);
  void close_array();
  void close_object();

  /// The value that was finished last.
  const Value& last() const { return values_.back(); }
  /// Whether a value is finished, outside of all arrays and objects.
  bool complete() const { return opened_.empty() && !values_.empty(); }
  void finish() { document_.root_ = values_.front(); }

  bool refuse(std::uint32_t offset, std::string message) {
    refusal_ = {offset, std::move(message)};
    return false;
  }
  /// Why the builder stopped the parser, if it did.
  const std::optional<Refusal>& refusal() const { return refusal_; }

 private:
  struct PendingKey {
    std::string_view text;
    std::uint32_t offset;
  };
  struct Opened {
    std::uint32_t offset;
    std::size_t first_value, first_key;
  };

  template <typename T>
  T* allocate(std::size_t count) {
    return static_cast<T*>(document_.arena_->allocate(count * sizeof(T), alignof(T)));
  }
  void push(Kind kind, const void* data, std::uint32_t size, std::uint32_t offset) {
    Value value;
    value.kind_ = kind;
    value.data_ = data;
    value.size_ = size;
    value.offset_ = offset;
    values_.push_back(value);
  }

  Document& document_;
  const std::string& text_;
  std::vector<Value> values_;
  std::vector<PendingKey> keys_;
  std::vector<Opened> opened_;
  std::optional<Refusal> refusal_;
};

}  // namespace tactus::json
