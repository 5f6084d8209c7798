#include "tactus/exchange/source.hpp"

#include <utility>

#include "tactus/exchange/kineto.hpp"
#include "tactus/exchange/recorded_system.hpp"

namespace tactus::exchange {
namespace {

/// Bytes with those in front of them that were taken already.
class WithHead final : public Bytes {
 public:
  WithHead(std::string_view head, std::unique_ptr<Bytes> rest)
      : head_(head), rest_(std::move(rest)) {
    error_ = rest_->error();
  }
  std::string_view next() override {
    if (!head_.empty()) return std::exchange(head_, {});
    const std::string_view piece = rest_->next();
    error_ = rest_->error();
    return piece;
  }

 private:
  std::string_view head_;
  std::unique_ptr<Bytes> rest_;
};

/// From a recording on, all profilers are alike.
Draft draft_of(Result<Recording> recording, const ImportOptions& options) {
  if (!recording) return Draft::bad(recording.error().message);
  auto tasks = find_jobs(*recording, options);
  if (!tasks) return Draft::bad(tasks.error().message);
  Draft draft;
  draft.notes = std::move(recording->notes);
  draft.notes.insert(draft.notes.end(), tasks->notes.begin(), tasks->notes.end());
  draft.system = system_of(*recording, *tasks, options, draft.notes);
  for (const RecordedTask& task : tasks->tasks) draft.seen.push_back(seen_of(task));
  return draft;
}

}  // namespace

Source::Source(std::unique_ptr<Bytes> bytes, std::string path)
    : head_(bytes->next()), path_(std::move(path)) {
  whole_ = std::make_unique<WithHead>(head_, std::move(bytes));
}

Draft import_kineto(Source& source, const ImportOptions& options) {
  return draft_of(read_kineto(source.bytes()), options);
}

}  // namespace tactus::exchange
