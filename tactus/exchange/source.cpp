#include "tactus/exchange/source.hpp"

#include <fmt/core.h>

#include <utility>

#include "tactus/base/yaml.hpp"
#include "tactus/exchange/kineto.hpp"
#include "tactus/exchange/nsys.hpp"
#include "tactus/exchange/recorded_system.hpp"
#include "tactus/model/notation.hpp"

namespace tactus::exchange {
namespace {

/// Bytes with those in front of them that were taken already; somebody watches how they are taken.
class WithHead final : public Bytes {
 public:
  WithHead(std::string_view head, std::unique_ptr<Bytes> rest, Watch watch)
      : head_(head), rest_(std::move(rest)), watch_(std::move(watch)) {
    error_ = rest_->error();
  }
  std::string_view next() override {
    if (watch_.stop.stop_requested()) error_ = Error{"interrupted"};
    if (error_) return {};
    if (!head_.empty()) return std::exchange(head_, {});
    const std::string_view piece = rest_->next();
    error_ = rest_->error();
    tell();
    return piece;
  }

 private:
  /// Of a small file nothing: it has been read before anybody looks.
  void tell() {
    constexpr std::uint64_t kMiB = 1 << 20, kStep = 8 * kMiB;
    const Share share = rest_->share();
    if (!watch_.progress || share.taken < told_ + kStep) return;
    told_ = share.taken;
    watch_.progress(share.all > 0
                        ? fmt::format("{} of {} MiB", share.taken / kMiB, share.all / kMiB)
                        : fmt::format("{} MiB read", share.taken / kMiB));
  }

  std::string_view head_;
  std::unique_ptr<Bytes> rest_;
  Watch watch_;
  std::uint64_t told_ = 0;
};

}  // namespace

Draft draft_of(Recording recording, const ImportOptions& options) {
  auto tasks = find_jobs(recording, options);
  if (!tasks) return Draft::bad(tasks.error().message);
  Draft draft;
  draft.notes = std::move(recording.notes);
  draft.notes.insert(draft.notes.end(), tasks->notes.begin(), tasks->notes.end());
  draft.system = system_of(recording, *tasks, options, draft.notes);
  for (const RecordedTask& task : tasks->tasks) draft.seen.push_back(seen_of(task));
  return draft;
}

Source::Source(std::unique_ptr<Bytes> bytes, std::string path, Watch watch)
    : head_(bytes->next()), path_(std::move(path)) {
  whole_ = std::make_unique<WithHead>(head_, std::move(bytes), std::move(watch));
}

Recorded record_nsys(Source& source, const ImportOptions& options) {
  if (source.path().empty() || source.path() == "-") {
    return Error{"an SQLite file must be named; it cannot be read from a stream or a text"};
  }
  auto read = read_nsys(source.path(), options.watch);
  if (!read) return read.error();
  return std::move(*read);
}

Draft import_yaml(Source& source, const ImportOptions& options) {
  constexpr std::size_t kMostYaml = std::size_t{512} << 20;
  const auto text = all_of(source.bytes(), kMostYaml);
  if (!text) return Draft::bad(text.error().message);
  ReadResult read = read_system(*text, Notation::kYaml);
  Draft draft;
  if (!read.system) {
    draft.problems = std::move(read.diagnostics);
    return draft;
  }
  draft.system = std::move(*read.system);
  if (!options.name.empty() && draft.system.name.empty()) draft.system.name = options.name;
  return draft;
}

Recorded record_kineto(Source& source, const ImportOptions&) {
  auto read = read_kineto(source.bytes());
  if (!read) return read.error();
  return std::move(*read);
}

}  // namespace tactus::exchange
