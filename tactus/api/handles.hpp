#pragma once

#include <mutex>
#include <unordered_set>

namespace tactus::api {

/// The live objects of one kind that callers hold. So an address that is none of them (null, freed,
/// of another kind) is noticed without looking at what it points to.
template <typename Object>
class Handles {
 public:
  static bool knows(const Object* object) {
    if (object == nullptr) return false;
    const std::lock_guard guard(self().mutex_);
    return self().live_.contains(object);
  }
  static void add(const Object* object) {
    const std::lock_guard guard(self().mutex_);
    self().live_.insert(object);
  }
  /// Whether it was there.
  static bool remove(const Object* object) {
    const std::lock_guard guard(self().mutex_);
    return self().live_.erase(object) > 0;
  }

 private:
  /// Never destroyed: a thread may still be inside the library when the process ends.
  static Handles& self() {
    static auto* handles = new Handles;
    return *handles;
  }

  std::mutex mutex_;
  std::unordered_set<const Object*> live_;
};

}  // namespace tactus::api
