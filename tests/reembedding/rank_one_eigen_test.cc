#include "reembedding/rank_one_eigen.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/exact_spectrum.h"
#include "unscatter/base/random.h"

namespace unscatter {
namespace {

using Eigen::Index;

Vector random_vector(Sequence& random, Index n) {
  Vector x(n);
  for (double& entry : x) entry = 2 * random.unit() - 1;
  return x;
}

Matrix random_orthogonal(Sequence& random, Index n) {
  Matrix A(n, n);
  for (double& entry : A.reshaped()) entry = 2 * random.unit() - 1;
  return testing::exact_spectrum(A).vectors.cast<double>();
}

enum class Spectrum { kSpread, kRepeated, kClustered, kGraded, kZero };
constexpr Spectrum kSpectra[] = {Spectrum::kSpread, Spectrum::kRepeated, Spectrum::kClustered, Spectrum::kGraded,
                                 Spectrum::kZero};

Vector spectrum(Sequence& random, Index n, Spectrum kind) {
  Vector d(n);
  for (Index i = 0; i < n; ++i) {
    switch (kind) {
      case Spectrum::kSpread: d(i) = 2 * random.unit() - 1; break;
      case Spectrum::kRepeated: d(i) = 0.5 * static_cast<double>(random.below(3)) - 0.5; break;
      case Spectrum::kClustered: d(i) = static_cast<double>(random.below(2)) + 1e-14 * static_cast<double>(i); break;
      case Spectrum::kGraded: d(i) = std::pow(10.0, -static_cast<double>(i)) * (random.chance(0.5) ? 1 : -1); break;
      case Spectrum::kZero: d(i) = 0; break;
    }
  }
  std::sort(d.begin(), d.end());
  return d;
}

Matrix rebuilt(const SymmetricEigen& eigen) {
  return eigen.vectors * eigen.values.asDiagonal() * eigen.vectors.transpose();
}

// Everything the header promises, against the matrix formed entry by entry.
void expect_modified(const SymmetricEigen& before, double rho, const Vector& x, const SymmetricEigen& after) {
  const Index n = before.values.size();
  const double size = static_cast<double>(n);
  const Matrix modified = rebuilt(before) + rho * x * x.transpose();
  const double norm = std::max(before.values.cwiseAbs().maxCoeff(), std::abs(rho) * x.squaredNorm());
  const double tolerance = 1e-13 * size * norm;
  EXPECT_LE((rebuilt(after) - modified).norm(), tolerance);
  EXPECT_LE((after.vectors.transpose() * after.vectors - Matrix::Identity(n, n)).norm(), 1e-13 * size);
  EXPECT_LE((after.values - symmetric_eigen(modified).value().values).cwiseAbs().maxCoeff(), tolerance);
  // Weyl: each value moves towards rho's side and not past its neighbour, the last not beyond rho |x|^2.
  for (Index i = 0; i < n; ++i) {
    const double low =
        rho > 0 ? before.values(i) : (i > 0 ? before.values(i - 1) : before.values(0) + rho * x.squaredNorm());
    const double high =
        rho > 0 ? (i + 1 < n ? before.values(i + 1) : before.values(i) + rho * x.squaredNorm()) : before.values(i);
    EXPECT_GE(after.values(i), low - tolerance);
    EXPECT_LE(after.values(i), high + tolerance);
    EXPECT_LE(after.values(std::max<Index>(i, 1) - 1), after.values(i));
  }
}

TEST(RankOneEigen, EqualsAFreshDecompositionOnRandomCases) {
  Sequence random(11);
  for (const Spectrum kind : kSpectra) {
    for (const Index n : {1, 2, 3, 5, 10, 17, 40}) {
      for (const double rho : {1.0, -1.0, 1e-7, -1e-7, 1e-15, 1e8, -1e8}) {
        for (int trial = 0; trial < 3; ++trial) {
          SCOPED_TRACE(::testing::Message() << "spectrum " << static_cast<int>(kind) << " n " << n << " rho " << rho);
          const SymmetricEigen before{spectrum(random, n, kind), random_orthogonal(random, n)};
          const Vector x = random_vector(random, n);
          expect_modified(before, rho, x, rank_one_eigen(before, rho, x).value());
        }
      }
    }
  }
}

// Components of z that are zero, tiny, or spread over hundreds of orders of magnitude: in the basis of the
// eigenvectors.
TEST(RankOneEigen, VectorsThatHardlyTouchSomeEigenvectors) {
  Sequence random(12);
  for (const Spectrum kind : kSpectra) {
    for (const double rho : {1.0, -0.3}) {
      for (int trial = 0; trial < 40; ++trial) {
        const Index n = 2 + static_cast<Index>(random.below(20));
        SCOPED_TRACE(::testing::Message() << "spectrum " << static_cast<int>(kind) << " n " << n << " rho " << rho);
        const SymmetricEigen before{spectrum(random, n, kind), random_orthogonal(random, n)};
        Vector z = random_vector(random, n);
        for (double& component : z) {
          if (random.chance(0.3)) component = 0;
          if (random.chance(0.5)) component *= std::pow(10.0, -20 * random.unit());
        }
        const Vector x = before.vectors * z;
        expect_modified(before, rho, x, rank_one_eigen(before, rho, x).value());
      }
    }
  }
}

// An eigenvector of the matrix itself: one value moves, by rho |x|^2, and nothing else.
TEST(RankOneEigen, AnEigenvectorMovesItsOwnValueOnly) {
  Sequence random(13);
  const SymmetricEigen before{spectrum(random, 9, Spectrum::kSpread), random_orthogonal(random, 9)};
  const Vector x = before.vectors.col(4);
  const SymmetricEigen after = rank_one_eigen(before, 5.0, x).value();
  Vector expected = before.values;
  expected(4) += 5;
  std::sort(expected.begin(), expected.end());
  EXPECT_LE((after.values - expected).norm(), 1e-13);
}

TEST(RankOneEigen, ScalesOutOfTheRangeOfSquares) {
  Sequence random(14);
  const SymmetricEigen unit{spectrum(random, 8, Spectrum::kSpread), random_orthogonal(random, 8)};
  const Vector x = random_vector(random, 8);
  for (const double scale : {0x1.0p-700, 0x1.0p700}) {
    const SymmetricEigen scaled = rank_one_eigen({scale * unit.values, unit.vectors}, scale, x).value();
    EXPECT_EQ(scaled.values, scale * rank_one_eigen(unit, 1.0, x).value().values);
  }
}

// Up and down again, a hundred times: errors add up, they do not multiply.
TEST(RankOneEigen, ErrorsOfASequenceAddUp) {
  Sequence random(15);
  const Index n = 25;
  const SymmetricEigen start{spectrum(random, n, Spectrum::kRepeated), random_orthogonal(random, n)};
  SymmetricEigen eigen = start;
  for (int step = 0; step < 100; ++step) {
    const Vector x = random_vector(random, n);
    eigen = rank_one_eigen(eigen, 1.0, x).value();
    eigen = rank_one_eigen(eigen, -1.0, x).value();
  }
  EXPECT_LE((rebuilt(eigen) - rebuilt(start)).norm(), 200 * 1e-15 * n * n);  // |x|^2 <= n
  EXPECT_LE((eigen.vectors.transpose() * eigen.vectors - Matrix::Identity(n, n)).norm(), 200 * 1e-15 * n);
}

TEST(RankOneEigen, NothingToDo) {
  const SymmetricEigen eigen{Vector::LinSpaced(3, 0, 2), Matrix::Identity(3, 3)};
  EXPECT_EQ(rank_one_eigen(eigen, 0.0, Vector::Ones(3)).value().values, eigen.values);
  EXPECT_EQ(rank_one_eigen(eigen, 1.0, Vector::Zero(3)).value().vectors, eigen.vectors);
  EXPECT_EQ(rank_one_eigen(SymmetricEigen{}, 1.0, Vector()).value().values.size(), 0);
}

TEST(RankOneEigen, RefusesWhatItCannotModify) {
  const SymmetricEigen eigen{Vector::LinSpaced(3, 0, 2), Matrix::Identity(3, 3)};
  EXPECT_EQ(rank_one_eigen(eigen, 1.0, Vector::Ones(2)).error().code, ErrorCode::kInvalidArgument);
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(rank_one_eigen(eigen, infinite, Vector::Ones(3)).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(rank_one_eigen(eigen, 1.0, Vector::Constant(3, infinite)).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace unscatter
