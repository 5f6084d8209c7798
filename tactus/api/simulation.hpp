#pragma once

#include <functional>

#include "tactus/api/request.hpp"
#include "tactus/api/subject.hpp"
#include "tactus/trace/trace.hpp"

namespace tactus::api {

/// A simulated run. @param sink_for is told the system that runs, and says where to put what happens
/// (null: nowhere). @param ended is called after the run, while that system still lives
tactus_answer* simulation(const char* system, Request& asked, tactus_call* call,
                          const std::function<trace::TraceSink*(const System&)>& sink_for = {},
                          const std::function<void()>& ended = {});

}  // namespace tactus::api
