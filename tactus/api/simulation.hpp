#pragma once

#include <functional>

#include "tactus/api/c_answer.hpp"
#include "tactus/api/call.hpp"
#include "tactus/model/system.hpp"
#include "tactus/trace/trace.hpp"

namespace tactus::api {

/// Is told the system that runs, and says where to put what happens.
using TraceFor =
    std::function<verbs::Answer<trace::TraceSink*>(const System&, trace::TraceSink* next)>;

/// A simulated run. @param trace_for where there is one, the request names no file
/// @param ended is called after the run, while that system still lives
tactus_answer* simulation(const char* system, const char* request, tactus_call* call,
                          const TraceFor& trace_for = {}, const std::function<void()>& ended = {});

}  // namespace tactus::api
