// Automatic segments under an arbiter for gcaps.
#include "tactus/arbiter/preload/segments.hpp"
#include "tactus/host/clock.hpp"
#include "tactus/host/futex.hpp"

namespace tactus::arbiter::preload::automatic {

/// Its work may be launched when it is its turn.
std::uint32_t Segments::enter_gcaps(const Key& key, std::uint32_t& epoch, std::size_t& place) {
  Lock lock(mutex_);
  ++launches_;
  if (!ready_ || !gcaps_ || captures_ > 0 || down_) return 0;
  marked_.wait(lock, [&] { return inside_ != Inside::kBeginning; });
  if (inside_ == Inside::kNo) {
    inside_ = Inside::kBeginning;
    lock.unlock();
    const client::Outcome outcome = client::begin_for_process(terms_.urgency);
    lock.lock();
    inside_ = static_cast<int>(outcome) >= 0 ? Inside::kYes : Inside::kNo;
    busy_.clear();
    marked_.notify_all();
    if (inside_ == Inside::kNo) return 0;
  }
  place = 0;
  while (place < busy_.size() && busy_[place].key != key) ++place;
  if (place == busy_.size()) busy_.push_back({key});
  ++busy_[place].calls;
  ++busy_[place].under_way;
  epoch = epoch_;
  last_ns_ = host::now_ns();
  const bool wake = asleep_;
  lock.unlock();
  if (wake) {
    stirred_.fetch_add(1);
    host::futex_wake_all(stirred_);
  }
  return 1;
}

/// Asks those streams that this thread can ask.
void Segments::end_if_drained() {
  std::vector<Busy> before;
  {
    const Lock lock(mutex_);
    if (inside_ != Inside::kYes || captures_ > 0 || asking_) return;
    void* context = nullptr;
    if (driver_.current(&context) != 0 || context != home_) return;
    before = busy_;
    asking_ = true;  // none of these streams ends meanwhile
  }
  std::vector<bool> drained;
  for (const Busy& stream : before) {
    const bool here = stream.key.thread == nullptr || stream.key.thread == this_thread();
    drained.push_back(stream.calls == 0 || (here && stream.under_way == 0 &&
                                            driver_.stream_query(stream.key.handle) == 0));
  }
  {
    const Lock lock(mutex_);
    asking_ = false;
    marked_.notify_all();
    if (inside_ != Inside::kYes || busy_.size() < before.size()) return;
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (drained[i] && busy_[i].calls == before[i].calls) busy_[i].calls = 0;
    }
    for (const Busy& stream : busy_) {
      if (stream.calls > 0) return;
    }
    inside_ = Inside::kBeginning;  // nobody begins the next one before this one has ended
  }
  client::end_for_process();
  const Lock lock(mutex_);
  inside_ = Inside::kNo;
  marked_.notify_all();
}

}  // namespace tactus::arbiter::preload::automatic
