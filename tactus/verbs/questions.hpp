#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tactus/base/question.hpp"

namespace tactus::verbs {

/// Calls `take` with every question that a program can ask, by the name of its function in the C
/// interface, and its fields.
void for_each_question(
    const std::function<void(std::string_view name, const Fields& fields)>& take);

/// The JSON Schemas of all of them, from which Python's signatures and the tables of the docs are made.
std::string question_schemas();

}  // namespace tactus::verbs
