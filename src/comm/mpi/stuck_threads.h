// Threads of this process that wait for a disk that does not answer.
#pragma once

#include <map>
#include <string>

namespace unscatter {

// A thread whose disk or network file system does not answer is in the state that Linux calls D.  It cannot say so
// itself.  Another thread of the process can: the state stands in /proc.  Not for several threads.
class StuckThreads {
 public:
  // Looks at all threads.  Returns for how long the longest of them has been in one and the same wait, in seconds, as
  // far as this and earlier calls have seen; 0 if none waits.  `now` is in seconds and does not go back.  Where there
  // is no /proc, nobody ever waits.
  [[nodiscard]] double longest_wait(double now);

 private:
  struct Wait {
    std::string switches;  // how often the thread has left the processor: another number is another wait
    double since = 0;
  };
  std::map<std::string, Wait> waits_;  // by thread
};

}  // namespace unscatter
