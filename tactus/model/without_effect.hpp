#pragma once

#include "tactus/model/read_context.hpp"

/// Attributes that are right by themselves and that nothing reads where they stand. Whoever wrote
/// them meant something by them, so each is one warning.
namespace tactus {

void warn_without_effect(const Origin& origin, ReadContext& context, const Element& element);
void warn_without_effect(const Origin& origin, ReadContext& context, const Task& task);
/// @pre `context.facts` has the element that the node is on
void warn_without_effect(const Origin& origin, ReadContext& context, const Node& node);

/// A period so short that the unit of the file is likely to be another one: one line for the file.
void warn_of_unlikely_unit(const Origin& origin, ReadContext& context, const System& system);

}  // namespace tactus
