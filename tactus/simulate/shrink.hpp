#pragma once

#include <functional>

#include "tactus/model/system.hpp"

namespace tactus::simulate {

/// A smaller system that still fails: drops tasks and nodes, shortens and rounds times, as long as
/// `fails` says yes. The result is minimal: no single step of these makes it smaller. `fails` must
/// refuse systems that are of no interest (a system that no method covers).
System shrink(System system, const std::function<bool(const System&)>& fails);

}  // namespace tactus::simulate
