#pragma once

#include <string>

#include "tactus/tactus.h"

namespace tactus::serve {

/// A simulated run: { "system", "request", "trace": true } is answered with a further member
/// "trace", which a page draws as a Gantt chart.
std::string ask_simulate_traced(const std::string& body, tactus_call* call);

}  // namespace tactus::serve
