#pragma once

#include <functional>

#include "tactus/model/system.hpp"

namespace tactus::simulate {

/// A smaller system that still fails: drops tasks and nodes, shortens and rounds times, as long as
/// `fails` says yes. What it is given back is minimal in that no single step of these makes it
/// smaller. `fails` must refuse what is not worth looking at (a system no method covers).
System shrink(System system, const std::function<bool(const System&)>& fails);

}  // namespace tactus::simulate
