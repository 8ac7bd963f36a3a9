// A thread beside the writer: answers are written there, so that the next round need not wait for them.
#pragma once

#include <functional>
#include <memory>

namespace unscatter::service {

class Aside {
 public:
  Aside();
  ~Aside();
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

  // Runs the tasks one after the other, in their order.
  void run(std::function<void()> task);
  // Returns when all of them are done.  Nothing may be given to it afterwards.
  void finish();

 private:
  struct Inside;  // what needs Boost
  std::unique_ptr<Inside> inside_;
};

}  // namespace unscatter::service
