#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/json.hpp"
#include "tactus/exchange/node_names.hpp"
#include "tactus/exchange/numbers.hpp"
#include "tactus/exchange/source.hpp"

/// What trtexec writes: the times of each inference (--exportTimes), and those of layers on average
/// (--exportProfile). Both are lists of objects, in milliseconds.
namespace tactus::exchange {
namespace {

using json::Kind;
using json::Value;

constexpr int kMilliseconds = 6;  // a power of ten of nanoseconds

/// A stage of an inference, as trtexec 8 and later, and as earlier ones call it.
struct Stage {
  const char *lasts, *start, *older_lasts, *older_start;
  const char* name;
  GpuKind kind;
};
constexpr Stage kStages[] = {
    {"h2dMs", "startH2dMs", "inMs", "startInMs", "memcpy HtoD", GpuKind::kCopy},
    {"computeMs", "startComputeMs", "computeMs", "startComputeMs", "compute", GpuKind::kKernel},
    {"d2hMs", "startD2hMs", "outMs", "startOutMs", "memcpy DtoH", GpuKind::kCopy},
};

class TensorrtReader {
 public:
  explicit TensorrtReader(const json::Document& document) : document_(document) {}

  Recorded read() {
    const Value& root = document_.root();
    if (!root.is(Kind::kArray) || root.items().empty() || !root.items()[0].is(Kind::kObject)) {
      return bad(root, "this is no file of trtexec: it has no list of objects");
    }
    const bool profile = root.items()[0].find("count") != nullptr;
    for (const Value& item : root.items()) {
      if (!item.is(Kind::kObject)) bad(item, "each item is an object");
      profile ? take_layer(item) : take_inference(item);
      if (problem_) return *problem_;
    }
    if (recording_.work.empty()) return bad(root, "there are no times in it");
    recording_.threads = 1;
    recording_.plain_names = true;
    profile ? finish_profile() : finish_times();
    return std::move(recording_);
  }

 private:
  Diagnostic bad(const Value& at, std::string message) {
    if (!problem_) {
      problem_ = {std::move(message), {}, document_.position(at.offset())};
    }
    return *problem_;
  }

  /// A time of a record, in ns; @return nothing if it is not there, or after a problem.
  std::optional<std::int64_t> time(const Value& item, const char* key, Rounding rounding) {
    const Value* const found = item.find(key);
    if (found == nullptr) return std::nullopt;
    const auto ns =
        found->is(Kind::kNumber) ? scaled(found->text(), kMilliseconds, rounding) : std::nullopt;
    constexpr std::int64_t kMost = std::int64_t{1} << 60;
    if (ns && *ns >= 0 && *ns < kMost) return ns;
    bad(*found, fmt::format("`{}` must be a time >= 0, got {}", key, quote(found->text())));
    return std::nullopt;
  }
  std::optional<std::int64_t> either(const Value& item, const char* key, const char* older,
                                     Rounding rounding) {
    const auto found = time(item, key, rounding);
    return found ? found : time(item, older, rounding);
  }

  void take_inference(const Value& item) {
    const auto number = static_cast<std::int64_t>(recording_.annotations.size());
    const ThreadId by{0, number};  // inferences overlap where one is enqueued during another
    std::int64_t start = INT64_MAX, end = 0;
    const auto enqueued = time(item, "startEnqMs", Rounding::kDown);
    const auto enqueued_until = time(item, "endEnqMs", Rounding::kUp);
    if (enqueued && enqueued_until) {
      start = *enqueued;
      end = std::max(*enqueued, *enqueued_until);
    }
    const std::int64_t call_end = end;
    bool computes = false;
    for (const Stage& stage : kStages) {
      const auto from = either(item, stage.start, stage.older_start, Rounding::kDown);
      const auto lasts = either(item, stage.lasts, stage.older_lasts, Rounding::kUp);
      if (problem_) return;
      if (!from || !lasts) continue;
      computes = computes || stage.kind == GpuKind::kKernel;
      if (*lasts == 0) continue;
      GpuWork work;
      work.kind = stage.kind;
      work.name = recording_.names.of(stage.name);
      work.start = *from;
      work.end = *from + *lasts;  // its own time is written with more digits than its end
      work.correlation = number;
      recording_.work.push_back(work);
      start = std::min(start, work.start);
      end = std::max(end, work.end);
      if (stage.kind != GpuKind::kKernel) continue;
      overlapping_ += work.start + kPrecision < computed_until_ ? 1 : 0;
      computed_until_ = std::max(computed_until_, work.end);
    }
    if (!computes) {
      bad(item, "an inference has `startComputeMs` and `computeMs`");
      return;
    }
    recording_.annotations.push_back({recording_.names.of("inference"), by, start, end});
    const bool known = enqueued && enqueued_until;
    recording_.calls.push_back({CallKind::kLaunch, recording_.names.of("enqueue"), by, start,
                                known ? call_end : start, number});
    recording_.calls.push_back(
        {CallKind::kSync, recording_.names.of("wait"), by, known ? call_end : start, end, -1});
    unknown_launches_ += known ? 0 : 1;
  }

  void take_layer(const Value& item) {
    if (const Value* const count = item.find("count")) {
      runs_ = whole(count->is(Kind::kNumber) ? count->text() : "").value_or(0);
      if (runs_ < 1) bad(*count, "`count` must be a whole number > 0");
      return;
    }
    const Value* const name = item.find("name");
    const auto lasts = time(item, "averageMs", Rounding::kUp);
    if (problem_) return;
    if (name == nullptr || !name->is(Kind::kString) || !lasts) {
      bad(item, "a layer has `name` and `averageMs`");
      return;
    }
    GpuWork work;
    work.name = recording_.names.of(clean_name(name->text()));
    work.start = computed_until_;
    work.end = computed_until_ = computed_until_ + *lasts;
    work.correlation = 0;
    if (*lasts > 0) recording_.work.push_back(work);
  }

  void finish_times() {
    if (overlapping_ > 0) {
      recording_.notes.push_back(
          fmt::format("in {} inferences the GPU still worked for the one before: their times have "
                      "its work in them; trtexec --streams=1 keeps them apart",
                      overlapping_));
    }
    if (unknown_launches_ > 0) {
      recording_.notes.emplace_back("the file does not say how long inferences take to enqueue");
    }
  }

  void finish_profile() {
    const ThreadId by{0, 0};
    recording_.annotations.push_back({recording_.names.of("inference"), by, 0, computed_until_});
    recording_.calls.push_back({CallKind::kLaunch, recording_.names.of("enqueue"), by, 0, 0, 0});
    recording_.calls.push_back(
        {CallKind::kSync, recording_.names.of("wait"), by, 0, computed_until_, -1});
    recording_.times_are = fmt::format(
        "averages of {} inferences, not the longest (those are in --exportTimes: import that, and "
        "--join this)",
        runs_);
  }

  /// trtexec writes six digits, which beyond a second leave 10 us.
  static constexpr std::int64_t kPrecision = 10'000;

  const json::Document& document_;
  Recording recording_;
  std::optional<Diagnostic> problem_;
  std::int64_t runs_ = 0, computed_until_ = 0;
  std::size_t overlapping_ = 0, unknown_launches_ = 0;
};

}  // namespace

Recorded record_tensorrt(Source& source, const ImportOptions&) {
  auto text = all_of(source.bytes());
  if (!text) return text.error();
  const auto parsed = json::Document::parse(std::move(*text));
  if (!parsed) return parsed.error();
  return TensorrtReader(*parsed).read();
}

}  // namespace tactus::exchange
