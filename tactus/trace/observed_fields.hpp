#pragma once

#include "tactus/base/statistics.hpp"
#include "tactus/model/field.hpp"
#include "tactus/trace/observed.hpp"

namespace tactus {

template <>
std::span<const Field<trace::Observed>> fields<trace::Observed>();
template <>
std::span<const Field<trace::Machine>> fields<trace::Machine>();
template <>
std::span<const Field<trace::ObservedTask>> fields<trace::ObservedTask>();
template <>
std::span<const Field<trace::ObservedReleases>> fields<trace::ObservedReleases>();
template <>
std::span<const Field<trace::ObservedChain>> fields<trace::ObservedChain>();
template <>
std::span<const Field<Statistics>> fields<Statistics>();
template <>
std::span<const Field<trace::ObservedNode>> fields<trace::ObservedNode>();
template <>
std::span<const Field<trace::ObservedShare>> fields<trace::ObservedShare>();
template <>
std::span<const Field<trace::ObservedBatches>> fields<trace::ObservedBatches>();
template <>
std::span<const Field<trace::ObservedBatches::Blamed>> fields<trace::ObservedBatches::Blamed>();
template <>
std::span<const Field<trace::Overrun>> fields<trace::Overrun>();
template <>
std::span<const Field<trace::LateJob>> fields<trace::LateJob>();
template <>
std::span<const Field<trace::JobParts>> fields<trace::JobParts>();
template <>
std::span<const Field<trace::ObservedProcess>> fields<trace::ObservedProcess>();
template <>
std::span<const Field<trace::ObservedOperation>> fields<trace::ObservedOperation>();
template <>
std::span<const Field<trace::ObservedOperations>> fields<trace::ObservedOperations>();
template <>
std::span<const Field<trace::ObservedUpdates>> fields<trace::ObservedUpdates>();
template <>
std::span<const Field<trace::ObservedSharing>> fields<trace::ObservedSharing>();

}  // namespace tactus
