#include "cluster/worker.h"

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "base/wipe.h"
#include "cluster/crew.h"
#include "cluster/embed_messages.h"
#include "cluster/file_pieces.h"
#include "cluster/messages.h"
#include "cluster/operation.h"
#include "unscatter/base/invariant.h"

namespace unscatter::cluster {
namespace {

class Worker {
 public:
  explicit Worker(Communicator& job) : job_(job) {}

  void run() {
    for (;;) {
      const Order order = take_order(job_);
      switch (order.operation) {
        case Operation::kEnd: return;
        case Operation::kEmbedder: learn_embedder(); break;
        case Operation::kEmbed: embed(order.a, order.b); break;
        case Operation::kFile: embed_file(order); break;
        default: job_.abort("the first rank asks for something that this rank does not know");
      }
    }
  }

 private:
  void learn_embedder() {
    std::vector<std::byte> bytes;
    job_.broadcast_any(bytes);
    auto embedder = read_embedder({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (!embedder.ok()) job_.abort(embedder.error().message);
    embedder_ = std::move(embedder).value();
  }

  void embed(std::uint64_t rounds, std::size_t threads) {
    invariant(embedder_ != nullptr, "an embedder comes before graphs");
    for (std::uint64_t round = 0; round < rounds; ++round) {
      std::vector<std::byte> bytes = receive_any(job_, 0);
      auto graphs = unpack_graphs(bytes);
      wipe(bytes);
      if (!graphs.ok()) job_.abort(graphs.error().message);
      std::vector<const Graph*> pointers;
      for (const std::optional<Graph>& graph : *graphs) pointers.push_back(graph ? &*graph : nullptr);
      std::vector<std::byte> rows = pack_rows(embedder_->embed(pointers, {.threads = threads}));
      send_any(job_, 0, rows);
      wipe(rows);
      for (std::optional<Graph>& graph : *graphs) {
        if (graph) graph->wipe();
      }
    }
  }

  void embed_file(const Order& order) {
    invariant(embedder_ != nullptr, "an embedder comes before a file");
    std::vector<std::byte> bytes;
    job_.broadcast_any(bytes);
    const std::filesystem::path path(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    const FileCut cut = cut_file(order.a, job_.size());
    std::error_code unknown;
    const std::uint64_t sees_it =
        std::filesystem::is_regular_file(path, unknown) && std::filesystem::file_size(path, unknown) == order.a ? 1 : 0;
    job_.send_numbers(0, std::span(&sees_it, 1));
    for (std::uint64_t piece = job_.rank();; piece += job_.size()) {
      std::uint64_t go_on = 0;
      job_.broadcast_numbers(std::span(&go_on, 1));
      if (go_on == 0) return;
      std::optional<EmbeddedPiece> made;
      if (piece < cut.pieces()) made = embed_piece(path, cut, piece, *embedder_, order.c == 1, order.b);
      std::vector<std::byte> message = pack_piece(made);
      send_any(job_, 0, message);
      wipe(message);
    }
  }

  Communicator& job_;
  std::shared_ptr<const Embedder> embedder_;
};

}  // namespace

void serve_first_rank(Communicator& job) { Worker(job).run(); }

}  // namespace unscatter::cluster
