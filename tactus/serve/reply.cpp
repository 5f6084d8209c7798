#include "tactus/serve/reply.hpp"

#include <fmt/core.h>

#include <memory>

#include "tactus/base/json.hpp"
#include "tactus/model/format.hpp"
#include "tactus/report/joined.hpp"

namespace tactus::serve {

std::string reply_of(tactus_answer* answer, std::string_view more) {
  struct Deleter {
    void operator()(tactus_answer* one) const { tactus_answer_free(one); }
  };
  const std::unique_ptr<tactus_answer, Deleter> owned(answer);
  const char* const document = tactus_answer_document(answer);
  const auto parsed = json::Document::parse(tactus_answer_problems(answer));
  const json::Value* const problems = parsed ? parsed->root().find("problems") : nullptr;
  return fmt::format(R"({{"tactus":{},"kind":"answer","status":{},"problems":{},"document":{}{}}})",
                     kFormatVersion, tactus_answer_status(answer),
                     problems == nullptr ? std::string("[]") : report::copy_of(*problems),
                     document == nullptr ? "null" : document, more) +
         "\n";
}

}  // namespace tactus::serve
