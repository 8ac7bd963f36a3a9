// A JSONL file that several ranks read together, each its own pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "embedding/embed_crew.h"
#include "linalg/fixed_scores.h"
#include "unscatter/graph/read.h"

namespace unscatter::cluster {

// What tells a file from another one of its name, such as an older copy on another machine.
struct FileMark {
  std::uint64_t bytes = 0;
  std::int64_t written = 0;  // nanoseconds since 1970
  friend bool operator==(const FileMark&, const FileMark&) = default;
};
// Nothing: it is not there, or no ordinary file.
[[nodiscard]] std::optional<FileMark> mark_of(const std::filesystem::path& path);

// A file and its mark, for other ranks.
[[nodiscard]] std::vector<std::byte> pack_file(const std::filesystem::path& path, const FileMark& mark);
void unpack_mark(std::span<const std::byte> bytes, std::filesystem::path& path, FileMark& mark);
// Is the file that is meant here, too?  `path` becomes its name.
[[nodiscard]] bool unpack_file(std::span<const std::byte> bytes, std::filesystem::path& path);

// The file is cut into pieces of equal length.  A line belongs to the piece in which it begins.
struct FileCut {
  std::uint64_t file_bytes = 0;
  std::uint64_t piece_bytes = 1;

  [[nodiscard]] std::uint64_t pieces() const { return (file_bytes + piece_bytes - 1) / piece_bytes; }
};
// Enough pieces for all ranks, of at least 64 KiB and at most 4 MiB.
[[nodiscard]] FileCut cut_file(std::uint64_t file_bytes, std::size_t ranks);

// The graphs of one piece, as GraphStream gives them but for their places.  Nothing if there is anything about the
// piece that a reader of the whole file might refuse: a line that is no graph, an empty line, a file that was changed.
[[nodiscard]] std::optional<std::vector<StreamedGraph>> read_piece(const std::filesystem::path& path,
                                                                   const FileCut& cut, std::uint64_t piece,
                                                                   bool symmetrise);

// The same graphs, embedded, or their scores.  Nothing also if a graph cannot be embedded.
[[nodiscard]] std::optional<EmbeddedPiece> embed_piece(const std::filesystem::path& path, const FileCut& cut,
                                                       std::uint64_t piece, const Embedder& embedder,
                                                       const FileWork& work, std::size_t threads);

[[nodiscard]] std::vector<std::byte> pack_piece(const std::optional<EmbeddedPiece>& piece);
// `classes`: of the scores; 0: rows were sent.
[[nodiscard]] std::optional<EmbeddedPiece> unpack_piece(std::span<const std::byte> bytes, std::size_t columns,
                                                        std::size_t classes);

[[nodiscard]] std::vector<std::byte> pack_rule(const FitRule& rule);
[[nodiscard]] FitRule unpack_rule(std::span<const std::byte> bytes);

// What scores() of a model says, for other ranks.
[[nodiscard]] std::vector<std::byte> pack_scores(const FixedScores& scores);
[[nodiscard]] FixedScores unpack_scores(std::span<const std::byte> bytes);

}  // namespace unscatter::cluster
