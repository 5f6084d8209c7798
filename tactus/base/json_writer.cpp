#include "tactus/base/json_writer.hpp"

#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

namespace tactus::json {
namespace {

using Buffer = rapidjson::StringBuffer;

rapidjson::SizeType size_of(std::string_view text) {
  return static_cast<rapidjson::SizeType>(text.size());
}

}  // namespace

/// The methods of RapidJSON's indenting writer are not virtual; so every call checks the
/// layout.
struct Writer::Impl {
  explicit Impl(Layout chosen) : layout(chosen) { indented.SetIndent(' ', 2); }

  Layout layout;
  Buffer buffer;
  rapidjson::PrettyWriter<Buffer> indented{buffer};
  rapidjson::Writer<Buffer> one_line{buffer};

  template <typename Call>
  void write(Call call) {
    if (layout == Layout::kIndented) {
      call(indented);
    } else {
      call(one_line);
    }
  }
};

Writer::Writer(Layout layout) : impl_(std::make_unique<Impl>(layout)) {}
Writer::~Writer() = default;

Writer& Writer::begin_object() {
  impl_->write([](auto& out) { out.StartObject(); });
  return *this;
}
Writer& Writer::end_object() {
  impl_->write([](auto& out) { out.EndObject(); });
  return *this;
}
Writer& Writer::begin_array() {
  impl_->write([](auto& out) { out.StartArray(); });
  return *this;
}
Writer& Writer::end_array() {
  impl_->write([](auto& out) { out.EndArray(); });
  return *this;
}
Writer& Writer::key(std::string_view name) {
  impl_->write([&](auto& out) { out.Key(name.data(), size_of(name)); });
  return *this;
}
Writer& Writer::string(std::string_view text) {
  impl_->write([&](auto& out) { out.String(text.data(), size_of(text)); });
  return *this;
}
Writer& Writer::number(std::string_view text) {
  impl_->write([&](auto& out) { out.RawValue(text.data(), text.size(), rapidjson::kNumberType); });
  return *this;
}
Writer& Writer::integer(std::int64_t value) {
  impl_->write([&](auto& out) { out.Int64(value); });
  return *this;
}
Writer& Writer::boolean(bool value) {
  impl_->write([&](auto& out) { out.Bool(value); });
  return *this;
}
Writer& Writer::null() {
  impl_->write([](auto& out) { out.Null(); });
  return *this;
}

std::string Writer::take() {
  std::string text(impl_->buffer.GetString(), impl_->buffer.GetSize());
  text += '\n';
  return text;
}

}  // namespace tactus::json
