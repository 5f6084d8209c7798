#pragma once

namespace tactus::cli {

/// What a program corrects before anything else, because the process that started it may not have:
/// closed standard streams are opened on /dev/null (otherwise the next file or socket would take
/// their number, and get the output), and ended children are reported. From then on a want of memory
/// ends the program in one line, with exit code 3.
///
/// For a command that is started from here, closed streams are closed again.
void start_well();

/// Was SIGCHLD ignored when the program was started?
bool children_were_ignored();

}  // namespace tactus::cli
