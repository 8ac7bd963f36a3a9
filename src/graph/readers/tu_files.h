// The files that make up a TU data set, in a folder or in a zip archive.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "graph/readers/byte_source.h"
#include "unscatter/base/result.h"

namespace unscatter::readers {

// Members of an archive by name, or files of a folder by path.  Optional files are empty if they do not exist.
struct TuFiles {
  std::string dataset_name;
  std::string edges;            // NAME_A.txt
  std::string graph_indicator;  // NAME_graph_indicator.txt
  std::string graph_labels;     // NAME_graph_labels.txt
  std::optional<std::string> node_labels;
  std::optional<std::string> node_attributes;
};

[[nodiscard]] bool is_folder(const Input& input);

// Errors: kNotFound, kIo; kMalformedInput for two data sets in one place or a required file that is not there.
[[nodiscard]] Result<TuFiles> find_tu_files(const Input& input);

// Whether `name` is the edge file of a data set.  Files "._..." are not; some systems add them to archives.
[[nodiscard]] bool is_tu_edge_file(std::string_view name);

[[nodiscard]] Result<std::unique_ptr<ByteSource>> open_tu_file(const Input& input, const std::string& file,
                                                               ByteBudget& budget);

}  // namespace unscatter::readers
