#include "learn/kept_inverses.h"

#include "base/parallel.h"
#include "linalg/wipe_matrix.h"

namespace unscatter {

std::size_t solved_classes(const Objective& objective) {
  // A perturbation has a column of its own for each class, so with one the classes no longer mirror each other.
  const bool mirrored = objective.classes() == 2 && objective.perturbation() == nullptr;
  return mirrored ? 1 : objective.classes();
}

Matrix with_mirrored(Matrix solved, std::size_t classes) {
  if (solved.cols() == static_cast<Eigen::Index>(classes)) return solved;
  Matrix all(solved.rows(), 2);
  all.col(0) = solved.col(0);
  all.col(1) = -solved.col(0);
  return all;
}

std::size_t KeptInverses::worthwhile_threads_for(const Objective& objective) const {
  // All classes together decide: their products are what the threads share.
  const auto order = static_cast<std::size_t>(inverses.front().order());
  return worthwhile_threads(inverses.size() * order * order, objective.threads());
}

void KeptInverses::for_each_class(const Objective& objective, const std::function<void(std::size_t k)>& body) const {
  parallel_for(inverses.size(), worthwhile_threads_for(objective), 1,
               [&](std::size_t label, std::size_t) { body(label); });
}

void KeptInverses::for_each_of(const Objective& objective, std::span<const std::size_t> classes,
                               const std::function<void(std::size_t k)>& body) const {
  const auto order = static_cast<std::size_t>(inverses.front().order());
  parallel_for(classes.size(), worthwhile_threads(classes.size() * order * order, objective.threads()), 1,
               [&](std::size_t at, std::size_t) { body(classes[at]); });
}

void KeptInverses::wipe() noexcept {
  for (UpdatableInverse& inverse : inverses) inverse.wipe();
  inverses.clear();
  wipe_matrix(curvatures);
  curvatures.resize(0, 0);  // so that there is nothing to overwrite the next time
}

}  // namespace unscatter
