#include "tactus/experiment/store/writer.hpp"

#include <fmt/core.h>

#include <chrono>
#include <iterator>
#include <utility>

namespace tactus::experiment {
namespace {

constexpr std::chrono::milliseconds kPause{500};
constexpr std::size_t kWorthACommit = 4096, kMostWaiting = 4 * kWorthACommit;

}  // namespace

Writer::Writer(Store& store, std::function<void()> failed)
    : store_(store), failed_(std::move(failed)), thread_([this] { work(); }) {}

Writer::~Writer() { finish(); }

void Writer::take(std::vector<JudgedSet>&& sets) {
  std::unique_lock guard(lock_);
  changed_.wait(guard, [&] { return waiting_.size() < kMostWaiting || !error_.empty(); });
  std::move(sets.begin(), sets.end(), std::back_inserter(waiting_));
  if (waiting_.size() >= kWorthACommit) changed_.notify_all();
}

std::string Writer::finish() {
  if (thread_.joinable()) {
    {
      const std::lock_guard guard(lock_);
      ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  return error_;
}

void Writer::work() {
  std::unique_lock guard(lock_);
  for (bool last = false; !last;) {
    changed_.wait_for(guard, kPause, [&] { return ending_ || waiting_.size() >= kWorthACommit; });
    last = ending_;
    const std::vector<JudgedSet> sets = std::exchange(waiting_, {});
    guard.unlock();
    changed_.notify_all();
    const bool good = sets.empty() || commit(sets);
    guard.lock();
    if (!good) return;
  }
}

bool Writer::commit(const std::vector<JudgedSet>& sets) {
  try {
    store_.write(sets);
    return true;
  } catch (const SqliteError& problem) {
    {
      const std::lock_guard guard(lock_);
      error_ = fmt::format("cannot write {}: {}; what is in it stays, --resume continues",
                           store_.path(), problem.what());
    }
    changed_.notify_all();
    failed_();
    return false;
  }
}

}  // namespace tactus::experiment
