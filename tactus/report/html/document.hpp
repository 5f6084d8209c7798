#pragma once

#include <string>

#include "tactus/base/json.hpp"
#include "tactus/base/result.hpp"
#include "tactus/model/system.hpp"

/// Any document that Tactus writes (verdicts, slack, advice, plans, runs, ...), for people.
namespace tactus::report {

/// The document as a part of a page; what is not known better is shown member by member.
/// @param system that it is about, where there is one: then a plan is shown with its own tables
Result<std::string> document_html(std::string text, const System* system);

/// What the document is, in a few words: "Verdicts on robot".
std::string document_title(const json::Value& document);

/// The members of an object as tables: plain values under each other, a list of objects as rows,
/// nested objects under their names.
std::string members_html(const json::Value& object);

}  // namespace tactus::report
