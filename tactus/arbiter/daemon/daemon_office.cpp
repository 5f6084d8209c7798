// What the arbiter has to do with reservations: it passes on what is asked, and keeps to the answers.
#include <fcntl.h>
#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "tactus/arbiter/daemon/daemon.hpp"
#include "tactus/base/printable.hpp"

namespace tactus::arbiter::daemon {

std::optional<Error> Daemon::admit(std::shared_ptr<Office> office) {
  if (!watch(office->news(), kOffice, 0))
    return Error{fmt::format("cannot wait for requests: {}", std::strerror(errno))};
  floor_.office = std::move(office);
  return std::nullopt;
}

/// False: it is no part of a request.
bool Daemon::take_question(Peer& peer, const Text& piece) {
  if (piece.whole == 0 || piece.whole > Text::kMost || piece.length == 0 ||
      piece.length > sizeof piece.bytes || peer.asked.size() + piece.length > piece.whole)
    return false;
  peer.asked.append(piece.bytes, piece.length);
  if (peer.asked.size() < piece.whole) return true;
  const auto& office = floor_.office;
  if (office == nullptr) {
    peer.asked.clear();
    tell(peer,
         std::string("error\nthis arbiter admits nobody (tactusd --protocol boost --admit FILE)") +
             '\0');
    return true;
  }
  Question question(peer.id, peer.pid, peer.uid,
                    peer.process >= 0 ? fcntl(peer.process, F_DUPFD_CLOEXEC, 0) : -1);
  question.may_reserve = floor_.options.permissions.may_be_real_time(peer.uid);
  question.text = std::exchange(peer.asked, {});
  if (const auto told = office->ask(std::move(question))) tell(peer, told->text);
  return true;
}

/// The text goes as a file that nobody else knows.
void Daemon::tell(Peer& peer, const std::string& text) {
  const host::SharedMemory memory("tactus-answer", text.size(),
                                  host::SharedMemory::For::kStrangers);
  if (!memory) return;
  std::memcpy(memory.at(), text.data(), text.size());
  Message message{};
  message.kind = MessageKind::kTold;
  message.text.whole = static_cast<std::uint32_t>(text.size());
  const int file = memory.file();
  peer.send(message, &file, 1);
}

void Daemon::attend_office() {
  if (floor_.office == nullptr) return;
  const News news = floor_.office->take();
  if (news.book != nullptr) {
    referee_->hold_to(news.book);
    referee_->carry_out();
    floor_.office->in_force(news.number);
  }
  for (const Told& told : news.told) {
    Peer* const peer = floor_.find(told.to);
    if (told.text.empty()) continue;  // who asked has ended
    const std::string word = told.text.substr(0, told.text.find('\n'));
    floor_.log.line("answer", told.to, R"("answer": "{}")", word);
    if (peer != nullptr) tell(*peer, told.text);
  }
  for (const std::string& line : news.lines)
    floor_.log.line("office", 0, R"("said": "{}")", printable_line(line));
}

}  // namespace tactus::arbiter::daemon
