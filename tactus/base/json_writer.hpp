#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace tactus::json {

enum class Layout { kIndented, kOneLine };

/// Writes JSON. Numbers go in as text, so that no value passes through a double.
///
///     Writer w;
///     w.begin_object();
///     w.key("bound").number("16.5");
///     w.end_object();
///     std::string text = w.take();
class Writer {
 public:
  explicit Writer(Layout layout = Layout::kIndented);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  Writer& begin_object();
  Writer& end_object();
  Writer& begin_array();
  Writer& end_array();
  Writer& key(std::string_view name);
  Writer& string(std::string_view text);
  Writer& number(std::string_view text);
  Writer& integer(std::int64_t value);
  Writer& boolean(bool value);
  Writer& null();

  /// The text, with a newline at its end. The writer is spent afterwards.
  std::string take();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tactus::json
