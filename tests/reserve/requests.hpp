#pragma once

#include <string>
#include <vector>

#include "tactus/reserve/controller.hpp"
#include "tests/support/read.hpp"

/// Platforms and requests of the tests, written down shortly. Times are in milliseconds.
namespace tactus::reserve::tests {

/// A piece of a chain: CPU work, or a GPU segment with its launch code.
struct Piece {
  std::string cpu, gpu, launch;
};

struct Request {
  std::string name, period, deadline, core;
  std::vector<Piece> pieces;
  std::string jitter = {};
};

inline System platform_of(const std::string& cores, const std::string& off, const std::string& on,
                          const std::string& st, const std::string& tasks = "") {
  return support::read(R"({"tactus":1,"name":"case","time_unit":"ms","platform":{"elements":[)"
                       R"({"name":"cpu","kind":"cpu","units":)" +
                       cores + R"(},{"name":"gpu","kind":"gpu","units":1,"preempt_cost":)" + off +
                       R"(,"resume_cost":)" + on + R"(,"start_cost":)" + st + R"(}]},"tasks":[)" +
                       tasks + "]}");
}

inline std::string text_of(const Request& request) {
  std::string text = R"({"name":")" + request.name + R"(","period":)" + request.period +
                     R"(,"core":)" + request.core;
  if (!request.deadline.empty()) text += R"(,"deadline":)" + request.deadline;
  if (!request.jitter.empty()) text += R"(,"jitter":)" + request.jitter;
  text += R"(,"nodes":[)";
  for (std::size_t k = 0; k < request.pieces.size(); ++k) {
    const Piece& piece = request.pieces[k];
    text += std::string(k > 0 ? "," : "") + R"({"name":"n)" + std::to_string(k) + R"(","on":)";
    if (piece.gpu.empty()) {
      text += R"("cpu","wcet":)" + piece.cpu + "}";
    } else {
      text += R"("gpu","wcet":)" + piece.gpu;
      text += R"(,"launch":)" + (piece.launch.empty() ? "0" : piece.launch) + "}";
    }
  }
  return text + "]}";
}

inline Task task_of(const Request& request) {
  return platform_of("8", "0", "0", "0", text_of(request)).tasks.at(0);
}

}  // namespace tactus::reserve::tests
