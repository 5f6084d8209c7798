#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "tactus/methods/pbs/pbs_task_set.hpp"

namespace tactus::pbs {

/// How long a batch takes, or that it is not allowed (docs/use/methods/pbs.md).
///
///     Oracle oracle(set);
///     std::optional<Ticks> c = oracle.completion(order);   // nothing: not allowed
class Oracle {
 public:
  /// What the file lists about one set of kernels.
  struct Entry {
    bool listed = false;              ///< in any order
    std::optional<Ticks> completion;  ///< of the unordered entry; nothing: forbidden
    std::vector<const ListedBatch*> ordered;
  };

  explicit Oracle(const TaskSet& set);

  /// Of a batch submitted in this order: single -> wcet; else its ordered entry, else the unordered
  /// one, else the slowdown formula, else not allowed. Says nothing about placement.
  std::optional<Ticks> completion(std::span<const std::uint32_t> order) const;

  /// Of an order of these kernels (ascending, two or more) that no ordered entry names.
  std::optional<Ticks> common_completion(std::span<const std::uint32_t> kernels) const;

  /// The listed sets, ascending kernels, two or more each.
  const std::map<std::vector<std::uint32_t>, Entry>& entries() const { return entries_; }

 private:
  const Entry* find(std::span<const std::uint32_t> order) const;
  std::optional<Ticks> by_formula(std::span<const std::uint32_t> kernels) const;

  const TaskSet& set_;
  std::map<std::vector<std::uint32_t>, Entry> entries_;
};

}  // namespace tactus::pbs
