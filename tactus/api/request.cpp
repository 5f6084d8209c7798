#include "tactus/api/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "tactus/base/json_copy.hpp"

namespace tactus::api {

using json::Kind;

Request::Request(const char* text) : text_(text == nullptr ? "{}" : text) {
  auto parsed = json::Document::parse(text_);
  if (auto* problem = std::get_if<Diagnostic>(&parsed)) {
    bad_.problems.push_back({problem->message, std::string(kName), problem->at});
    return;
  }
  document_ = std::move(std::get<json::Document>(parsed));
  if (document_->root().is(Kind::kObject)) return;
  complain(document_->root(), "a request is an object");
  document_.reset();
}

void Request::complain(const json::Value& at, std::string message) {
  bad_.problems.push_back(
      {std::move(message), std::string(kName), document_->position(at.offset())});
}

const json::Value* Request::find(std::string_view key) {
  known_.emplace_back(key);
  if (!document_) return nullptr;
  const json::Value* value = document_->root().find(key);
  return value != nullptr && value->is(Kind::kNull) ? nullptr : value;
}

bool Request::has(std::string_view key) { return find(key) != nullptr; }

std::string Request::text(std::string_view key, std::string_view otherwise) {
  const json::Value* value = find(key);
  if (value == nullptr) return std::string(otherwise);
  if (!value->is(Kind::kString)) complain(*value, fmt::format("`{}` must be a text", key));
  return value->is(Kind::kString) ? std::string(value->text()) : std::string(otherwise);
}

std::string Request::word(std::string_view key, std::span<const std::string_view> words,
                          std::string_view otherwise) {
  const std::string given = text(key, otherwise);
  if (std::find(words.begin(), words.end(), given) != words.end()) return given;
  complain(*document_->root().find(key),
           fmt::format("`{}` must be one of {}, got {}{}", key, fmt::join(words, ", "),
                       quote(given), suggestion(given, words)));
  return std::string(otherwise);
}

std::vector<std::string> Request::texts(std::string_view key) {
  const json::Value* value = find(key);
  if (value == nullptr) return {};
  if (value->is(Kind::kString)) return {std::string(value->text())};
  std::vector<std::string> out;
  const bool list = value->is(Kind::kArray);
  for (const json::Value& item : list ? value->items() : std::span<const json::Value>()) {
    if (item.is(Kind::kString)) out.emplace_back(item.text());
    if (!item.is(Kind::kString)) complain(item, fmt::format("`{}` must be texts", key));
  }
  if (!list) complain(*value, fmt::format("`{}` must be a list of texts", key));
  return out;
}

std::optional<std::string> Request::list(std::string_view key) {
  const json::Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is(Kind::kString)) return std::string(value->text());
  std::string out;
  const bool list = value->is(Kind::kArray);
  for (const json::Value& item : list ? value->items() : std::span<const json::Value>()) {
    if (!item.is(Kind::kString) && !item.is(Kind::kNumber)) {
      complain(item, fmt::format("`{}` must be texts or numbers", key));
      continue;
    }
    if (!out.empty()) out += ',';
    out += item.text();
  }
  if (!list) complain(*value, fmt::format("`{}` must be a list, or a text", key));
  return out;
}

bool Request::flag(std::string_view key, bool otherwise) {
  const json::Value* value = find(key);
  if (value == nullptr) return otherwise;
  if (!value->is(Kind::kBool)) complain(*value, fmt::format("`{}` must be true or false", key));
  return value->is(Kind::kBool) && value->boolean();
}

std::int64_t Request::whole(std::string_view key, std::int64_t least, std::int64_t most,
                            std::int64_t otherwise) {
  const json::Value* value = find(key);
  if (value == nullptr) return otherwise;
  std::int64_t number = 0;
  const std::string_view text = value->text();
  const char* const end = text.data() + text.size();
  const bool good =
      value->is(Kind::kNumber) &&
      std::from_chars(text.data(), end, number) == std::from_chars_result{end, std::errc()} &&
      number >= least && number <= most;
  if (good) return number;
  complain(*value, fmt::format("`{}` must be a whole number from {} to {}", key, least, most));
  return otherwise;
}

std::string Request::decimal(std::string_view key) {
  const json::Value* value = find(key);
  if (value == nullptr) return {};
  const bool good = value->is(Kind::kNumber) || value->is(Kind::kString);
  if (good && plain_decimal(value->text(), 0)) return std::string(value->text());
  complain(*value, fmt::format("`{}` must be a decimal number > 0", key));
  return {};
}

std::optional<std::string> Request::document_in(std::string_view key, const json::Value& value) {
  if (value.is(Kind::kString)) return std::string(value.text());
  if (!value.is(Kind::kObject)) {
    complain(value, fmt::format("`{}` must be a document: an object, or its text", key));
    return std::nullopt;
  }
  json::Writer out;
  json::copy(out, value);
  return out.take();
}

std::optional<std::string> Request::document(std::string_view key) {
  const json::Value* value = find(key);
  return value == nullptr ? std::nullopt : document_in(key, *value);
}

std::vector<std::string> Request::documents(std::string_view key) {
  const json::Value* value = find(key);
  std::vector<std::string> out;
  if (value == nullptr) return out;
  if (!value->is(Kind::kArray)) {
    complain(*value, fmt::format("`{}` must be a list of documents", key));
    return out;
  }
  for (const json::Value& item : value->items()) {
    if (auto one = document_in(key, item)) out.push_back(std::move(*one));
  }
  return out;
}

std::map<std::string, std::string, std::less<>> Request::settings(std::string_view key) {
  std::map<std::string, std::string, std::less<>> out;
  const json::Value* value = find(key);
  if (value == nullptr) return out;
  if (!value->is(Kind::kObject)) {
    complain(*value, fmt::format("`{}` must be an object of names and values", key));
    return out;
  }
  for (const auto& [name, at, one] : value->members()) {
    if (one.is(Kind::kString) || one.is(Kind::kNumber)) {
      out[std::string(name)] = one.text();
    } else if (one.is(Kind::kBool)) {
      if (one.boolean()) out[std::string(name)] = "on";
    } else {
      complain(one, fmt::format("the value of {} must be a text, a number or true", quote(name)));
    }
  }
  return out;
}

Options Request::options() {
  constexpr std::int64_t kMostThreads = 1024;
  Options options;
  options.variant = text("variant", kSafe);
  options.threads = static_cast<int>(whole("threads", 1, kMostThreads, 1));
  options.settings = settings("options");
  return options;
}

std::optional<verbs::NoAnswer> Request::finish() {
  if (document_) {
    std::vector<std::string_view> seen;
    for (const json::Member& member : document_->root().members()) {
      const Position at = document_->position(member.key_offset);
      const auto is = [&](const auto& key) { return key == member.key; };
      std::string problem;
      if (std::none_of(known_.begin(), known_.end(), is)) {
        problem =
            fmt::format("unknown key {}{}", quote(member.key), suggestion(member.key, known_));
      } else if (std::any_of(seen.begin(), seen.end(), is)) {
        problem = fmt::format("the key {} is there twice", quote(member.key));
      }
      seen.push_back(member.key);
      if (!problem.empty()) bad_.problems.push_back({problem, std::string(kName), at});
    }
  }
  if (bad_.problems.empty()) return std::nullopt;
  return bad_;
}

}  // namespace tactus::api
