#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <typeindex>
#include <utility>
#include <vector>

#include "tactus/methods/method.hpp"

namespace tactus {

/// What the families make of ONE system (their views of it), kept from the first method that needs
/// one for the others of its family. Whoever asks several methods about a system holds one of these
/// for as long, and hands it on as `Options::views`:
///
///     Views views(system);
///     options.views = &views;
///     for (const Method* method : methods) analyze(*method, system, options);
///
/// Threads may share it, but not while it turns. @pre the system stays as it is, where it is.
class Views {
 public:
  explicit Views(const System& system) : system_(&system) {}

  /// From now on of this system; what was made of the one before is given up.
  void turn_to(const System& system) {
    system_ = &system;
    for (const auto& slot : slots_) {
      slot->ready = nullptr;
      slot->view.reset();
    }
  }

  /// A method that changes a copy of the system, and asks another about it, must not get a view of
  /// the one that was given.
  bool are_of(const System& system) const { return &system == system_; }

  /// The view of this type; `make()` makes a pointer to it where there is none yet. It is good until
  /// this one turns or ends: the pointer that is returned keeps nothing alive, because counting who
  /// has it would take as long as locking.
  template <typename View, typename Make>
  std::shared_ptr<const View> get(Make make) {
    Slot& slot = slot_of(typeid(View));
    const void* ready = slot.ready.load(std::memory_order_acquire);
    if (ready == nullptr) {
      const std::lock_guard guard(slot.making);  // std::call_once would ask the kernel each time
      if (!slot.view) slot.view = make();
      ready = slot.view.get();
      slot.ready.store(ready, std::memory_order_release);
    }
    return {std::shared_ptr<const View>(), static_cast<const View*>(ready)};
  }

 private:
  struct Slot {
    explicit Slot(std::type_index of) : type(of) {}
    std::type_index type;
    std::mutex making;
    std::shared_ptr<const void> view;
    std::atomic<const void*> ready = nullptr;  ///< the same, once it is made
    Slot* next = nullptr;                      ///< the one that was there before
  };

  Slot* find(std::type_index type) const {
    Slot* slot = last_.load(std::memory_order_acquire);
    while (slot != nullptr && slot->type != type) slot = slot->next;
    return slot;
  }

  Slot& slot_of(std::type_index type) {
    if (Slot* const there = find(type)) return *there;
    const std::lock_guard guard(lock_);
    if (Slot* const there = find(type)) return *there;
    Slot& made = *slots_.emplace_back(std::make_unique<Slot>(type));
    made.next = last_.load(std::memory_order_relaxed);
    last_.store(&made, std::memory_order_release);
    return made;
  }

  const System* system_;
  std::mutex lock_;  ///< of the list; who waits for a view that is being made waits at its slot
  std::vector<std::unique_ptr<Slot>> slots_;
  std::atomic<Slot*> last_ = nullptr;  ///< of `slots_`, which are never taken out
};

/// A family's view of a system: what `make()` points to, or what it made before for another method.
template <typename View, typename Make>
std::shared_ptr<const View> shared_view_of(const System& system, const Options& options,
                                           Make make) {
  if (options.views != nullptr && options.views->are_of(system)) {
    return options.views->get<View>(make);
  }
  return make();
}

/// The same where `make()` makes the view itself.
template <typename View, typename Make>
std::shared_ptr<const View> view_of(const System& system, const Options& options, Make make) {
  return shared_view_of<View>(system, options,
                              [&] { return std::make_shared<const View>(make()); });
}

}  // namespace tactus
