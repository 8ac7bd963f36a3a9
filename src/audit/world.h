// Where observations come from: copies of sessions, in memory, that publish as sessions do.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "unscatter/base/random.h"
#include "unscatter/base/result.h"
#include "unscatter/embedding/embedder.h"
#include "unscatter/linalg/dense.h"
#include "unscatter/unlearn/request.h"
#include "unscatter/unlearn/session.h"

namespace unscatter {

// Makes a source of noise for a copy.  Nothing: SecureRandom.  Tests plant other ones.
using NoiseSource = std::function<std::unique_ptr<RandomSource>()>;

// A copy that shares nothing with `session`.  It counts its releases from zero: what an audit draws is seen by nobody.
// Weights other than the session's can be given, as a fault.
[[nodiscard]] Result<Session> copy_of(const Session& session, std::shared_ptr<const Embedder> embedder,
                                      const SessionOptions& options, const NoiseSource& noise = nullptr,
                                      const Matrix* weights = nullptr);

// The columns of kept weights that get noise of their own.  At level everyone the second of two mirrored classes
// follows from the first, and tells nobody anything new.
[[nodiscard]] Matrix published_columns(const Session& session, const Matrix& weights);

// One of the two worlds.  Not thread-safe.
class World {
 public:
  World() = default;
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  virtual ~World() = default;

  // What somebody outside sees once.  The noise is drawn anew, and nothing else is.
  [[nodiscard]] virtual Result<Matrix> observe() = 0;
  // The observation without its noise.
  [[nodiscard]] virtual const Matrix& centre() const = 0;
};

// The release mechanism: the models that sessions publish, one of each, side by side.  `draws` is how often observe()
// will be called, so that copies need not be made more often than necessary.
class PublishingWorld final : public World {
 public:
  [[nodiscard]] static Result<std::unique_ptr<World>> create(const std::vector<const Session*>& sessions,
                                                             std::shared_ptr<const Embedder> embedder,
                                                             std::size_t draws, const NoiseSource& noise = nullptr);
  [[nodiscard]] Result<Matrix> observe() override;
  [[nodiscard]] const Matrix& centre() const override { return centre_; }

 private:
  PublishingWorld(std::vector<Session> copies, std::shared_ptr<const Embedder> embedder, NoiseSource noise);
  [[nodiscard]] Result<Matrix> publish(Session& copy);

  std::vector<Session> copies_;
  std::shared_ptr<const Embedder> embedder_;
  NoiseSource noise_;
  Matrix centre_;
};

// The objective mechanism: the noise is drawn while training, so every observation is a training, followed by the
// `requests`.  From weights W on known data, an observer gets the noise of the objective back as -grad L(W) = b - u
// (docs/theory.md, Proposition 6).  This is what is observed.
class TrainingWorld final : public World {
 public:
  [[nodiscard]] static Result<std::unique_ptr<World>> create(Dataset dataset, std::vector<RemovalRequest> requests,
                                                             std::shared_ptr<const Embedder> embedder,
                                                             const SessionOptions& options,
                                                             const NoiseSource& noise = nullptr);
  [[nodiscard]] Result<Matrix> observe() override;
  [[nodiscard]] const Matrix& centre() const override { return centre_; }

 private:
  TrainingWorld(Dataset dataset, std::vector<RemovalRequest> requests, std::shared_ptr<const Embedder> embedder,
                const SessionOptions& options, NoiseSource noise);
  [[nodiscard]] Result<Session> train() const;

  Dataset dataset_;
  std::vector<RemovalRequest> requests_;
  std::shared_ptr<const Embedder> embedder_;
  SessionOptions options_;
  NoiseSource noise_;
  Matrix centre_;
};

}  // namespace unscatter
