#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "tactus/serve/edited_file.hpp"
#include "tactus/serve/guard.hpp"
#include "tactus/serve/http/http.hpp"
#include "tactus/serve/long_questions.hpp"
#include "tactus/serve/watch.hpp"

namespace tactus::serve {

/// What the server is about.
struct Subject {
  std::string file;  ///< empty: none
  bool watch = false;
  std::string arbiter_socket;  ///< empty: the default place
};

/// One address; {id} stands for a number. What it answers and why it may refuse is for openapi.cpp.
struct Route {
  std::string_view method, path, id, summary;
  std::string_view answer = "Answer";  ///< a schema; of a file its type
  int status = 200;
  std::array<int, 2> refusals = {};  ///< beside those of all addresses; 0: none
};

/// From a request to its response. Every path is compared with the list; none leads to a file.
class Routes {
 public:
  Routes(const Subject& subject, Guard guard);

  HttpResponse admit(const HttpRequest& request) const { return guard_.admit(request); }
  bool knows_token(std::string_view head) const { return guard_.knows_token(head); }
  HttpResponse answer(const HttpRequest& request);

  /// Cancels whatever is in work: the server ends.
  void end() { watch_.cancel_all(); }

  /// Every address that is answered.
  static std::span<const Route> all();

 private:
  HttpResponse answer_api(std::string_view path, const HttpRequest& request);
  HttpResponse answer_jobs(std::string_view path, const HttpRequest& request);
  HttpResponse file(const HttpRequest& request) const;
  HttpResponse save(const HttpRequest& request);
  HttpResponse arbiter() const;

  Subject subject_;
  Guard guard_;
  EditedFile file_;
  Watch watch_;
  Jobs jobs_;
};

}  // namespace tactus::serve
