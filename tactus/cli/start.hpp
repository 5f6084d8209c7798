#pragma once

namespace tactus::cli {

/// What a program puts right before anything else, because whoever started it may not have:
/// standard streams that are closed (the next file or socket would take their number, and get what
/// is printed) lead nowhere, and children that end are told of.
///
/// A command that is started from here finds closed what was closed.
void start_well();

/// Was SIGCHLD ignored when the program was started?
bool children_were_ignored();

}  // namespace tactus::cli
