#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tactus/serve/http/http.hpp"

/// Who may ask. Any page in the user's browser can send requests to this machine: one from another
/// site is told by its Origin, one that came by a name made to lead here by its Host, and whatever
/// does neither does not know the token.
namespace tactus::serve {

class Guard {
 public:
  /// @param address that the server listens at
  Guard(const std::string& address, int port, std::string token);

  /// Why a request is refused; a status of 0 where it is not.
  HttpResponse admit(const HttpRequest& request) const;

  /// Does a text, the head of a request, hold the token?
  bool knows_token(std::string_view head) const;

  const std::string& token() const { return token_; }

 private:
  bool knows(std::string_view host) const;

  std::vector<std::string> hosts_;  ///< by which this server may be called, in lower case
  std::string token_;
};

/// 128 random bits as text.
std::string new_token();

/// May a server listen here without being told twice? 127.0.0.0/8 and ::1.
bool is_loopback(std::string_view address);

/// { "error": text }
HttpResponse refusal(int status, std::string_view why);

}  // namespace tactus::serve
