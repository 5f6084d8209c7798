#include "tactus/serve/http/exchange.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <string_view>

/// Requests as they come, and what is answered to them.
namespace tactus::serve {
namespace {

constexpr std::size_t kMostBody = 100;

/// Refuses who has no token, and says what it was asked.
HttpHandler handler() {
  return {.admit =
              [](const HttpRequest& asked) {
                return asked.token == "secret" ? HttpResponse{.status = 0}
                                               : HttpResponse{401, "no token"};
              },
          .answer =
              [](const HttpRequest& asked) {
                return HttpResponse{200, asked.method + " " + asked.path + " " + asked.body,
                                    "text/plain", "\"1\""};
              },
          .known = {},
          .headers = {{"Cache-Control", "no-store"}}};
}

std::string answer_to(std::string_view request, bool end = true) {
  int ends[2];
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  EXPECT_EQ(send(ends[0], request.data(), request.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(request.size()));
  if (end) shutdown(ends[0], SHUT_WR);
  Connection connection(ends[1], {std::chrono::seconds(5), std::chrono::seconds(5), 1 << 20}, {});
  exchange(connection, handler(), kMostBody);
  close(ends[1]);
  std::string answer(1 << 16, '\0');
  const ssize_t got = recv(ends[0], answer.data(), answer.size(), MSG_WAITALL);
  answer.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  close(ends[0]);
  return answer;
}

std::string status_of(std::string_view request) { return answer_to(request).substr(0, 12); }

TEST(Exchange, AnswersWithAllHeaders) {
  EXPECT_EQ(answer_to("GET /a?x=1&token=secret HTTP/1.1\r\nHost: here\r\n\r\n", false),
            "HTTP/1.1 200 OK\r\nConnection: close\r\nCache-Control: no-store\r\nETag: \"1\"\r\n"
            "Content-Type: text/plain\r\nContent-Length: 7\r\n\r\nGET /a ");
}

TEST(Exchange, ReadsBodiesInOnePieceAndInChunks) {
  const std::string head = "POST /b HTTP/1.1\r\nX-Tactus-Token: secret\r\n";
  EXPECT_TRUE(
      answer_to(head + "Content-Length: 5\r\n\r\nhello, and more").ends_with("POST /b hello"));
  EXPECT_TRUE(answer_to(head + "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n")
                  .ends_with("POST /b hello"));
}

TEST(Exchange, TellsClientsThatWaitToGoOn) {
  const std::string answer = answer_to(
      "POST /b HTTP/1.1\r\nX-Tactus-Token: secret\r\nExpect: 100-Continue\r\n"
      "Content-Length: 2\r\n\r\nhe");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n")) << answer;
}

TEST(Exchange, SendsNoBodyToWhoAsksForTheHead) {
  const std::string answer = answer_to("HEAD /?token=secret HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(answer.ends_with("Content-Length: 7\r\n\r\n")) << answer;
}

TEST(Exchange, RefusesBeforeItReadsABody) {
  EXPECT_EQ(answer_to("POST /b HTTP/1.1\r\nContent-Length: 50\r\n\r\n", false).substr(0, 12),
            "HTTP/1.1 401");
}

TEST(Exchange, RefusesWhatIsTooLarge) {
  const std::string head = "POST /b HTTP/1.1\r\nX-Tactus-Token: secret\r\n";
  EXPECT_EQ(status_of(head + "Content-Length: 101\r\n\r\n"), "HTTP/1.1 413");
  EXPECT_EQ(status_of(head + "Transfer-Encoding: chunked\r\n\r\n65\r\n" + std::string(101, 'x')),
            "HTTP/1.1 413");
  EXPECT_EQ(status_of("GET /" + std::string(256, 'x') + " HTTP/1.1\r\n\r\n"), "HTTP/1.1 414");
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nX: " + std::string(kMostHeadBytes, 'x') + "\r\n\r\n"),
            "HTTP/1.1 431");
}

TEST(Exchange, RefusesWhatIsNoRequest) {
  for (const char* bad : {"hello\r\n\r\n", "GET / HTTP/3.7\r\n\r\n", "GET /\x01 HTTP/1.1\r\n\r\n",
                          "GET / HTTP/1.1\r\nno colon\r\n\r\n",
                          "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                          "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n"}) {
    EXPECT_EQ(status_of(bad), "HTTP/1.1 400") << bad;
  }
}

TEST(Exchange, SaysNothingToWhoLeavesEarly) {
  EXPECT_EQ(answer_to(""), "");
  EXPECT_EQ(answer_to("GET / HTTP/1.1\r\n"), "");
}

}  // namespace
}  // namespace tactus::serve
