// Reservations, as programs ask for them (tactus/client.h).
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tactus/arbiter/client/ask.hpp"
#include "tactus/arbiter/client/process_client.hpp"
#include "tactus/client.h"
#include "tactus/host/clock.hpp"

namespace tactus::arbiter::client {
namespace {

void tell_caller(char* to, size_t size, const char* from) {
  if (to == nullptr || size == 0) return;
  const size_t length = strnlen(from, size - 1);
  memcpy(to, from, length);
  to[length] = 0;
}

/// The object of the caller with what this library knows put before it.
int ask_for(const char* request, char* answer, size_t size) {
  static constexpr char kBefore[] = R"({"ask": "reserve", "leaves": )";
  while (*request == ' ' || *request == '\n' || *request == '\t') ++request;
  const char* const leaves = work_can_leave() ? "true, " : "false, ";
  const size_t before = sizeof kBefore - 1, between = strlen(leaves), rest = strlen(request);
  if (*request != '{' || rest > 60'000) {
    tell_caller(answer, size, "a request is a JSON object");
    return TACTUS_INVALID;
  }
  char* const whole = static_cast<char*>(malloc(before + between + rest));
  if (whole == nullptr) {
    tell_caller(answer, size, "there is no memory");
    return TACTUS_INVALID;
  }
  memcpy(whole, kBefore, before);
  // NOLINTNEXTLINE(bugprone-not-null-terminated-result): the length of all goes along
  memcpy(whole + before, leaves, between);
  memcpy(whole + before + between, request + 1, rest - 1);
  const AskedAnswer told = ask_arbiter(nullptr, whole, before + between + rest - 1);
  free(whole);
  tell_caller(answer, size, told.problem != nullptr ? told.problem : told.text);
  if (told.problem != nullptr) return TACTUS_UNARBITRATED;
  if (told.says("admitted")) return TACTUS_RUNNING;
  return told.says("error") ? TACTUS_INVALID : TACTUS_REFUSED;
}

}  // namespace
}  // namespace tactus::arbiter::client

namespace client = tactus::arbiter::client;

extern "C" {

int tactus_reserve(const char* request, char* answer, size_t size) {
  return client::ask_for(request, answer, size);
}

int tactus_release(void) {
  static constexpr char kRequest[] = R"({"ask": "release"})";
  const client::AskedAnswer told = client::ask_arbiter(nullptr, kRequest, sizeof kRequest - 1);
  if (told.problem != nullptr) return TACTUS_UNARBITRATED;
  return told.says("done") ? TACTUS_RUNNING : TACTUS_INVALID;
}

void tactus_job_begins(int64_t arrived_ns) {
  client::process_connection().begin_job(arrived_ns != 0 ? arrived_ns : tactus::host::now_ns());
}

unsigned long tactus_demotions(void) { return client::process_connection().demotions(); }

}  // extern "C"
