#pragma once

#include <span>
#include <string>
#include <vector>

#include "tactus/base/diagnostic.hpp"
#include "tactus/base/json_writer.hpp"
#include "tactus/base/question.hpp"

/// A question as one JSON object.
namespace tactus {

/// Puts what a program says into the fields. Everything that is wrong with it is told at once; keys
/// that there are not, too.
std::vector<Diagnostic> take_json(Fields& fields, std::string text);

void write_field_schema(json::Writer& out, const AskedField& field);
/// The JSON Schema of the object that `take_json` reads.
void write_question_schema(json::Writer& out, const Fields& fields);

}  // namespace tactus
