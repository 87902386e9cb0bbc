// Smaller programs made of a program: some of its statements alone, other sizes, plain places in memory, plain data.
// What comes out need not be valid: whoever runs it finds out.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/ir/program.h"

namespace faultline {

// What a statement made in the first call of an eager run.
struct MadeValue {
  TensorType type;
  std::vector<double> values;  // in storage order; empty: not of a contiguous tensor, or too many
  bool is_scalar = false;
};
using MadeValues = std::map<std::string, MadeValue>;
// Of every statement that is in no branch. Empty where eager refuses.
MadeValues made_values(const Program& program, uint64_t seed);

// Those statements alone. What they use of the others become parameters of the same type, with the same data if
// `with_data`. Parameters, state and inputs that nothing uses are gone. Nothing where a value that is needed is not
// known.
std::optional<Program> keep_statements(const Program& program, const std::vector<bool>& kept, const MadeValues& made,
                                       bool with_data);
// Calls of operators, those in branches included.
int operation_count(const Program& program);
// The statement outside of branches that holds the statement of this number in reading order.
size_t statement_of(const Program& program, int operation);
// Names that a statement uses and makes; of a branch those that it uses of what was made before, and makes in any case.
void collect_names(const Statement& statement, std::set<std::string>& used, std::set<std::string>& made);

// Every statement leaves something: a compiler may drop what does not, errors included.
bool is_all_live(const Program& program);
// The program that returns whatever its statements make.
Program with_all_returned(const Program& program);

// Sizes above 1 that parameters and state have, the largest first.
std::vector<int64_t> dim_sizes(const Program& program);
// Every dim of size `from` gets `to`, and every integer argument that is a multiple of `from` that multiple of `to`.
Program with_size(const Program& program, int64_t from, int64_t to);
// Contiguous and alone in its storage.
Program with_plain_place(const Program& program, size_t parameter);

}  // namespace faultline
