#include "tactus/exchange/chrome_events.hpp"

#include <fmt/core.h>
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include "tactus/base/diagnostic.hpp"
#include "tactus/base/json.hpp"

namespace tactus::exchange {
namespace {

/// The bytes as RapidJSON takes them.
class Stream {
 public:
  using Ch = char;
  explicit Stream(Bytes& bytes) : bytes_(bytes) { refill(); }

  // NOLINTBEGIN(readability-identifier-naming): the names are RapidJSON's
  Ch Peek() const { return at_ == end_ ? '\0' : *at_; }
  Ch Take() {
    if (at_ == end_) return '\0';
    const Ch taken = *at_++;
    if (at_ == end_) refill();
    return taken;
  }
  std::size_t Tell() const { return before_ + static_cast<std::size_t>(at_ - begin_); }
  // Never called: nothing is parsed in place.
  Ch* PutBegin() { return nullptr; }
  void Put(Ch) {}
  void Flush() {}
  std::size_t PutEnd(Ch*) { return 0; }
  // NOLINTEND(readability-identifier-naming)

 private:
  void refill() {
    before_ += static_cast<std::size_t>(end_ - begin_);
    const std::string_view piece = bytes_.next();
    begin_ = at_ = piece.data();
    end_ = begin_ + piece.size();
  }

  Bytes& bytes_;
  const char *begin_ = nullptr, *at_ = nullptr, *end_ = nullptr;
  std::size_t before_ = 0;
};

/// A number or text that is longer is not one that we read.
constexpr std::size_t kLongestValue = std::size_t{1} << 16;
constexpr std::size_t kMostArgs = 256;

/// Follows RapidJSON's events through { "traceEvents": [ {..., "args": {...}} ], ... } or [ {...} ].
class Collector {
 public:
  using Take = std::function<std::optional<Error>(const ChromeEvent&)>;
  Collector(ChromeFacts& facts, const Take& take) : facts_(facts), take_(take) {}

  // NOLINTBEGIN(readability-identifier-naming): the names are RapidJSON's
  bool Null() { return value({}); }
  bool Bool(bool yes) { return value(yes ? "true" : "false"); }
  bool RawNumber(const char* text, rapidjson::SizeType length, bool) {
    return value({text, length});
  }
  bool String(const char* text, rapidjson::SizeType length, bool) { return value({text, length}); }
  bool Key(const char* text, rapidjson::SizeType length, bool) {
    if (depth_ <= kDeepestKept) keys_[depth_].assign(text, std::min<std::size_t>(length, 64));
    return true;
  }
  bool StartObject() { return open(true); }
  bool StartArray() { return open(false); }
  bool EndObject(rapidjson::SizeType) { return close(); }
  bool EndArray(rapidjson::SizeType) { return close(); }
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(std::int64_t) { return false; }
  bool Uint64(std::uint64_t) { return false; }
  bool Double(double) { return false; }
  // NOLINTEND(readability-identifier-naming)

  const std::optional<Error>& refusal() const { return refusal_; }
  bool has_events() const { return events_seen_; }

 private:
  static constexpr std::size_t kDeepestKept = 6;

  /// Where the events are: inside of the root, or one level below it.
  std::size_t events_depth() const { return bare_ ? 1 : 2; }
  bool in_events() const { return in_events_; }

  bool open(bool object) {
    if (depth_ == 0) {
      bare_ = !object;
      in_events_ = bare_;
      events_seen_ = bare_;
    }
    if (depth_ == 1 && !bare_) {
      in_events_ = !object && keys_[1] == "traceEvents";
      in_devices_ = !object && keys_[1] == "deviceProperties";
      events_seen_ = events_seen_ || in_events_;
    }
    if (depth_ == 2 && in_devices_) facts_.devices.emplace_back();
    if (depth_ == events_depth() && in_events_) {
      if (!object) return refuse("a list among the events, where an object is expected");
      event_.clear();
      event_.place = ++count_;
    }
    if (++depth_ > json::kMaxDepth) {
      return refuse(fmt::format("nested deeper than {} levels", json::kMaxDepth));
    }
    if (depth_ <= kDeepestKept) keys_[depth_].clear();
    return true;
  }

  bool close() {
    --depth_;
    if (depth_ == events_depth() && in_events_) {
      refusal_ = take_(event_);
      return !refusal_;
    }
    if (depth_ == 1) in_events_ = in_devices_ = false;
    return true;
  }

  bool value(std::string_view text) {
    if (text.size() > kLongestValue) text = text.substr(0, kLongestValue);
    if (in_events_) return event_value(text);
    if (in_devices_ && depth_ == 3 && !facts_.devices.empty()) {
      if (facts_.devices.size() <= 64)
        facts_.devices.back().insert_or_assign(keys_[3], std::string(text));
    } else if (depth_ == 1 && !bare_ && facts_.values.size() < kMostArgs) {
      facts_.values.insert_or_assign(keys_[1], std::string(text));
    }
    return true;
  }

  bool event_value(std::string_view text) {
    const std::size_t own = events_depth() + 1;  // depth inside of an event
    if (depth_ == own) {
      if (std::string* member = member_named(keys_[own])) member->assign(text);
    } else if (depth_ > own && keys_[own] == "args" && event_.args.size() < kMostArgs) {
      if (depth_ == own + 1) {
        event_.args.insert_or_assign(keys_[own + 1], std::string(text));
      } else if (depth_ == own + 2 && keys_[own + 2].empty()) {  // an item of a list
        std::string& list = event_.args[keys_[own + 1]];
        if (!list.empty()) list += ',';
        list += text;
      }
    }
    return true;
  }

  std::string* member_named(std::string_view key) {
    if (key == "ph") return &event_.phase;
    if (key == "cat") return &event_.category;
    if (key == "name") return &event_.name;
    if (key == "pid") return &event_.process;
    if (key == "tid") return &event_.thread;
    if (key == "ts") return &event_.start;
    if (key == "dur") return &event_.duration;
    if (key == "id") return &event_.id;
    return nullptr;
  }

  bool refuse(std::string message) {
    refusal_ = Error{std::move(message)};
    return false;
  }

  ChromeFacts& facts_;
  const Take& take_;
  ChromeEvent event_;
  std::uint64_t count_ = 0;
  std::size_t depth_ = 0;
  bool bare_ = false, in_events_ = false, in_devices_ = false, events_seen_ = false;
  std::string keys_[kDeepestKept + 1];
  std::optional<Error> refusal_;
};

}  // namespace

void ChromeEvent::clear() {
  for (std::string* text : {&phase, &category, &name, &process, &thread, &start, &duration, &id}) {
    text->clear();
  }
  args.clear();
}

Result<ChromeFacts> read_chrome_events(
    Bytes& bytes, const std::function<std::optional<Error>(const ChromeEvent&)>& take) {
  ChromeFacts facts;
  Collector collector(facts, take);
  Stream stream(bytes);
  rapidjson::Reader reader;
  constexpr unsigned kFlags =
      rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag;
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, collector);
  if (bytes.error()) return *bytes.error();
  if (collector.refusal()) return *collector.refusal();
  if (result.IsError()) {
    if (result.Code() == rapidjson::kParseErrorDocumentEmpty) return Error{"the file is empty"};
    return Error{fmt::format("not valid JSON at byte {}: {}", result.Offset(),
                             rapidjson::GetParseError_En(result.Code()))};
  }
  if (!collector.has_events()) return Error{"there are no `traceEvents` in it"};
  return facts;
}

}  // namespace tactus::exchange
