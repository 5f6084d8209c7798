#include "tactus/serve/guard.hpp"

#include <gtest/gtest.h>

namespace tactus::serve {
namespace {

HttpRequest asking(std::string path, std::string host, std::string token = {}) {
  HttpRequest request;
  request.method = "GET";
  request.path = std::move(path);
  request.host = std::move(host);
  request.token = std::move(token);
  return request;
}

TEST(Guard, LetsTheOwnerInByEveryNameOfThisMachine) {
  const Guard guard("127.0.0.1", 8423, "secret");
  for (const char* host : {"127.0.0.1:8423", "localhost:8423", "LocalHost:8423", "[::1]:8423"}) {
    EXPECT_EQ(guard.admit(asking("/api/file", host, "secret")).status, 0) << host;
  }
}

TEST(Guard, RefusesNamesThatOnlyLeadHere) {
  const Guard guard("127.0.0.1", 8423, "secret");
  for (const char* host : {"", "evil.example", "evil.example:8423", "127.0.0.1", "127.0.0.1:80",
                           "127.0.0.1:8423.evil.example", "localhost:8423 "}) {
    EXPECT_EQ(guard.admit(asking("/", host, "secret")).status, 403) << host;
  }
}

TEST(Guard, RefusesPagesOfOtherSites) {
  const Guard guard("127.0.0.1", 8423, "secret");
  HttpRequest request = asking("/", "127.0.0.1:8423", "secret");
  for (const char* origin : {"null", "http://evil.example", "https://127.0.0.1:8423",
                             "http://127.0.0.1:8423/x", "127.0.0.1:8423"}) {
    request.origin = origin;
    EXPECT_EQ(guard.admit(request).status, 403) << origin;
  }
  request.origin = "http://localhost:8423";
  EXPECT_EQ(guard.admit(request).status, 0);
}

TEST(Guard, AsksForTheTokenWhereverSomethingIsReadOrRun) {
  const Guard guard("127.0.0.1", 8423, "secret");
  for (const char* token : {"", "s", "secres", "secret0", "SECRET"}) {
    EXPECT_EQ(guard.admit(asking("/api/file", "localhost:8423", token)).status, 401) << token;
    EXPECT_EQ(guard.admit(asking("/metrics", "localhost:8423", token)).status, 401) << token;
  }
  EXPECT_EQ(guard.admit(asking("/app.js", "localhost:8423")).status, 0);
}

TEST(Guard, TakesBodiesOfJsonOnlyAndNoneThatIsCompressed) {
  const Guard guard("127.0.0.1", 8423, "secret");
  HttpRequest request = asking("/api/check", "localhost:8423", "secret");
  request.method = "POST";
  EXPECT_EQ(guard.admit(request).status, 415);
  request.type = "application/json; charset=utf-8";
  EXPECT_EQ(guard.admit(request).status, 0);
  request.encoded = true;
  EXPECT_EQ(guard.admit(request).status, 400);
}

TEST(Guard, KnowsAnotherAddressByThatAddressAlone) {
  const Guard guard("192.0.2.7", 80, "secret");
  EXPECT_EQ(guard.admit(asking("/", "192.0.2.7")).status, 0);
  EXPECT_EQ(guard.admit(asking("/", "192.0.2.7:80")).status, 0);
  EXPECT_EQ(guard.admit(asking("/", "localhost:80")).status, 403);
}

TEST(Guard, MakesAnotherTokenEachTime) {
  EXPECT_EQ(new_token().size(), 32U);
  EXPECT_NE(new_token(), new_token());
}

TEST(Guard, WaitsForNoBodyOutsideOfTheInterface) {
  const Guard guard("127.0.0.1", 8423, "secret");
  HttpRequest request;
  request.host = "localhost:8423";
  request.path = "/";
  request.type = "application/json";
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH"}) {
    request.method = method;
    EXPECT_EQ(guard.admit(request).status, 404) << method;
  }
  request.method = "GET";
  EXPECT_EQ(guard.admit(request).status, 0);
}

}  // namespace
}  // namespace tactus::serve
