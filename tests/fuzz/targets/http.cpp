// Requests to `tactus serve`, as bytes on a connection: none reaches an answer without the token and a
// name of this server, whatever it looks like. The connection is a socket of ours; nothing listens.
#include <sys/socket.h>
#include <unistd.h>

#include "tactus/serve/guard.hpp"
#include "tactus/serve/http/exchange.hpp"
#include "tests/fuzz/targets/fuzz.hpp"

using namespace tactus;

namespace {

constexpr const char* kToken = "0123456789abcdef0123456789abcdef";

const serve::Guard& guard() {
  static const serve::Guard kGuard("127.0.0.1", 8080, kToken);
  return kGuard;
}

bool may_ask(const serve::HttpRequest& request) {
  const bool here = request.host.ends_with(":8080");
  return here && request.path.size() <= 256 &&
         (request.token == kToken || !request.path.starts_with("/api/"));
}

const serve::HttpHandler& handler() {
  static const serve::HttpHandler kHandler{
      .admit = [](const serve::HttpRequest& request) { return guard().admit(request); },
      .answer =
          [](const serve::HttpRequest& request) {
            fuzz::demand(may_ask(request), "only who may ask is answered");
            return serve::HttpResponse{200, request.body};
          },
      .known = {},
      .headers = {{"Cache-Control", "no-store"}}};
  return kHandler;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  int ends[2];
  fuzz::demand(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "there is a socket");
  const int room = 1 << 20;  // all of the answer fits, as nobody reads while it is written
  setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
  setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
  if (size > 0) send(ends[0], data, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  shutdown(ends[0], SHUT_WR);
  constexpr std::size_t kMostBody = 1 << 16;
  serve::Connection connection(
      ends[1],
      {std::chrono::seconds(5), std::chrono::seconds(5), kMostBody + serve::kMostHeadBytes}, {});
  serve::exchange(connection, handler(), kMostBody);
  close(ends[1]);
  std::string answer(1 << 16, '\0');
  const ssize_t got = recv(ends[0], answer.data(), answer.size(), MSG_DONTWAIT);
  fuzz::demand(got <= 0 || answer.starts_with("HTTP/1.1 "), "what is answered is an answer");
  close(ends[0]);
  return 0;
}
