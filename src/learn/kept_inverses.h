// One inverse per class, kept while rows are edited.
//
// An edited row changes a Hessian by a matrix of rank two and moves the optimum a little.  The Hessian there is still
// almost the kept one.  A step with a kept inverse (the chord method [Ortega70, Sec. 7.1]) then gains two or more
// digits and costs one product with a matrix, where Newton's method pays for a new factor.  Nothing rests on the
// inverses: a descent ends at a gradient that was evaluated, or says that it did not get there.
//
// With two classes and no perturbation the second class is the first one with every sign turned round.  Only one class
// is then solved, and the other one is its mirror image.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "linalg/updatable_inverse.h"
#include "unscatter/learn/objective.h"
#include "unscatter/linalg/dense.h"

namespace unscatter {

// Classes that have to be solved; the others follow.
[[nodiscard]] std::size_t solved_classes(const Objective& objective);
// The weights of all classes, from those of the solved ones.
[[nodiscard]] Matrix with_mirrored(Matrix solved, std::size_t classes);

struct KeptInverses {
  std::vector<UpdatableInverse> inverses;  // P_k of the solved classes
  Matrix curvatures;                       // the D_k they were made with, one column each

  [[nodiscard]] bool ready() const noexcept { return !inverses.empty(); }
  // P_k; where k is not solved itself, that of the class whose mirror image it is.
  [[nodiscard]] const UpdatableInverse& of(std::size_t k) const { return inverses[std::min(k, inverses.size() - 1)]; }
  // How many threads products with all inverses are worth.
  [[nodiscard]] std::size_t worthwhile_threads_for(const Objective& objective) const;
  // Calls body(k) for every solved class, on threads where that pays.
  void for_each_class(const Objective& objective, const std::function<void(std::size_t k)>& body) const;
  // The same for some of them.
  void for_each_of(const Objective& objective, std::span<const std::size_t> classes,
                   const std::function<void(std::size_t k)>& body) const;
  // Overwrites the numbers and forgets them.
  void wipe() noexcept;
};

}  // namespace unscatter
