// A data set in the forms that cells need.  Each form is made once.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "unlearn/paper_setting.h"
#include "unscatter/base/result.h"
#include "unscatter/embedding/embedder.h"
#include "unscatter/embedding/transform_spec.h"
#include "unscatter/graph/dataset.h"
#include "unscatter/linalg/sparse_block_rows.h"

namespace unscatter::experiment {

// The first of FOLDER/NAME/NAME_gin.zip, NAME.zip, the first *.npz, and NAME.jsonl that exists.  Errors: kNotFound.
[[nodiscard]] Result<std::filesystem::path> find_data_set(const std::filesystem::path& folder, const std::string& name);

// The transform of "gst", "linear-gst" or "gft" with these constants.  The operator is `row`, as in the paper's public
// program.
[[nodiscard]] TransformSpec transform_of(const std::string& backbone, const HyperParameters& parameters);

enum class CellForm {
  kPlain,
  kFrozenDegrees,  // for the paper's methods, if the data has nothing but degrees; otherwise the same as kPlain
  kSymmetrised,    // for GFT, if graphs are directed; otherwise the same as kPlain
};

// All graphs of a data set, embedded with public constants.  The constants come from the whole data set, in every
// split.
struct EmbeddedData {
  const Dataset* dataset = nullptr;
  std::shared_ptr<const Embedder> embedder;
  SparseBlockRows rows;
  double seconds = 0;      // to embed them
  double longest_row = 1;  // of a recipe: no row is longer, A if it ends with "scale:A"
};

// Everything is made on first use and kept.  Any number of threads may use it.  What is returned lives as long as the
// cache.
class DataCache {
 public:
  [[nodiscard]] static Result<std::unique_ptr<DataCache>> open(const std::filesystem::path& folder,
                                                               const std::string& name, std::size_t threads);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const Dataset& dataset() const noexcept { return plain_; }
  [[nodiscard]] const Dataset& dataset(CellForm form);
  [[nodiscard]] const std::string& digest() const noexcept { return digest_; }
  [[nodiscard]] Result<const EmbeddedData*> embedded(const std::string& backbone, const HyperParameters& parameters,
                                                     CellForm form);
  // By a recipe, a name or a text (docs/embeddings.md).
  [[nodiscard]] Result<const EmbeddedData*> embedded(const std::string& recipe);
  // The features of sessions and embeddings: "paper", or what replaces it where one-hot degrees would have too many
  // channels.
  [[nodiscard]] const std::string& features() const noexcept { return features_; }

 private:
  DataCache() = default;
  [[nodiscard]] CellForm effective(CellForm form) const;
  [[nodiscard]] const Dataset& dataset_locked(CellForm form);

  std::string name_;
  std::string features_ = "paper";
  std::string digest_;
  std::size_t threads_ = 0;
  bool only_degrees_ = false;
  bool directed_ = false;
  Dataset plain_;
  std::mutex mutex_;  // guards what follows
  std::optional<Dataset> frozen_;
  std::optional<Dataset> symmetrised_;
  std::map<std::string, std::unique_ptr<EmbeddedData>> embedded_;
};

// Test accuracy of `weights` on the chosen rows, in %.
[[nodiscard]] double accuracy_percent(const EmbeddedData& data, std::span<const std::size_t> chosen,
                                      const Matrix& weights, std::size_t threads);

}  // namespace unscatter::experiment
