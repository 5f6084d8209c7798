#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/json.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/verbs/answer.hpp"

namespace tactus::api {

/// What the caller asks for: an object whose keys are read one by one. Everything that is wrong with
/// it is collected, also keys that nobody read; `finish` says so at the end.
///
///     Request request(text);
///     const std::string method = request.text("method", "all");
///     if (auto bad = request.finish()) return answer_without(*bad);
class Request {
 public:
  static constexpr std::string_view kName = "<request>";

  /// Null: empty.
  explicit Request(const char* text);

  bool has(std::string_view key);
  std::string text(std::string_view key, std::string_view otherwise = {});
  /// One of some words.
  std::string word(std::string_view key, std::span<const std::string_view> words,
                   std::string_view otherwise);
  std::vector<std::string> texts(std::string_view key);
  /// A list of texts or numbers, or a text that is one, as a comma-separated text.
  std::optional<std::string> list(std::string_view key);
  bool flag(std::string_view key, bool otherwise = false);
  std::int64_t whole(std::string_view key, std::int64_t least, std::int64_t most,
                     std::int64_t otherwise);
  /// A number or a text that is one, as it is written; empty where it is not given.
  std::string decimal(std::string_view key);
  /// A document: an object, or its text. Nothing where it is not given.
  std::optional<std::string> document(std::string_view key);
  std::vector<std::string> documents(std::string_view key);
  /// Names with values: texts, numbers as they are written, true as "on".
  std::map<std::string, std::string, std::less<>> settings(std::string_view key);
  /// "variant", "threads" and "options".
  Options options();

  std::optional<verbs::NoAnswer> finish();

 private:
  /// Marks the key as one that is known. Null where it is not given.
  const json::Value* find(std::string_view key);
  void complain(const json::Value& at, std::string message);
  std::optional<std::string> document_in(std::string_view key, const json::Value& value);

  std::string text_;
  std::optional<json::Document> document_;
  std::vector<std::string> known_;
  verbs::NoAnswer bad_;
};

}  // namespace tactus::api
