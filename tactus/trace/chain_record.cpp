#include "tactus/trace/chain_record.hpp"

#include <tuple>

namespace tactus::trace {

ChainRecord::ChainRecord(const System& system) : watch_(system) {
  if (system.chains.empty()) return;
  follows_.resize(system.tasks.size());
  for (const Chain& chain : system.chains) {
    for (const TaskIndex task : chain.tasks) follows_[task] = true;
  }
}

bool ChainRecord::Later::operator()(const Event& a, const Event& b) const {
  return std::tie(a.at, a.kind, a.turn) > std::tie(b.at, b.kind, b.turn);
}

void ChainRecord::job(TaskIndex task, Time read, Time write) {
  if (!follows(task)) return;
  using Kind = Event::Kind;
  events_.push({read, Kind::kRead, task, turn_++});
  events_.push({write, read < write ? Kind::kWrite : Kind::kWriteAtOnce, task, turn_++});
}

void ChainRecord::settle(Time known) {
  for (; !events_.empty() && events_.top().at < known; events_.pop()) {
    const Event& next = events_.top();
    if (next.kind == Event::Kind::kRead) {
      watch_.starts(next.task, next.at);
    } else {
      watch_.ends(next.task, next.at);
    }
  }
}

}  // namespace tactus::trace
