// The C++ side of boundary.py: the same removals and the same embedding, without Python.
//
//   unscatter_boundary forget ROWS.jsonl COUNT     seconds of each of COUNT removals, one per line
//   unscatter_boundary embed GRAPHS.jsonl ROUNDS   processor seconds of each of ROUNDS embeddings of all graphs
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include "unscatter/unscatter.h"

namespace {

using unscatter::Dataset;

double seconds_since(std::chrono::steady_clock::time_point begun) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

void time_forgets(Dataset dataset, std::size_t count) {
  const unscatter::TransformSpec spec = unscatter::parse_embedding("rows").value();
  unscatter::SessionOptions options;
  options.regularisation = unscatter::usual_regularisation(spec, options.regularisation);
  const auto embedder = unscatter::make_embedder("attributes", spec, dataset).value();
  auto session = unscatter::Session::create(std::move(dataset), embedder, options).value();
  for (std::size_t i = 0; i < count; ++i) {
    const auto begun = std::chrono::steady_clock::now();
    if (!session.forget(unscatter::ForgetGraph{i}).ok()) std::exit(1);
    std::printf("%.9f\n", seconds_since(begun));
  }
}

void time_embeddings(const Dataset& dataset, std::size_t rounds) {
  const unscatter::TransformSpec spec = unscatter::default_transform();
  const auto embedder = unscatter::make_embedder(unscatter::usual_features(spec), spec, dataset).value();
  for (std::size_t i = 0; i < rounds; ++i) {
    const std::clock_t begun = std::clock();
    {
      // Dropped within the time, as in Python.
      const auto rows = embedder->embed(dataset, {.threads = 1});
      if (!rows.ok()) std::exit(1);
    }
    std::printf("%.9f\n", static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string_view what = argv[1];
  const auto count = static_cast<std::size_t>(std::strtoull(argv[3], nullptr, 10));
  auto dataset = unscatter::read_dataset(argv[2]).value();
  if (what == "forget") {
    time_forgets(std::move(dataset), count);
  } else {
    time_embeddings(dataset, count);
  }
  return 0;
}
