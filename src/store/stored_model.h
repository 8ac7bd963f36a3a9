// The kept model as a row of the workspace, and the published one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "unscatter/base/digest.h"
#include "unscatter/base/random.h"
#include "unscatter/base/result.h"
#include "unscatter/linalg/dense.h"
#include "unscatter/unlearn/certificate.h"
#include "unscatter/unlearn/session.h"
#include "unscatter/unlearn/snapshot.h"

namespace unscatter {

// Numbers as 8 little-endian bytes each, column by column.
[[nodiscard]] std::vector<std::byte> to_blob(const Matrix& matrix);
[[nodiscard]] std::vector<std::byte> to_blob(const Vector& vector);
// Errors: kMalformedInput unless the bytes are rows x columns numbers.
[[nodiscard]] Result<Matrix> matrix_from_blob(const std::vector<std::byte>& blob, std::size_t rows,
                                              std::size_t columns);

// Of the details of kept and published models.  Version 1 is what unscatter 0.1 wrote: it has no field `version`, and
// of the promise it shows what kCertificatePromise1 and kPublishedPromise1 name.
inline constexpr std::uint32_t kModelVersion = 2;

// What was learned, and the counts that go with it.
struct StoredModel {
  Matrix weights;
  Vector residuals;
  std::optional<Matrix> perturbation;
  Certificate certificate;
  RungCounts rungs;  // every update counts once
  std::size_t published = 0;
  std::uint32_t version = kModelVersion;
  // Constants that a removal may change (ConstantKind::kPrivateFit), so they stand here and not among the constants of
  // the workspace.  Empty in version 1.
  std::string features = {};
  std::vector<std::string> class_names = {};
};
// As the session stands.
[[nodiscard]] StoredModel model_of(const SessionSnapshot& snapshot, std::size_t published);

// The same as columns of a row.
struct ModelRow {
  std::vector<std::byte> weights;
  std::vector<std::byte> residuals;
  std::optional<std::vector<std::byte>> perturbation;
  std::string details;  // certificate and counts, canonical JSON
  Salt salt;

  // Commits to all of it, and hides it once the salt is gone.
  [[nodiscard]] Digest digest() const;
};
[[nodiscard]] ModelRow to_row(const StoredModel& model, RandomSource& random);
// All but the matrices.  Their sizes follow from it.  Errors: kMalformedInput.
[[nodiscard]] Result<StoredModel> details_of(const ModelRow& row);
// Errors: kMalformedInput.
[[nodiscard]] Result<StoredModel> model_from_row(const ModelRow& row, std::size_t width, std::size_t classes);

// A published model without its weights, as canonical JSON.
[[nodiscard]] std::string published_text(const PublishedModel& model, std::uint32_t version = kModelVersion);
// Errors: kMalformedInput, also for a text of another version.
[[nodiscard]] Result<PublishedModel> parse_published(std::string_view text, std::uint32_t version = kModelVersion);

}  // namespace unscatter
