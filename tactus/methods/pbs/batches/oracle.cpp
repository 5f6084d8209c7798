#include "tactus/methods/pbs/batches/oracle.hpp"

#include <algorithm>

namespace tactus::pbs {

Oracle::Oracle(const TaskSet& set) : set_(set) {
  for (const ListedBatch& batch : set.listed) {
    std::vector<std::uint32_t> key = batch.kernels;
    std::sort(key.begin(), key.end());
    Entry& entry = entries_[std::move(key)];
    if (batch.ordered) {
      entry.ordered.push_back(&batch);
    } else {
      entry.listed = true;
      entry.completion = batch.completion;
    }
  }
}

const Oracle::Entry* Oracle::find(std::span<const std::uint32_t> order) const {
  if (entries_.empty()) return nullptr;
  std::vector<std::uint32_t> key(order.begin(), order.end());
  std::sort(key.begin(), key.end());
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : &found->second;
}

std::optional<Ticks> Oracle::by_formula(std::span<const std::uint32_t> kernels) const {
  if (set_.model != InterferenceModel::kSlowdown) return std::nullopt;
  Ticks longest = 0;
  for (std::uint32_t kernel : kernels) longest = std::max(longest, set_.kernels[kernel].level);
  return longest;
}

std::optional<Ticks> Oracle::common_completion(std::span<const std::uint32_t> kernels) const {
  const Entry* entry = find(kernels);
  return entry != nullptr && entry->listed ? entry->completion : by_formula(kernels);
}

std::optional<Ticks> Oracle::completion(std::span<const std::uint32_t> order) const {
  if (order.size() == 1) return set_.kernels[order.front()].wcet;
  if (const Entry* entry = find(order)) {
    for (const ListedBatch* batch : entry->ordered) {
      if (std::equal(order.begin(), order.end(), batch->kernels.begin())) return batch->completion;
    }
    if (entry->listed) return entry->completion;
  }
  return by_formula(order);
}

}  // namespace tactus::pbs
