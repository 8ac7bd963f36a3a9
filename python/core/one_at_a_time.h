// One thread of Python works with an object at a time.
#pragma once

#include <atomic>
#include <mutex>
#include <thread>

#include "core.h"

namespace unscatter::python {

// A mutex that knows who holds it.  Work calls functions of the user: reports, hand_out, acknowledge.  If such a
// function used the object that is at work, it would wait for itself, for ever and deaf to Ctrl-C.  So it is refused.
class OneAtATime {
 public:
  // The work of one thread, until its end.
  class Turn {
   public:
    explicit Turn(OneAtATime& owner) : owner_(owner), lock_(owner.mutex_) {
      owner_.worker_ = std::this_thread::get_id();
    }
    ~Turn() { owner_.worker_ = std::thread::id(); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    Turn(Turn&&) = delete;
    Turn& operator=(Turn&&) = delete;

   private:
    OneAtATime& owner_;
    std::scoped_lock<std::mutex> lock_;
  };

  // Raises if this thread is in the middle of work.  Needs the interpreter's lock; a Turn is taken without it.
  void refuse_its_own_functions() const {
    if (worker_.load() != std::this_thread::get_id()) return;
    raise(Error{ErrorCode::kUnavailable,
                "this object is at work: a function that it calls meanwhile must not use it; the call that is under "
                "way has to return first"});
  }

 private:
  std::mutex mutex_;
  std::atomic<std::thread::id> worker_{};
};

}  // namespace unscatter::python
