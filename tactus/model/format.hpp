#pragma once

#include "tactus/model/field.hpp"
#include "tactus/model/system.hpp"

/// The tables of the system file, one for each object (format.cpp), and what must hold between
/// fields (check.cpp). docs/use/format.md is the prose.
namespace tactus {

/// The version of the format this library reads and writes.
inline constexpr std::int64_t kFormatVersion = 1;

template <>
std::span<const Field<System>> fields<System>();
template <>
std::span<const Field<Platform>> fields<Platform>();
template <>
std::span<const Field<Element>> fields<Element>();
template <>
std::span<const Field<SmLimits>> fields<SmLimits>();
template <>
std::span<const Field<Task>> fields<Task>();
template <>
std::span<const Field<Node>> fields<Node>();
template <>
std::span<const Field<Interference>> fields<Interference>();
template <>
std::span<const Field<Batch>> fields<Batch>();
template <>
std::span<const Field<Chain>> fields<Chain>();
template <>
std::span<const Field<TimesEntry>> fields<TimesEntry>();
template <>
std::span<const Field<Measured>> fields<Measured>();
template <>
std::span<const Field<Deploy>> fields<Deploy>();
template <>
std::span<const Field<Command>> fields<Command>();

template <>
void check(const Origin& origin, ReadContext& context, System& system);
template <>
void check(const Origin& origin, ReadContext& context, Platform& platform);
template <>
void check(const Origin& origin, ReadContext& context, Task& task);
template <>
void check(const Origin& origin, ReadContext& context, TimesEntry& entry);
template <>
void check(const Origin& origin, ReadContext& context, Node& node);
template <>
void check(const Origin& origin, ReadContext& context, Batch& batch);
template <>
void check(const Origin& origin, ReadContext& context, Chain& chain);

}  // namespace tactus
