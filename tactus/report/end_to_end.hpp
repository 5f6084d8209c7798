#pragma once

#include <string>

#include "tactus/base/json_writer.hpp"
#include "tactus/methods/verdict.hpp"
#include "tactus/report/text/terminal.hpp"

namespace tactus::report {

/// What a verdict says from end to end: the latency of each path of `after`, and the chains. Empty
/// where the file has neither.
std::string end_to_end_text(const Verdict& verdict, const System& system, const Style& style);

/// `chains` of a verdict, where the file has some.
void write_chains(json::Writer& out, const Verdict& verdict, const System& system);

}  // namespace tactus::report
