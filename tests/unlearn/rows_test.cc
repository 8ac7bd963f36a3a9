// Certified removal of rows that somebody else embedded: the setting of [Guo20].
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/testing/seeded_random.h"
#include "support/random_rows.h"
#include "unlearn/random_session.h"
#include "unscatter/embedding/make_embedder.h"
#include "unscatter/unlearn/session.h"

namespace unscatter {
namespace {

// Rows of [-1, 1]^d / sqrt(d) that lean towards their class.  Person i % people is behind row i.
Dataset rows_of_people(std::uint64_t seed, std::size_t rows, std::size_t columns, std::size_t people) {
  const Matrix entries = testing::random_matrix(seed, columns, rows);
  std::vector<double> values;
  std::vector<std::string> labels;
  std::vector<std::string> ids;
  std::vector<std::string> subjects;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < columns; ++k) {
      const double lean = k % 3 == i % 3 ? 0.5 : 0.0;
      values.push_back((entries(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(i)) + lean) /
                       (1.5 * std::sqrt(static_cast<double>(columns))));
    }
    labels.push_back("class " + std::to_string(i % 3));
    ids.push_back("row " + std::to_string(i));
    subjects.push_back("person " + std::to_string(i % people));
  }
  return dataset_from_rows("people", {values, columns, labels, ids, subjects}).value();
}

std::shared_ptr<const Embedder> embedder_of_rows(std::size_t columns) {
  TransformSpec spec;
  spec.family = "rows";
  return make_embedder("attributes:" + std::to_string(columns), spec, Dataset()).value();
}

struct RowsShape {
  std::size_t rows;
  std::size_t columns;
};

// Every loss, where the primal form is the cheaper one and where the dual form is.
TEST(RowsSession, RemovalEqualsTrainingWithoutTheRowsWithinTheBound) {
  for (const char* loss : {"logistic", "squared", "huber-svm"}) {
    for (const RowsShape shape : {RowsShape{90, 12}, RowsShape{24, 70}}) {
      SCOPED_TRACE(loss + std::to_string(shape.columns));
      SessionOptions options;
      options.loss = Loss::parse(loss).value();
      const Dataset data = rows_of_people(7, shape.rows, shape.columns, 8);
      const auto embedder = embedder_of_rows(shape.columns);
      Session session = Session::create(data, embedder, options, std::make_unique<testing::SeededRandom>(1)).value();
      const std::vector<std::vector<RemovalRequest>> updates = {
          {ForgetGraph{"row 3"}},
          {ForgetGraph{std::size_t{10}}, ForgetSubject{"person 5"}},
          {ForgetFeatures{"row 4", std::size_t{0}}},
          {ForgetNode{"row 6", "person 6"}}};
      for (const std::vector<RemovalRequest>& update : updates) {
        const Certificate certificate = session.forget(update).value();
        EXPECT_TRUE(certificate.satisfied);
        const testing::Retrained scratch = testing::retrained(session, *embedder);
        EXPECT_LE((session.weights() - scratch.weights).norm(), certificate.distance_upper_bound + scratch.distance);
      }
      EXPECT_FALSE(session.has_graph(3));
      EXPECT_FALSE(session.has_graph(5));
      EXPECT_FALSE(session.has_graph(13));
      EXPECT_TRUE(session.has_graph(4));
      EXPECT_EQ(session.embeddings().row_norm(4), 0);
      // Nothing made numbers out of zeros.
      EXPECT_LE(session.embeddings().stored_values(), session.graph_count() * shape.columns);
    }
  }
}

TEST(RowsSession, RowsAreAddedAndReplaced) {
  const Dataset all = rows_of_people(8, 60, 10, 60);
  const auto embedder = embedder_of_rows(10);
  Session session = Session::create(testing::part_of(all, 0, 50), embedder, {}).value();
  ASSERT_TRUE(session.add(testing::part_of(all, 50, 10)).value().satisfied);
  std::vector<double> other(10, 0.0);
  other[2] = -0.75;
  const std::vector<Correction> corrections = {SetFeatures{"row 55", std::size_t{0}, other}};
  const Certificate certificate = session.correct(corrections).value();
  EXPECT_TRUE(certificate.satisfied);
  EXPECT_EQ(session.graph_count(), 60u);
  EXPECT_EQ(session.embeddings().row(55).values, (std::vector<double>{-0.75}));
  const testing::Retrained scratch = testing::retrained(session, *embedder);
  EXPECT_LE((session.weights() - scratch.weights).norm(), certificate.distance_upper_bound + scratch.distance);
}

TEST(RowsSession, RowsOfAnotherWidthAreRefused) {
  Session session = Session::create(rows_of_people(8, 20, 10, 20), embedder_of_rows(10), {}).value();
  Dataset wider = rows_of_people(9, 3, 11, 3);
  wider.graph_ids = {"x", "y", "z"};
  EXPECT_EQ(session.add(wider).error().code, ErrorCode::kInvalidArgument);
}

// A caller who says that the function was built in would make the promise say more than anybody knows.
TEST(RowsSession, ThePromiseSaysThatRowsWereMadeOutsideWhateverTheCallerSays) {
  SessionOptions options;
  options.constants = {{"rows", ConstantKind::kBuiltIn}};
  const Session session = Session::create(rows_of_people(8, 20, 10, 20), embedder_of_rows(10), options).value();
  const std::vector<ConstantOrigin>& constants = session.certificate().promise.constants;
  EXPECT_NE(std::find(constants.begin(), constants.end(), ConstantOrigin{"rows", ConstantKind::kOutside}),
            constants.end());
  const std::vector<std::string>& assumptions = session.certificate().promise.assumptions;
  const auto about_rows = [](const std::string& text) { return text.starts_with("rows were made outside"); };
  EXPECT_EQ(std::count_if(assumptions.begin(), assumptions.end(), about_rows), 1);
}

// A function that learned from private data costs something, and the promise says how much.
TEST(RowsSession, TheGuaranteeOfTheFunctionIsPartOfThePromise) {
  const Dataset data = rows_of_people(8, 20, 10, 20);
  SessionOptions options;
  const Session without = Session::create(data, embedder_of_rows(10), options).value();
  EXPECT_FALSE(without.certificate().promise.embedding.has_value());
  options.embedding_guarantee = RemovalGuarantee{2, 1e-6};
  const Session session = Session::create(data, embedder_of_rows(10), options).value();
  const Promise& promise = session.certificate().promise;
  ASSERT_TRUE(promise.with_embedding.has_value());
  EXPECT_GE(promise.with_embedding->epsilon, 3);
  EXPECT_GE(promise.with_embedding->delta, 1e-6 + 1e-8);
  EXPECT_EQ(promise.guarantee.epsilon, 1);
  const auto says_sum = [](const std::string& text) {
    return text.find("together: (3, 1.01e-06)") != std::string::npos;
  };
  EXPECT_TRUE(std::any_of(promise.assumptions.begin(), promise.assumptions.end(), says_sum));
  // Nothing else changes: the same weights, the same limit.
  EXPECT_EQ(session.weights(), without.weights());
  EXPECT_EQ(promise.shift_limit, without.certificate().promise.shift_limit);
}

TEST(RowsSession, AGuaranteeOfTheFunctionThatIsNoneIsRefused) {
  const Dataset data = rows_of_people(8, 20, 10, 20);
  for (const RemovalGuarantee wrong : {RemovalGuarantee{-1, 0}, RemovalGuarantee{std::nan(""), 0},
                                       RemovalGuarantee{1, -1e-9}, RemovalGuarantee{1, 1}}) {
    SessionOptions options;
    options.embedding_guarantee = wrong;
    EXPECT_EQ(Session::create(data, embedder_of_rows(10), options).error().code, ErrorCode::kInvalidArgument);
  }
  // Embeddings that the program makes learn from nobody.
  SessionOptions options;
  options.embedding_guarantee = RemovalGuarantee{1, 0};
  const testing::RandomData graphs = testing::random_data(3);
  const Result<Session> session = Session::create(graphs.dataset, graphs.embedder, options);
  ASSERT_FALSE(session.ok());
  EXPECT_NE(session.error().message.find("made outside"), std::string::npos);
}

// Level everyone: rows are bounded, so the noise covers them whatever function made them.
TEST(RowsSession, EveryoneCanBeProtected) {
  SessionOptions options;
  options.protection = Protection::kEveryone;
  options.ridge = 10;
  options.per_subject = 2;
  options.releases = 1;
  options.classes = ConstantKind::kStated;
  const Session session = Session::create(rows_of_people(8, 20, 10, 12), embedder_of_rows(10), options).value();
  EXPECT_TRUE(session.certificate().satisfied);
}

}  // namespace
}  // namespace unscatter
