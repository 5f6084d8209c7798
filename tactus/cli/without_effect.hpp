#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tactus/cli/parser.hpp"
#include "tactus/trace/scenario.hpp"

/// Nothing that a person writes is ignored silently: options that do nothing under the circumstances
/// (another backend, another kind of plan) are told, one line each.
namespace tactus::cli {

/// Warns of those of the options that were given. `why`: "the emulator has no such thing".
void tell_without_effect(const Parser& verb, const std::vector<std::string>& options,
                         std::string_view why);

/// The same of `--seed`, where nothing that happens is random.
void tell_idle_seed(const Parser& verb, const trace::Scenario& scenario);

/// Every option of a verb but these: for a choice beside which nothing else counts, such as `--list`.
std::vector<std::string> options_but(const Parser& verb, const std::vector<std::string>& these);

}  // namespace tactus::cli
