#include <gtest/gtest.h>

#include "unscatter/embedding/spectral_kernel.h"

namespace unscatter {
namespace {

TEST(PiecewisePolynomial, ReadsTheDocumentedExample) {
  const KernelBank bank = piecewise_polynomial("0..1: 1 -1 | 0..1: 0 1; 1..2: 1").value();
  ASSERT_EQ(bank.kernels.size(), 2u);
  for (const double x : {0.0, 0.25, 1.0, 1.5, 2.0}) {
    EXPECT_DOUBLE_EQ(bank.kernels[0].value(x), x < 1 ? 1 - x : 0.0);
    EXPECT_DOUBLE_EQ(bank.kernels[1].value(x), x < 1 ? x : 1.0);
  }
  EXPECT_NEAR(bank.kernels[0].lipschitz.value(), 1.0, 1e-9);
  EXPECT_NEAR(bank.kernels[1].lipschitz.value(), 1.0, 1e-9);
}

TEST(PiecewisePolynomial, BlanksCommasAndNumberFormsAreFree) {
  const KernelBank a = piecewise_polynomial("0..0.5:1,2,-3e-1;0.5..2:.25").value();
  const KernelBank b = piecewise_polynomial("  0 .. .5 : +1 2 , -0.3 ; 0.50..2.0 : 2.5e-1 ").value();
  for (int i = 0; i <= 100; ++i) EXPECT_EQ(a.kernels[0].value(0.02 * i), b.kernels[0].value(0.02 * i));
  EXPECT_DOUBLE_EQ(a.kernels[0].value(0.25), 1 + 0.5 - 0.3 * 0.0625);
}

TEST(PiecewisePolynomial, OnlyContinuousKernelsGetALipschitzConstant) {
  const auto lipschitz = [](const char* text) { return piecewise_polynomial(text).value().kernels[0].lipschitz; };
  EXPECT_FALSE(lipschitz("0..1: 1; 1..2: 0.5"));    // jumps between pieces
  EXPECT_FALSE(lipschitz("0..1: 1"));               // jumps to 0 at 1
  EXPECT_FALSE(lipschitz("1..2: 1"));               // jumps from 0
  EXPECT_TRUE(lipschitz("0..2: 1"));                // constant
  EXPECT_TRUE(lipschitz("0..1: 0 1; 1..2: 2 -1"));  // a tent
  EXPECT_TRUE(lipschitz("0.5..1.5: 0.75 -2 1"));    // (x - 0.5)(x - 1.5), 0 at both ends
  // The mother cubic of the monic cubic wavelets: slopes reach 2.
  const double bound = lipschitz("0..1: 0 1; 1..2: -5 11 -6 1").value();
  EXPECT_GE(bound, 2.0);
  EXPECT_LE(bound, 6.0);
  // examine() holds the constant against the samples.
  EXPECT_TRUE(examine(piecewise_polynomial("0..1: 1 1; 1..2: -4 11 -6 1").value()).ok());
}

TEST(PiecewisePolynomial, ErrorsNamePositionAndValue) {
  const auto message = [](std::string_view text) {
    const Error error = piecewise_polynomial(text).error();
    EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
    return error.message;
  };
  EXPECT_EQ(message(""), "kernel text, character 1, at the end: expected a finite number");
  EXPECT_EQ(message("0..1 1"), "kernel text, character 6, at '1': expected ':' and the coefficients of a piece");
  EXPECT_EQ(message("0-1: 1"), "kernel text, character 2, at '-1: 1': expected '..' between the ends of a piece");
  EXPECT_EQ(message("0..3: 1"), "kernel text, character 4, at '3: 1': the spectrum is 0 to 2");
  EXPECT_EQ(message("0..1: x"), "kernel text, character 7, at 'x': expected a finite number");
  EXPECT_EQ(message("0..1: nan"), "kernel text, character 7, at 'nan': expected a finite number");
  EXPECT_EQ(message("0..1: 1e999"), "kernel text, character 7, at '1e999': expected a finite number");
  EXPECT_EQ(message("0..1: 1 | "), "kernel text, character 11, at the end: expected a finite number");
  EXPECT_EQ(message("0..1: 1 ; 0.5..2: 1"),
            "kernel text, character 11, at '0.5..2: 1': pieces must ascend; the one before ends at 1");
  EXPECT_EQ(message("1..1: 1"), "kernel text, character 5, at ': 1': a piece from 1 to 1 is empty");
  EXPECT_EQ(message("0..1: 1 & 2"), "kernel text, character 9, at '& 2': expected a number, ',', ';' or '|'");
}

TEST(PiecewisePolynomial, LimitsHold) {
  std::string kernels = "0..2: 1";
  for (int k = 0; k < 32; ++k) kernels += " | 0..2: 1";
  EXPECT_FALSE(piecewise_polynomial(kernels).ok());
  std::string coefficients = "0..2:";
  for (int k = 0; k < 65; ++k) coefficients += " 1";
  EXPECT_FALSE(piecewise_polynomial(coefficients).ok());
}

}  // namespace
}  // namespace unscatter
