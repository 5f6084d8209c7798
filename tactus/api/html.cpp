#include "tactus/report/html/html.hpp"

#include "tactus/api/ask.hpp"
#include "tactus/report/html/document.hpp"
#include "tactus/verbs/about.hpp"
#include "tactus/verbs/subject.hpp"

using namespace tactus;
using namespace tactus::api;
using tactus::verbs::NoAnswer;

tactus_answer* tactus_html(const char* document, const char* system, const char* request) {
  return guarded([&] {
    bool page = false;
    Fields fields;
    fields("page", page, "A whole page, else a part of one");
    Request asked(request);
    if (auto bad = asked.take(fields)) return answer_without(*bad);
    const Sources sources{{{"<document>", document}, {"<system>", system}}};
    if (document == nullptr) {
      return answer_without(NoAnswer::bad_input("there is no document: it is NULL"));
    }
    ReadResult read;
    if (system != nullptr) {
      read = read_system(system);
      if (!read.system) {
        return answer_without({verbs::kBadInput, verbs::problems_of(read.diagnostics, "<system>")},
                              sources);
      }
    }
    const auto body = report::document_html(document, read.system ? &*read.system : nullptr);
    if (!body) {
      return answer_without(NoAnswer::bad_input(body.error(), "<document>"), sources);
    }
    return answer_with(TACTUS_YES,
                       page ? report::html_page("Tactus", *body) : report::html_part(*body));
  });
}
