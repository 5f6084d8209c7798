#include "tactus/serve/serve.hpp"

#include <fmt/core.h>

#include <optional>

#include "tactus/base/file.hpp"
#include "tactus/cli/long_work.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/scratch_folder.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/host/child.hpp"
#include "tactus/report/html/page_template.hpp"
#include "tactus/serve/assets.hpp"

namespace tactus::cli {
namespace {

constexpr int kUsualPort = 8423;

struct ServeArguments {
  std::string file, host = "127.0.0.1", socket;
  int port = kUsualPort;
  bool watch = false, open = false;
};

/// Opens a browser at an address. Its secret is in a file that nobody else may read: the arguments of
/// a process are seen by all.
class Opened {
 public:
  explicit Opened(std::string_view url) {
    const std::string page = folder_.path() + "/open.html";
    const std::string text =
        fmt::format("<meta http-equiv=\"refresh\" content=\"0; url={}\">\n", url);
    const bool written = !folder_.path().empty() && save(page, text);
    if (auto started = host::Child::start({"xdg-open", page}); written && started) {
      browser_ = std::move(*started);
    } else {
      note("tactus: warning: no browser could be opened (xdg-open)");
    }
  }

 private:
  ScratchFolder folder_;
  host::Child browser_;
};

/// What is wrong with the arguments; empty if nothing is.
std::string fault_of(const ServeArguments& arguments) {
  if (arguments.watch && arguments.file.empty()) return "--watch needs a FILE to watch";
  if (arguments.host == "0.0.0.0" || arguments.host == "::") {
    return "--host must name ONE address of this machine: requests are checked for it";
  }
  if (arguments.file.empty()) return {};
  if (arguments.file == "-") return "serve needs a FILE that it can save, not standard input";
  const auto readable = read_text_file(arguments.file);
  return readable ? std::string() : readable.error().message;
}

int run(ServeArguments& arguments) {
  if (serve::live_page().empty())
    return fail(fmt::format("this tactus has no page to serve: {}", report::why_no_page()),
                kUnknown);
  if (const std::string fault = fault_of(arguments); !fault.empty()) return fail(fault);
  if (!serve::is_loopback(arguments.host)) {
    complain(fmt::format(
        "tactus: warning: others on the network can reach {}, and what they send is not encrypted",
        arguments.host));
  }
  LongWork work;
  std::optional<Opened> browser;
  bool told = true;
  const auto started = [&](std::string_view url) {
    told = emit(fmt::format("{} is at\n  {}\nCtrl-C ends it.\n",
                            arguments.file.empty() ? "A new system" : shown_name(arguments.file),
                            url));
    if (told && arguments.open) browser.emplace(url);
    return told;
  };
  const auto failed = serve::serve({.subject = {arguments.file, arguments.watch, arguments.socket},
                                    .address = arguments.host,
                                    .port = arguments.port},
                                   work.stop_token(), started);
  if (failed) complain("tactus: " + failed->message);
  return failed || !told ? kUnknown : kYes;
}

void describe(ServeArguments& arguments, Fields& is) {
  is("file", arguments.file, "System file; none: a new system, which cannot be saved")
      .positional("FILE");
  is("port", arguments.port, "0 takes any free one").range(0, 65535);
  is("host", arguments.host,
     "The address to listen at; the default is reached from this machine only")
      .shows("ADDRESS");
  is("open", arguments.open, "Open the page in the browser of the desktop (xdg-open)");
  is("watch", arguments.watch, "The page follows when another program changes FILE");
  is("socket", arguments.socket, "Where the arbiter listens").shows("PATH");
}

}  // namespace

void add_serve(Parser& app, int& exit_code) {
  add_verb<ServeArguments>(app, exit_code, "serve", "Edit and analyse a system live, in a browser",

                           "Exit code 0: ended by Ctrl-C; 2: FILE cannot be read; 3: this tactus "
                           "was built without npm,\n"
                           "or the port is taken.\n"
                           "Examples:\n"
                           "  tactus serve robot.system.json --open\n"
                           "  tactus serve robot.system.json --watch --port 0\n"
                           "  tactus serve",
                           run);
}

}  // namespace tactus::cli
