#include "tactus/runtime/executors/arrivals.hpp"

#include <algorithm>
#include <utility>

namespace tactus::runtime {

void Arrivals::release_on_arrival(const std::string& task, std::uint32_t most) {
  const std::lock_guard guard(mutex_);
  doors_[task].most = std::max<std::uint32_t>(most, 1);
}

bool Arrivals::expects(const std::string& task) const {
  const std::lock_guard guard(mutex_);
  return doors_.contains(task);
}

std::optional<std::uint32_t> Arrivals::arrive(const std::string& task, std::int64_t at_ns) {
  std::uint32_t number = 0;
  {
    const std::lock_guard guard(mutex_);
    const auto found = doors_.find(task);
    if (found == doors_.end()) return std::nullopt;
    Door& door = found->second;
    if (door.accepted - door.ended >= door.most) {
      ++door.refused;
      return 0;
    }
    number = ++door.accepted;
    come_.push_back({task, at_ns});
  }
  doorbell_.ring();
  return number;
}

std::vector<Arrivals::Arrival> Arrivals::take() {
  const std::lock_guard guard(mutex_);
  return std::exchange(come_, {});
}

void Arrivals::ended(const std::string& task) {
  const std::lock_guard guard(mutex_);
  if (const auto found = doors_.find(task); found != doors_.end()) ++found->second.ended;
}

std::uint64_t Arrivals::refused(const std::string& task) const {
  const std::lock_guard guard(mutex_);
  const auto found = doors_.find(task);
  return found == doors_.end() ? 0 : found->second.refused;
}

void Arrivals::forget() {
  const std::lock_guard guard(mutex_);
  come_.clear();
  for (auto& [task, door] : doors_) door = {.most = door.most};
}

}  // namespace tactus::runtime
