#pragma once

#include "tactus/experiment/describe/experiment.hpp"
#include "tactus/model/field.hpp"

/// The tables of the experiment file (format.cpp) and what must hold beyond them (check.cpp).
namespace tactus {

namespace experiment {
/// In version 2 cases have common sets, unless the file says otherwise.
inline constexpr std::int64_t kExperimentVersion = 2;

/// Measure `tightness`, `of`: of the bounds of chains, by their longest reaction or age.
inline constexpr std::string_view kOfChains = "chains";

/// What depends on the points of an experiment, once they are known.
void check_points(const json::Value& source, ReadContext& context, Experiment& experiment);
}  // namespace experiment

template <>
std::span<const Field<experiment::Experiment>> fields<experiment::Experiment>();
template <>
std::span<const Field<experiment::Sweep>> fields<experiment::Sweep>();
template <>
std::span<const Field<experiment::Case>> fields<experiment::Case>();
template <>
std::span<const Field<experiment::Line>> fields<experiment::Line>();
template <>
std::span<const Field<experiment::Claim>> fields<experiment::Claim>();
template <>
std::span<const Field<experiment::Plot>> fields<experiment::Plot>();

template <>
void check(const Origin& origin, ReadContext& context, experiment::Experiment& experiment);
template <>
void check(const Origin& origin, ReadContext& context, experiment::Line& line);

}  // namespace tactus
