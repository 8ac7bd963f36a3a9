#include "store/stored_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "unscatter/base/invariant.h"

namespace unscatter {
namespace {

constexpr std::size_t kPartLevels = 4;
constexpr std::size_t kPartSize = std::size_t{1} << kPartLevels;
constexpr std::size_t kDigestSize = sizeof(Digest::bytes);

Error damaged_tree() {
  return {ErrorCode::kMalformedInput, "the workspace is damaged: the kept tree of digests is not what the ledger says"};
}

}  // namespace

std::int64_t StoredTree::key_of(std::size_t level, std::size_t part) {
  return static_cast<std::int64_t>((level << 48) | part);
}

std::size_t StoredTree::size_of(std::size_t level) const {
  std::size_t size = leaves_;
  for (std::size_t l = 0; l < level; ++l) size = (size + kPartSize - 1) / kPartSize;
  return size;
}

std::size_t StoredTree::levels() const {
  std::size_t level = 1;
  while (size_of(level) > 1) ++level;
  return level;
}

StoredTree::StoredTree(const std::vector<Digest>& leaves) : leaves_(leaves.size()) {
  std::vector<Digest> level_digests = leaves;
  for (std::size_t level = 0; !level_digests.empty(); ++level) {
    std::vector<Digest> above;
    for (std::size_t first = 0; first < level_digests.size(); first += kPartSize) {
      const auto begin = level_digests.begin() + static_cast<std::ptrdiff_t>(first);
      const auto count = static_cast<std::ptrdiff_t>(std::min(kPartSize, level_digests.size() - first));
      Part part{MerkleTree(std::vector<Digest>(begin, begin + count), level * kPartLevels), true};
      above.push_back(part.digests.top());
      parts_.emplace(key_of(level, first / kPartSize), std::move(part));
    }
    if (above.size() == 1) {
      root_ = root_of(leaves_, &above.front());
      return;
    }
    level_digests = std::move(above);
  }
  root_ = root_of(0, nullptr);
}

Result<StoredTree::Part*> StoredTree::load(const Database& database, std::size_t level, std::size_t part) {
  const std::int64_t key = key_of(level, part);
  if (const auto known = parts_.find(key); known != parts_.end()) return &known->second;
  Statement statement = database.prepare("SELECT digests FROM tree WHERE part = ?");
  statement.bind(1, key);
  UNSCATTER_TRY(found, statement.step());
  if (!found) return damaged_tree();
  UNSCATTER_TRY(blob, statement.blob(0));
  const std::size_t size = std::min(kPartSize, size_of(level) - part * kPartSize);
  if (blob.size() != size * kDigestSize) return damaged_tree();
  std::vector<Digest> digests(size);
  for (std::size_t i = 0; i < size; ++i) {
    std::memcpy(digests[i].bytes.data(), blob.data() + i * kDigestSize, kDigestSize);
  }
  MerkleTree tree(std::move(digests), level * kPartLevels);
  // From the root downwards, every part is what the part above says.
  if (level + 1 == levels()) {
    if (root_of(leaves_, &tree.top()) != root_) return damaged_tree();
  } else {
    UNSCATTER_TRY(above, load(database, level + 1, part / kPartSize));
    if (above->digests.leaf(part % kPartSize) != tree.top()) return damaged_tree();
  }
  return &parts_.emplace(key, Part{std::move(tree), false}).first->second;
}

Result<Digest> StoredTree::leaf(const Database& database, std::size_t i) {
  invariant(i < leaves_, "a leaf outside the tree");
  UNSCATTER_TRY(part, load(database, 0, i / kPartSize));
  return part->digests.leaf(i % kPartSize);
}

Result<std::vector<Digest>> StoredTree::all_leaves(const Database& database) {
  std::vector<Digest> leaves;
  leaves.reserve(leaves_);
  for (std::size_t part = 0; part * kPartSize < leaves_; ++part) {
    UNSCATTER_TRY(loaded, load(database, 0, part));
    const std::vector<Digest>& here = loaded->digests.all_leaves();
    leaves.insert(leaves.end(), here.begin(), here.end());
  }
  return leaves;
}

Result<std::vector<Digest>> StoredTree::stored_leaves(const Database& database, std::size_t first,
                                                      std::size_t last) const {
  invariant(first % kPartSize == 0 && first <= last && (last == leaves_ || (last < leaves_ && last % kPartSize == 0)),
            "stored_leaves() of whole parts");
  std::vector<Digest> leaves;
  leaves.reserve(last - first);
  Statement statement = database.prepare("SELECT digests FROM tree WHERE part >= ? AND part < ? ORDER BY part");
  statement.bind(1, key_of(0, first / kPartSize));
  statement.bind(2, last == leaves_ ? key_of(1, 0) : key_of(0, last / kPartSize));
  for (;;) {
    UNSCATTER_TRY(more, statement.step());
    if (!more) break;
    UNSCATTER_TRY(blob, statement.blob_view(0));
    const std::size_t size = std::min(kPartSize, last - first - leaves.size());
    if (size == 0 || blob.size() != size * kDigestSize) return damaged_tree();
    leaves.resize(leaves.size() + size);
    std::memcpy(leaves.data() + (leaves.size() - size), blob.data(), blob.size());
  }
  if (leaves.size() != last - first) return damaged_tree();
  return leaves;
}

Status StoredTree::lift(const Database& database, std::size_t level, std::size_t part) {
  const Part& below = parts_.at(key_of(level, part));
  const Digest top = below.digests.top();
  if (level + 1 == levels()) {
    root_ = root_of(leaves_, &top);
    return ok_status();
  }
  const std::size_t above = part / kPartSize;
  const std::size_t place = part % kPartSize;
  if (place == 0 && !parts_.contains(key_of(level + 1, above)) && part + 1 == size_of(level + 1)) {
    // The first part below a part that was not there before.
    parts_.emplace(key_of(level + 1, above), Part{MerkleTree({}, (level + 1) * kPartLevels), true});
  }
  const auto known = parts_.find(key_of(level + 1, above));
  Part* target = known == parts_.end() ? nullptr : &known->second;
  if (target == nullptr && part == 1 && size_of(level + 1) == 2) {
    // Part 0 was the top until now.
    UNSCATTER_TRY(first, load(database, level, 0));
    std::vector<Digest> digests{first->digests.top()};
    target =
        &parts_.emplace(key_of(level + 1, 0), Part{MerkleTree(std::move(digests), (level + 1) * kPartLevels), true})
             .first->second;
  }
  if (target == nullptr) {
    UNSCATTER_TRY(loaded, load(database, level + 1, above));
    target = loaded;
  }
  if (place < target->digests.leaves()) {
    target->digests.set_leaf(place, top);
  } else {
    target->digests.append(top);
  }
  target->changed = true;
  return lift(database, level + 1, above);
}

Status StoredTree::set_leaf(const Database& database, std::size_t i, const Digest& leaf) {
  invariant(i <= leaves_, "a leaf outside the tree");
  const std::size_t part = i / kPartSize;
  if (i < leaves_) {
    UNSCATTER_TRY(loaded, load(database, 0, part));
    loaded->digests.set_leaf(i % kPartSize, leaf);
    loaded->changed = true;
    return lift(database, 0, part);
  }
  // The whole path is read before it changes: a part is held against the root of the tree as it was.
  if (leaves_ > 0) UNSCATTER_CHECK_OK(this->leaf(database, leaves_ - 1));
  if (i % kPartSize == 0) {
    parts_.emplace(key_of(0, part), Part{MerkleTree(std::vector<Digest>{leaf}, 0), true});
  } else {
    Part& last = parts_.at(key_of(0, part));
    last.digests.append(leaf);
    last.changed = true;
  }
  ++leaves_;
  return lift(database, 0, part);
}

Status StoredTree::set_leaves(const Database& database, std::span<const std::size_t> places,
                              std::span<const Digest> leaves) {
  if (places.empty()) return ok_status();
  // All paths are read before one changes.
  for (const std::size_t i : places) UNSCATTER_CHECK_OK(leaf(database, i));
  std::vector<std::size_t> changed(places.begin(), places.end());
  std::vector<Digest> digests(leaves.begin(), leaves.end());
  for (std::size_t level = 0; level < levels(); ++level) {
    std::vector<std::size_t> parts;
    std::vector<Digest> tops;
    for (std::size_t begin = 0, end = 0; begin < changed.size(); begin = end) {
      const std::size_t number = changed[begin] / kPartSize;
      std::vector<std::size_t> within;
      for (; end < changed.size() && changed[end] / kPartSize == number; ++end)
        within.push_back(changed[end] % kPartSize);
      Part& part = parts_.at(key_of(level, number));
      part.digests.set_leaves(std::move(within), std::span(digests).subspan(begin, end - begin));
      part.changed = true;
      parts.push_back(number);
      tops.push_back(part.digests.top());
    }
    changed = std::move(parts);
    digests = std::move(tops);
  }
  root_ = root_of(leaves_, &digests.front());
  return ok_status();
}

Status StoredTree::write(const Database& database) {
  Statement statement = database.prepare("INSERT OR REPLACE INTO tree(part, digests) VALUES(?, ?)");
  for (auto& [key, part] : parts_) {
    if (!part.changed) continue;
    const std::vector<Digest>& digests = part.digests.all_leaves();
    static_assert(sizeof(Digest) == kDigestSize);
    statement.bind(1, key).bind(2, std::as_bytes(std::span(digests)));
    UNSCATTER_CHECK_OK(statement.run());
  }
  return ok_status();
}

void StoredTree::written() noexcept {
  for (auto& [key, part] : parts_) part.changed = false;
}

void StoredTree::forget_parts(std::size_t leaves, const Digest& root) {
  parts_.clear();
  leaves_ = leaves;
  root_ = root;
}

}  // namespace unscatter
