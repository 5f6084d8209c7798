#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "tactus/base/result.hpp"
#include "tactus/serve/routes.hpp"

/// `tactus serve`: the page of `tactus report`, live. HTTP is in http/, who may ask in guard, what
/// is answered in routes and questions.
namespace tactus::serve {

struct ServeRequest {
  Subject subject;
  std::string address = "127.0.0.1";
  int port = 0;  ///< 0: any free one
};

/// Serves until it is asked to stop. @param started is told the address to open, token and all;
/// it ends at once if that says false
/// @return why it could not
std::optional<Error> serve(const ServeRequest& request, const std::stop_token& stop,
                           const std::function<bool(std::string_view url)>& started);

}  // namespace tactus::serve
