#include "comm/single_process.h"

#include <cstdio>
#include <cstdlib>

#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

class SingleProcess final : public Communicator {
 public:
  [[nodiscard]] std::size_t rank() const noexcept override { return 0; }
  [[nodiscard]] std::size_t size() const noexcept override { return 1; }
  [[noreturn]] void abort(std::string_view reason) override {
    std::fprintf(stderr, "unscatter: %.*s\n", static_cast<int>(reason.size()), reason.data());
    std::_Exit(EXIT_FAILURE);
  }

 protected:
  void do_send(std::size_t, std::span<const std::byte>) override { invariant(false, "there is no other rank"); }
  void do_receive(std::size_t, std::span<std::byte>) override { invariant(false, "there is no other rank"); }
};

}  // namespace

std::unique_ptr<Communicator> single_process() { return std::make_unique<SingleProcess>(); }

}  // namespace unscatter
