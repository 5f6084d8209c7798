#include "tactus/base/document_builder.hpp"

#include <fmt/core.h>

namespace tactus::json {

bool DocumentBuilder::open(std::uint32_t offset) {
  opened_.push_back({offset, values_.size(), keys_.size()});
  if (opened_.size() <= kMaxDepth) return true;
  return refuse(offset, fmt::format("nested deeper than {} levels", kMaxDepth));
}

void DocumentBuilder::close_array() {
  const Opened opened = opened_.back();
  opened_.pop_back();
  const std::size_t count = values_.size() - opened.first_value;
  Value* items = allocate<Value>(count);
  std::copy(values_.end() - static_cast<std::ptrdiff_t>(count), values_.end(), items);
  values_.resize(opened.first_value);
  push(Kind::kArray, items, static_cast<std::uint32_t>(count), opened.offset);
}

void DocumentBuilder::close_object() {
  const Opened opened = opened_.back();
  opened_.pop_back();
  const std::size_t count = values_.size() - opened.first_value;
  Member* members = allocate<Member>(count);
  for (std::size_t i = 0; i < count; ++i) {
    const PendingKey& key = keys_[opened.first_key + i];
    members[i] = {key.text, key.offset, values_[opened.first_value + i]};
  }
  values_.resize(opened.first_value);
  keys_.resize(opened.first_key);
  push(Kind::kObject, members, static_cast<std::uint32_t>(count), opened.offset);
}

}  // namespace tactus::json
