#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "tactus/methods/verdict.hpp"

/// Memory that one analysis leaves behind for the next one on the same thread. A small set is
/// analysed in less time than it takes to allocate what the analysis needs.
namespace tactus {

/// More tasks than this, and what their analysis needed is given back to the system.
inline constexpr std::size_t kMostTasksToKeepMemoryFor = 4096;

/// An object as its last user on this thread left it: its vectors have the memory that they had,
/// and any contents. Nested users get objects of their own.
template <typename T>
class Reused {
 public:
  /// @param keep false: it is too large to be kept
  explicit Reused(bool keep = true) : keep_(keep) {
    auto& all = spares();
    if (all.empty()) {
      object_ = std::make_unique<T>();
    } else {
      object_ = std::move(all.back());
      all.pop_back();
    }
  }
  ~Reused() {
    if (keep_ && spares().size() < kMostSpares) spares().push_back(std::move(object_));
  }
  Reused(const Reused&) = delete;
  Reused& operator=(const Reused&) = delete;

  T& operator*() const { return *object_; }
  T* operator->() const { return object_.get(); }

 private:
  static constexpr std::size_t kMostSpares = 4;
  static std::vector<std::unique_ptr<T>>& spares() {
    thread_local std::vector<std::unique_ptr<T>> all = [] {
      std::vector<std::unique_ptr<T>> none;
      none.reserve(kMostSpares);
      return none;
    }();
    return all;
  }

  std::unique_ptr<T> object_;
  bool keep_;
};

/// The same for objects that are shared: one that nobody holds any more, or a new one.
template <typename T>
std::shared_ptr<T> reused_shared(bool keep = true) {
  constexpr std::size_t kMost = 4;
  thread_local std::vector<std::shared_ptr<T>> all;
  thread_local std::size_t oldest = 0;
  if (!keep) return std::make_shared<T>();
  for (const auto& one : all) {
    if (one.use_count() == 1) return one;
  }
  auto made = std::make_shared<T>();
  if (all.size() < kMost) {
    all.push_back(made);
  } else {
    // Somebody holds all of these for long; the new one is more likely to come back soon.
    all[oldest] = made;
    oldest = (oldest + 1) % kMost;
  }
  return made;
}

/// For `Verdict::tasks`: what `leave_spare_tasks` was given, less terms, details and widths.
std::vector<TaskVerdict> take_spare_tasks();
void leave_spare_tasks(std::vector<TaskVerdict>&& tasks);

}  // namespace tactus
