#pragma once

#include "tactus/experiment/describe/experiment.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/model/read_context.hpp"

namespace tactus::experiment {

/// The options of a line must be options of its method, with values that it takes.
void check_options(const json::Value& options, const Method& method, ReadContext& context);

/// An option can be swept when some line has it.
void check_swept_option(const json::Value& name, ReadContext& context,
                        const Experiment& experiment);

/// The same for an option that a case sets, with its value.
void check_case_option(const json::Member& member, ReadContext& context,
                       const Experiment& experiment);

}  // namespace tactus::experiment
