#include "tactus/api/c_answer.hpp"

#include <fmt/core.h>

#include <memory>
#include <new>
#include <stdexcept>

#include "tactus/api/handles.hpp"
#include "tactus/api/problems.hpp"

namespace tactus::api {
namespace {

using Answers = Handles<tactus_answer>;

/// Made before memory runs out; freeing it does nothing.
tactus_answer& out_of_memory() {
  static auto* answer = new tactus_answer{TACTUS_UNKNOWN, std::nullopt,
                                          problems_json({{"out of memory", {}, {}}}, {})};
  return *answer;
}
const tactus_answer& kMadeInTime = out_of_memory();

tactus_answer* handed_out(tactus_answer answer) {
  auto made = std::make_unique<tactus_answer>(std::move(answer));
  Answers::add(made.get());
  return made.release();
}

const tactus_answer* live(const tactus_answer* answer) {
  return answer == &kMadeInTime || Answers::knows(answer) ? answer : nullptr;
}

}  // namespace

tactus_answer* answer_with(int status, std::string document, const std::vector<Error>& problems,
                           const Sources& sources) {
  return handed_out({status, std::move(document), problems_json(problems, sources)});
}

tactus_answer* answer_without(const verbs::NoAnswer& none, const Sources& sources) {
  return handed_out({none.exit, std::nullopt, problems_json(none.problems, sources)});
}

tactus_answer* guarded(tactus_answer* (*make)(void* context), void* context) noexcept {
  try {
    try {
      return make(context);
    } catch (const std::bad_alloc&) {
      return &out_of_memory();
    } catch (const std::length_error&) {  // longer than any container
      return &out_of_memory();
    } catch (const std::exception& problem) {
      return answer_without(verbs::NoAnswer::unknown(problem.what()));
    }
  } catch (...) {
    return &out_of_memory();
  }
}

}  // namespace tactus::api

using tactus::api::live;

int tactus_answer_status(const tactus_answer* answer) {
  const tactus_answer* known = live(answer);
  return known == nullptr ? TACTUS_BAD_INPUT : known->status;
}

const char* tactus_answer_document(const tactus_answer* answer) {
  const tactus_answer* known = live(answer);
  return known != nullptr && known->document ? known->document->c_str() : nullptr;
}

size_t tactus_answer_document_size(const tactus_answer* answer) {
  const tactus_answer* known = live(answer);
  return known != nullptr && known->document ? known->document->size() : 0;
}

const char* tactus_answer_problems(const tactus_answer* answer) {
  const tactus_answer* known = live(answer);
  return known == nullptr ? "{\"tactus\": 1, \"kind\": \"problems\", \"problems\": [{\"severity\": "
                            "\"error\", \"message\": "
                            "\"this is not "
                            "an answer, or it was freed\"}]}"
                          : known->problems.c_str();
}

void tactus_answer_free(tactus_answer* answer) {
  if (tactus::api::Answers::remove(answer)) delete answer;
}
