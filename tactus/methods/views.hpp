#pragma once

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
    for (const auto& slot : slots_) slot->view.reset();
  }

  /// A method that changes a copy of the system, and asks another about it, must not get a view of
  /// the one that was given.
  bool are_of(const System& system) const { return &system == system_; }

  /// The view of this type; `make()` makes a pointer to it where there is none yet.
  template <typename View, typename Make>
  std::shared_ptr<const View> get(Make make) {
    Slot& slot = slot_of(typeid(View));
    const std::lock_guard guard(slot.making);  // std::call_once would ask the kernel each time
    if (!slot.view) slot.view = make();
    return std::static_pointer_cast<const View>(slot.view);
  }

 private:
  struct Slot {
    explicit Slot(std::type_index of) : type(of) {}
    std::type_index type;
    std::mutex making;
    std::shared_ptr<const void> view;
  };

  Slot& slot_of(std::type_index type) {
    const std::lock_guard guard(lock_);
    for (const auto& slot : slots_) {
      if (slot->type == type) return *slot;
    }
    return *slots_.emplace_back(std::make_unique<Slot>(type));
  }

  const System* system_;
  std::mutex lock_;  ///< of the list; who waits for a view that is being made waits at its slot
  std::vector<std::unique_ptr<Slot>> slots_;
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
