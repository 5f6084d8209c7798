#pragma once

#include <cstddef>

#include "tactus/serve/http/connection.hpp"
#include "tactus/serve/http/http.hpp"

namespace tactus::serve {

/// Reads one request, asks the handler, and writes its response. What is no request gets an answer
/// that says so; one that takes too long gets none (`Connection::too_slow`). Throws where memory ends.
void exchange(Connection& connection, const HttpHandler& handler, std::size_t most_body_bytes);

}  // namespace tactus::serve
