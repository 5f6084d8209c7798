// What `tactus serve` does with a request that was let in: every question whose answer takes no long
// search. The first line is the method and the path, the rest the body.
#include "tactus/serve/routes.hpp"
#include "tests/fuzz/targets/file.hpp"
#include "tests/fuzz/targets/fuzz.hpp"

using namespace tactus;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::InputFile kFile("served.system.json");
  static serve::Routes* const routes = [] {
    const std::string text = "{\"tactus\": 1}\n";
    kFile.write(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    return new serve::Routes({.file = kFile.path(), .watch = true, .arbiter_socket = "/dev/null/x"},
                             serve::Guard("127.0.0.1", 8080, "token"));
  }();
  const std::string text = fuzz::text_of(data, size);
  const std::size_t line = std::min(text.find('\n'), text.size());
  const std::size_t blank = std::min(text.find(' '), line);
  serve::HttpRequest request;
  request.method = text.substr(0, blank);
  request.path = text.substr(std::min(blank + 1, line), line - std::min(blank + 1, line));
  request.body = text.substr(std::min(line + 1, text.size()));
  const bool quick = request.method != "POST" || request.path == "/api/check" ||
                     request.path == "/api/canonical" || request.path == "/api/save";
  if (!quick) return 0;
  const serve::HttpResponse response = routes->answer(request);
  fuzz::demand(response.status == 200 || response.status >= 300, "a request is answered");
  fuzz::demand(response.status != 500, "no request breaks the server");
  return 0;
}
